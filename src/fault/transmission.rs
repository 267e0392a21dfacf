//! How a reply is sent: decided here, performed by `server/wire`.

use std::time::Duration;

use crate::draw::Draw;
use crate::fault::body::Body;
use crate::fault::connection::Connection;
use crate::fault::decide::Verdict;
use crate::fault::effect::Effect;
use crate::fault::lost::Lost;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SendPlan {
    /// Real time before the reply is sent.
    pub(crate) delay: Option<Duration>,
    pub(crate) transmission: Transmission,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Transmission {
    /// Completely, and the connection stays open.
    #[default]
    Plain,
    /// Not at all: a TCP RST before any byte.
    Reset,
    /// Not at all: the request is read, then the connection is closed cleanly.
    Close,
    /// Not at all: nothing until the client leaves or the time is over, then a clean close.
    Stall(Option<Duration>),
    /// These bytes replace it, then a clean close.
    Garbage(Vec<u8>),
    /// The headers with the full length, a share of the body, and a TCP RST once it is received.
    Truncate {
        /// Parts per million.
        share: u32,
    },
    /// The headers at once, the body slowly.
    Drip {
        /// Bytes at a time, at least 1.
        bytes: u32,
        /// Pause between them.
        every: Duration,
    },
}

/// Number of bytes of garbage.
const GARBAGE: usize = 64;

impl SendPlan {
    /// Whether the client gets a status.
    pub(crate) const fn answers(&self) -> bool {
        matches!(
            self.transmission,
            Transmission::Plain | Transmission::Truncate { .. } | Transmission::Drip { .. }
        )
    }

    pub(crate) fn of(verdict: &Verdict<'_>) -> Self {
        let transmission = match verdict.effect() {
            None
            | Some(Effect::Error(_) | Effect::Status(_) | Effect::Body(Body::Malformed | Body::Patch(_))) => {
                Transmission::Plain
            }
            Some(Effect::Connection(Connection::Reset) | Effect::Lost(Lost::Reset)) => Transmission::Reset,
            Some(Effect::Connection(Connection::Close)) => Transmission::Close,
            Some(Effect::Connection(Connection::Stall(span))) => Transmission::Stall(*span),
            Some(Effect::Connection(Connection::Garbage)) => Transmission::Garbage(garbage(verdict.draw)),
            Some(Effect::Body(Body::Truncate(share))) => Transmission::Truncate { share: *share },
            Some(Effect::Body(Body::Drip { bytes, every })) => {
                Transmission::Drip { bytes: *bytes, every: *every }
            }
        };
        Self { delay: verdict.delay, transmission }
    }

    /// Whether the reply is sent at once and completely.
    pub(crate) fn is_plain(&self) -> bool {
        self.delay.is_none() && self.transmission == Transmission::Plain
    }
}

/// Bytes that are not HTTP: the first one is not ASCII.
fn garbage(draw: Option<Draw>) -> Vec<u8> {
    let mut bytes = vec![0xff; GARBAGE];
    if let Some(mut draw) = draw {
        for chunk in bytes[1..].chunks_mut(8) {
            chunk.copy_from_slice(&draw.number().to_le_bytes()[..chunk.len()]);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_a_status_unless_the_answer_is_not_sent_or_replaced() {
        let answers = |transmission| SendPlan { delay: None, transmission }.answers();
        let drip = Transmission::Drip { bytes: 1, every: Duration::ZERO };
        for transmission in [Transmission::Plain, Transmission::Truncate { share: 0 }, drip] {
            assert!(answers(transmission.clone()), "{transmission:?}");
        }
        let garbage = Transmission::Garbage(garbage(None));
        for transmission in [Transmission::Reset, Transmission::Close, Transmission::Stall(None), garbage] {
            assert!(!answers(transmission.clone()), "{transmission:?}");
        }
    }
}
