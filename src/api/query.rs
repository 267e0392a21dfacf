//! Integers in the query string, and the limit on start index and count (`docs/api.md` 3).

use crate::api::call::Call;
use crate::api::error::{ApiError, Code};

/// Limit of start index plus count.
pub(crate) const WINDOW: u64 = 100_000;

/// A query parameter that must be an integer of 0 or more. A number beyond 64 bits is read as the largest of them.
///
/// # Errors
/// The text as sent, if it is not such an integer.
pub(crate) fn index(call: &Call<'_>, name: &str) -> Result<Option<u64>, String> {
    let Some(text) = call.parameter(name) else { return Ok(None) };
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { Ok(Some(text.parse().unwrap_or(u64::MAX))) } else { Err(text.into_owned()) }
}

/// # Errors
/// 1163 if the page ends beyond the window.
pub(crate) fn within_window(start: u64, count: u64) -> Result<(), ApiError> {
    if start.saturating_add(count) <= WINDOW {
        return Ok(());
    }
    Err(ApiError::new(Code::StartIndex, format!("start {start} + count {count} is over {WINDOW}")))
}

/// A page of a list, as an operation answered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AnsweredPage {
    /// Index of its first element in the list, from 0.
    pub(crate) start: u64,
    /// Number of its elements.
    pub(crate) length: u64,
    /// Length of the whole list. None if the operation did not need to find that out.
    pub(crate) total: Option<u64>,
}

/// The number of elements to skip, and the number to take.
pub(crate) fn page(start: u64, count: u64) -> (usize, usize) {
    let whole = |number| usize::try_from(number).unwrap_or(usize::MAX);
    (whole(start), whole(count))
}
