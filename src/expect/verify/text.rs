//! Lists and calls in messages.

use crate::expect::call::Call;
use crate::expect::expectation::Answer;

/// Maximum number of calls that a message lists.
const MAX_LISTED: usize = 10;

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
