//! The effect `body`.

use std::time::Duration;

use crate::fault::patch::Change;

/// The client sees the real answer's status and headers, and another body.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// `truncate: 50%`: headers with the full length, this share of the bytes (parts in a million), and RST once they
    /// are received.
    Truncate(u32),
    /// `drip: 64 per 100ms`: a slow body, whole in the end.
    Drip {
        /// So many bytes at a time, at least 1.
        bytes: u32,
        /// One after the other at this pace, at least a millisecond.
        every: Duration,
    },
    /// `malformed: true`: status 200, JSON cut at a token, the length fitting.
    Malformed,
    /// `patch: […]`: the real JSON, changed. Changes that do not apply leave it as it was, and the journal notes it.
    Patch(Vec<Change>),
}
