//! The effect `error`.

use crate::api::refusal::Code;

/// The client sees the status and the exact error body of a code, as the operation itself would answer it:
/// `{"code": 89, "message": "Rate limit exceeded"}` with 429.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Which error.
    pub answer: Answer,
    /// Whole seconds in the header `retry-after`; none leaves the header out.
    pub retry_after: Option<u64>,
}

/// Which error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// One of the catalogue.
    Catalogue {
        /// Which.
        code: Code,
        /// In place of the status that the dialect has for it.
        status: Option<u16>,
        /// In place of its message; for 2003 that is the operation's first mandatory field's.
        message: Option<String>,
    },
    /// One that the catalogue does not have.
    Made {
        /// The number in the error body.
        number: u32,
        /// The HTTP status.
        status: u16,
        /// The message in the error body.
        message: String,
    },
}
