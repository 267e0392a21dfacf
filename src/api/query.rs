//! Integers in a query string, and the window that no page may leave (`interface.md`, Limits).

use crate::api::call::Call;
use crate::api::error::{ApiError, Code};

/// Start index and count together may not exceed this.
pub const WINDOW: u64 = 100_000;

/// A query parameter that must be an index; beyond 64 bits it is the largest of them.
///
/// # Errors
/// The text as sent, where it is no index.
pub fn index(call: &Call<'_>, name: &str) -> Result<Option<u64>, String> {
    let Some(text) = call.parameter(name) else { return Ok(None) };
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { Ok(Some(text.parse().unwrap_or(u64::MAX))) } else { Err(text.into_owned()) }
}

/// Checks a page of one of the lists against the window.
///
/// # Errors
/// 1163 where it is left.
pub fn within_window(start: u64, count: u64) -> Result<(), ApiError> {
    if start.saturating_add(count) <= WINDOW {
        return Ok(());
    }
    Err(ApiError::new(Code::StartIndex, format!("start {start} + count {count} is over {WINDOW}")))
}

/// The page of a list, as a number of elements to pass over and one to take.
#[must_use]
pub fn page(start: u64, count: u64) -> (usize, usize) {
    let whole = |number| usize::try_from(number).unwrap_or(usize::MAX);
    (whole(start), whole(count))
}
