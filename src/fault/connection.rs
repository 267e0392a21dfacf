//! The effect `connection`.

use std::time::Duration;

/// The client gets no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    /// `reset`: a TCP RST before any byte.
    Reset,
    /// `close`: the request is read, then the connection is closed cleanly without any byte.
    Close,
    /// `stall`: nothing until the client leaves or this time is over, then a clean close.
    Stall(Option<Duration>),
    /// `garbage`: bytes that are not HTTP, then a close.
    Garbage,
}
