//! How a reply goes out: decided here, performed at the server's edge.

use std::time::Duration;

use crate::draw::Draw;
use crate::fault::body::Body;
use crate::fault::connection::Connection;
use crate::fault::decide::Verdict;
use crate::fault::effect::Effect;
use crate::fault::lost::Lost;

/// How a reply goes out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendPlan {
    /// How long it is held back, by real time.
    pub delay: Option<Duration>,
    /// In what manner it is sent then.
    pub manner: Transmission,
}

/// In what manner a reply is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Transmission {
    /// Whole, and the connection stays as it is.
    #[default]
    Plain,
    /// Not at all: TCP RST before any byte.
    Reset,
    /// Not at all: the request is read, then a clean FIN.
    Close,
    /// Not at all: nothing until the client leaves or the time is over, then a clean FIN.
    Stall(Option<Duration>),
    /// These bytes in its place, then FIN.
    Garbage(Vec<u8>),
    /// The headers with the full length, this share of the body (parts in a million), and RST once it is received.
    Truncate {
        /// Parts in a million.
        share: u32,
    },
    /// The headers at once, the body so many bytes at a time, whole in the end.
    Drip {
        /// Bytes at a time, at least 1.
        bytes: u32,
        /// One after the other at this pace.
        every: Duration,
    },
}

/// How many bytes of garbage are sent.
const GARBAGE: usize = 64;

impl SendPlan {
    /// Whether the client gets a status at all.
    #[must_use]
    pub const fn answers(&self) -> bool {
        matches!(self.manner, Transmission::Plain | Transmission::Truncate { .. } | Transmission::Drip { .. })
    }

    /// How the answer to a request goes out by a verdict.
    #[must_use]
    pub fn of(verdict: &Verdict<'_>) -> Self {
        let manner = match verdict.effect() {
            None
            | Some(Effect::Error(_) | Effect::Status(_) | Effect::Body(Body::Malformed | Body::Patch(_))) => {
                Transmission::Plain
            }
            Some(Effect::Connection(Connection::Reset) | Effect::Lost(Lost::Reset)) => Transmission::Reset,
            Some(Effect::Connection(Connection::Close)) => Transmission::Close,
            Some(Effect::Connection(Connection::Stall(span))) => Transmission::Stall(*span),
            Some(Effect::Connection(Connection::Garbage)) => {
                Transmission::Garbage(garbage(verdict.draw.clone()))
            }
            Some(Effect::Body(Body::Truncate(share))) => Transmission::Truncate { share: *share },
            Some(Effect::Body(Body::Drip { bytes, every })) => {
                Transmission::Drip { bytes: *bytes, every: *every }
            }
        };
        Self { delay: verdict.delay, manner }
    }

    /// Whether the reply goes out at once and whole.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.delay.is_none() && self.manner == Transmission::Plain
    }
}

/// Bytes that no HTTP answer begins with: the first is none of ASCII.
fn garbage(draw: Option<Draw>) -> Vec<u8> {
    let mut bytes = vec![0xff; GARBAGE];
    if let Some(mut draw) = draw {
        for chunk in bytes[1..].chunks_mut(8) {
            chunk.copy_from_slice(&draw.number().to_le_bytes()[..chunk.len()]);
        }
    }
    bytes
}
