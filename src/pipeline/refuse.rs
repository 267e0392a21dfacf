//! The reply of an API error: its exact body, and what was wrong in the header `x-standin-detail`.

use crate::api::error::{ApiError, Code};
use crate::api::operation::Operation;
use crate::api::reply::Reply;
use crate::world::snapshot::Snapshot;

pub(super) fn refuse(snapshot: &Snapshot, operation: Option<Operation>, error: &ApiError) -> Reply {
    let status = snapshot.dialect.status(error.code, operation);
    // A message that says it all is the detail as well, so that whoever looks only there sees the cause.
    let detail = if error.detail.is_empty() { &error.message } else { error.detail.as_str() };
    let mut reply = Reply::json(status, error.body()).with("x-standin-detail", printable(detail));
    if let Some(seconds) = error.retry_after.filter(|_| snapshot.dialect.retry_after) {
        reply = reply.with("retry-after", seconds.to_string());
    }
    if error.code == Code::Method {
        reply = reply.with("allow", "POST");
    }
    reply
}

/// Length limit of a header value made by `printable`, in bytes.
const MAX_DETAIL: usize = 512;

/// The text in printable ASCII, all else escaped, and cut at the limit.
pub(super) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        let start = out.len();
        match letter {
            ' '..='~' => out.push(letter),
            other => out.extend(other.escape_unicode()),
        }
        if out.len() > MAX_DETAIL {
            out.truncate(start);
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_detail_is_printable_and_short() {
        assert_eq!(printable("ratings[2]: é\n"), "ratings[2]: \\u{e9}\\u{a}");
        let long = printable(&"é".repeat(1000));
        assert!(long.len() <= MAX_DETAIL && long.ends_with('}'));
    }
}
