//! Whether calls were made one after another: for each step, one after that of the step before.

use crate::expect::call::Call;
use crate::expect::expectation::CallPattern;
use crate::expect::record::Record;
use crate::expect::report::Member;
use crate::expect::verify::pattern::{compare, matches, nearest};
use crate::expect::verify::{Outcome, text};

pub(super) fn verify(record: &Record, steps: &[CallPattern]) -> Outcome {
    let mut found: Vec<&Call> = Vec::with_capacity(steps.len());
    for (place, pattern) in steps.iter().enumerate() {
        let previous = found.last().map_or(0, |call| call.seq);
        let mut later = record.calls.iter().filter(|call| call.seq > previous);
        match later.find(|call| matches(pattern, call)) {
            Some(call) => found.push(call),
            None => return missing(record, (place, pattern), found.last().copied()),
        }
    }
    Outcome::pass(format!("in this order: {}", text::calls(&found)))
}

/// No call matches a step after that of the step before.
fn missing(record: &Record, (place, pattern): (usize, &CallPattern), previous: Option<&Call>) -> Outcome {
    let step = place + 1;
    let Some(previous) = previous else {
        let message = format!("no call matches step {step}");
        return Outcome::fail(message, nearest(record, pattern, record.calls.iter()));
    };
    let earlier = record.calls.iter().rev().find(|call| call.seq <= previous.seq && matches(pattern, call));
    let Some(earlier) = earlier else {
        let message = format!("no call matches step {step} after call {}", previous.seq);
        let later = record.calls.iter().filter(|call| call.seq > previous.seq);
        let nearest =
            nearest(record, pattern, later).or_else(|| nearest(record, pattern, record.calls.iter()));
        return Outcome::fail(message, nearest);
    };
    let message = if earlier.seq == previous.seq {
        format!("call {} matches step {place}, and no later call matches step {step}", previous.seq)
    } else {
        format!(
            "call {} matches step {step}, but comes before call {}, which matches step {place}",
            earlier.seq, previous.seq
        )
    };
    let mut near = compare(record, pattern, earlier);
    near.members.push(Member {
        member: "place".to_owned(),
        expected: format!("after call {}", previous.seq).into(),
        received: format!("call {}", earlier.seq).into(),
        agrees: false,
    });
    Outcome::fail(message, Some(near))
}
