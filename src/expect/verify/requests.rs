//! Whether as many calls match as expected.

use crate::expect::call::Call;
use crate::expect::expectation::Requests;
use crate::expect::record::Record;
use crate::expect::verify::pattern::{compare, matches, nearest};
use crate::expect::verify::{Outcome, text};

pub(super) fn verify(record: &Record, Requests { calls: pattern, count }: &Requests) -> Outcome {
    let matching: Vec<&Call> = record.calls.iter().filter(|call| matches(pattern, call)).collect();
    let found = matching.len();
    let message = match found {
        0 if record.calls.is_empty() => "no call was made".to_owned(),
        0 => "no call matches".to_owned(),
        1 => format!("1 call matches ({})", text::calls(&matching)),
        _ => format!("{found} calls match ({})", text::calls(&matching)),
    };
    if count.contains(found as u64) {
        return Outcome::pass(message);
    }
    let message = format!("{message}; expected: {count}");
    let one_too_many = count.max.and_then(|max| matching.get(usize::try_from(max).ok()?));
    let nearest = if let Some(call) = one_too_many {
        Some(compare(record, pattern, call))
    } else {
        let others = record.calls.iter().filter(|call| !matches(pattern, call));
        nearest(record, pattern, others)
    };
    Outcome::fail(message, nearest)
}
