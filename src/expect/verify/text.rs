//! Numbers, times and lists in messages.

use std::time::Duration;

use crate::expect::call::Call;
use crate::expect::expectation::Answer;

/// Maximum number of calls that a message lists.
const MAX_LISTED: usize = 10;

/// A time as people say it: `212 ms`, `2 s`, `2.35 s`.
pub(super) fn span(span: Duration) -> String {
    let millis = span.as_millis();
    match millis {
        0 if !span.is_zero() => format!("{} µs", span.as_micros()),
        0..1000 => format!("{millis} ms"),
        _ => {
            let hundredths = format!("{}.{:02}", millis / 1000, millis % 1000 / 10);
            format!("{} s", hundredths.trim_end_matches('0').trim_end_matches('.'))
        }
    }
}

/// A number of things: `1 call`, `2 calls`.
pub(super) fn number(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A list: `1, 2 and 3`.
pub(super) fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let mut shown: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    if shown.len() > MAX_LISTED {
        let more = shown.len() - MAX_LISTED;
        shown.truncate(MAX_LISTED);
        return format!("{} and {more} more", shown.join(", "));
    }
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The calls by number: `call 3`, `calls 3 and 4`.
pub(super) fn calls(calls: &[&Call]) -> String {
    let word = if calls.len() == 1 { "call" } else { "calls" };
    format!("{word} {}", list(calls.iter().map(|call| call.seq)))
}

/// What happened to a call: `the 89 of call 13`.
pub(super) fn answer(answer: &Answer, call: &Call) -> String {
    match answer {
        Answer::Error(number) => format!("the {number} of call {}", call.seq),
        Answer::Status(status) => format!("the {status} of call {}", call.seq),
        Answer::Fault(name) => format!("{name} applied to call {}", call.seq),
    }
}
