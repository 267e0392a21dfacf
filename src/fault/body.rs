//! The effect `body`.

use std::time::Duration;

use crate::fault::patch::Change;

/// The client gets the status and headers of the real answer, and another body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    /// `truncate: 50%`: headers with the full length, this share of the bytes (parts per million), and a TCP RST once they
    /// are received.
    Truncate(u32),
    /// `drip: 64 per 100ms`: a slow body that arrives completely.
    Drip {
        /// Bytes at a time, at least 1.
        bytes: u32,
        /// Pause between them, at least a millisecond.
        every: Duration,
    },
    /// `malformed: true`: status 200 and JSON that is cut at a token, with the length of what is left.
    Malformed,
    /// `patch: […]`: the real JSON with changes. A patch that does not apply changes nothing, and the journal has a note.
    Patch(Vec<Change>),
}
