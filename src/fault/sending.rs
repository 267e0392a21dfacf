//! How a reply goes out: decided with the reply, performed where it is sent.

use std::time::Duration;

/// How a reply goes out; by default at once and whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sending {
    /// The client sees nothing for so long; then what `manner` says.
    pub delay: Option<Duration>,
    /// What becomes of the reply and its connection.
    pub manner: Manner,
}

/// What the client sees in place of a plain reply. Answers to earlier requests that it sent ahead on the connection
/// reach it whole in any case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Manner {
    /// The reply.
    #[default]
    Plain,
    /// TCP RST, no byte.
    Reset,
    /// A clean FIN, no byte.
    Close,
    /// Nothing until it leaves or this time is over, then a clean FIN.
    Stall(Option<Duration>),
    /// These bytes, then a clean FIN.
    Garbage(Vec<u8>),
    /// Headers with the full length, a share of the body, and RST once these are received.
    Truncate {
        /// In parts per million of the body, rounded down to a byte.
        share: u32,
    },
    /// Headers at once, then the whole body bit by bit; the connection goes on.
    Drip {
        /// So many bytes at a time, at least 1.
        bytes: u32,
        /// After each such span comes the next bit.
        every: Duration,
    },
}

impl Sending {
    /// Whether the reply goes out at once and whole.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.delay.is_none() && self.manner == Manner::Plain
    }
}
