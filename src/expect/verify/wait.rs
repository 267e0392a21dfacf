//! Whether every next call came late enough.

use std::time::Duration;

use crate::expect::chain::TOLERANCE;
use crate::expect::expectation::Wait;
use crate::expect::report::{Member, Nearest};
use crate::expect::verify::Outcome;
use crate::expect::verify::chain::{Next, Struck};
use crate::expect::verify::text;
use crate::expect::words;

pub(super) fn verify(struck: &Struck<'_>, wait: Wait) -> Outcome {
    let (mut judged, mut without_hint) = (0, 0);
    let mut failed: Vec<(String, Nearest)> = Vec::new();
    for (call, next) in &struck.calls {
        let (least, most) = match wait {
            Wait::AtLeast(least) => (least, None),
            Wait::Between(least, most) => (least, Some(most)),
            Wait::RetryAfter => {
                let Some(asked) = call.retry_after else {
                    without_hint += 1;
                    continue;
                };
                (asked, None)
            }
        };
        let Next::Call(gap) = next else { continue };
        let (next, waited) = (gap.to, gap.wait());
        judged += 1;
        let agrees = gap.keeps(least) && most.is_none_or(|most| waited <= most + TOLERANCE);
        if agrees {
            continue;
        }
        let expected = expected(least, most);
        let which = if wait == Wait::RetryAfter { "which asked for" } else { "expected:" };
        let message = format!(
            "call {} came {} after {}, {which} {}",
            next.seq,
            words::time(waited),
            text::answer(&struck.after.answer, call),
            if wait == Wait::RetryAfter { words::time(least) } else { expected.clone() },
        );
        let member = Member {
            member: "wait".to_owned(),
            expected: expected.into(),
            received: words::time(waited).into(),
            agrees,
        };
        failed.push((message, Nearest { call: next.seq, members: vec![member] }));
    }
    let more = failed.len().saturating_sub(1);
    if let Some((message, nearest)) = failed.into_iter().next() {
        let more = if more > 0 { format!(" ({more} more like this)") } else { String::new() };
        return Outcome::fail(format!("{message}{more}"), Some(nearest));
    }
    Outcome::pass(match (judged, without_hint) {
        (0, 0) => "no call came afterwards".to_owned(),
        (0, _) => "no answer had a retry-after".to_owned(),
        (_, _) => format!("{} waited long enough", words::count(judged, "call")),
    })
}

fn expected(least: Duration, most: Option<Duration>) -> String {
    match most {
        Some(most) => format!("{} to {}", words::time(least), words::time(most)),
        None => format!("at least {}", words::time(least)),
    }
}
