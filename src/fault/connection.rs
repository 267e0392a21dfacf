//! The effect `connection`.

use std::time::Duration;

/// The client sees no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// `reset`: TCP RST before any byte.
    Reset,
    /// `close`: the request is read, then a clean FIN, no byte.
    Close,
    /// `stall`: nothing until the client leaves or this time is over, then a clean close.
    Stall(Option<Duration>),
    /// `garbage`: bytes that are not HTTP, then close.
    Garbage,
}
