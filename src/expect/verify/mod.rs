//! Whether a client did what a scenario expects of it: a file for each kind of expectation. Pure functions of a record.

/// Calls and what followed them.
mod chain;
/// Lists and calls in messages.
mod text;
/// Whether a call matches a pattern, member by member.
mod pattern;
mod wait;
mod retries;
mod grows;
mod requests;
mod order;
mod pages;
mod stored;
mod deliveries;

use crate::expect::expectation::{After, Answer, Expectation, Requirement};
use crate::expect::record::Record;
use crate::expect::report::{ExpectationReport, Nearest};
use crate::expect::verify::chain::Struck;

/// What is said of one expectation.
struct Outcome {
    passed: bool,
    message: String,
    nearest: Option<Nearest>,
}

impl Outcome {
    fn pass(message: impl Into<String>) -> Self {
        Self { passed: true, message: message.into(), nearest: None }
    }

    fn fail(message: impl Into<String>, nearest: Option<Nearest>) -> Self {
        Self { passed: false, message: message.into(), nearest }
    }
}

/// Verifies each expectation. What depends on calls or deliveries that are not kept any more does not pass.
pub(crate) fn verify(record: &Record, expectations: &[Expectation]) -> Vec<ExpectationReport> {
    let report = |expectation: &Expectation| {
        let Outcome { passed, message, nearest } = verify_one(record, &expectation.requirement);
        ExpectationReport { name: expectation.name.clone(), passed, message, nearest }
    };
    expectations.iter().map(report).collect()
}

fn verify_one(record: &Record, requirement: &Requirement) -> Outcome {
    let dropped = match requirement {
        Requirement::After(_) | Requirement::Requests(_) | Requirement::Order(_) | Requirement::Pages(_) => {
            record.dropped
        }
        Requirement::Deliveries(_) => record.deliveries_dropped,
        Requirement::Stored(_) => 0,
    };
    if dropped > 0 {
        let what = if matches!(requirement, Requirement::Deliveries(_)) { "deliveries" } else { "calls" };
        let message =
            format!("incomplete: the oldest {dropped} {what} are not kept any more, so nobody can tell");
        return Outcome::fail(message, None);
    }
    match requirement {
        Requirement::After(expected) => after(record, expected),
        Requirement::Requests(expected) => requests::verify(record, expected),
        Requirement::Order(steps) => order::verify(record, steps),
        Requirement::Pages(pattern) => pages::verify(record, pattern),
        Requirement::Stored(expected) => stored::verify(record, expected),
        Requirement::Deliveries(expected) => deliveries::verify(record, expected),
    }
}

/// All that is expected after an answer must hold.
fn after(record: &Record, after: &After) -> Outcome {
    let struck = Struck::new(record, after);
    if struck.is_empty() {
        let what = match &after.answer {
            Answer::Error(code) => format!("no call was answered {code}"),
            Answer::Status(status) => format!("no call was answered with status {status}"),
            Answer::Fault(name) => format!("the fault {name} applied to no call"),
        };
        return Outcome::pass(format!("{what}, so that nothing is expected"));
    }
    let parts = [
        after.wait.map(|wait| wait::verify(&struck, wait)),
        after.retries.map(|count| retries::verify(&struck, count)),
        after.grows.map(|factor| grows::verify(&struck, factor)),
    ];
    let (kept, failed): (Vec<Outcome>, Vec<Outcome>) =
        parts.into_iter().flatten().partition(|outcome| outcome.passed);
    let said = |outcomes: &[Outcome]| {
        outcomes.iter().map(|outcome| outcome.message.as_str()).collect::<Vec<_>>().join("; ")
    };
    if failed.is_empty() {
        return Outcome::pass(said(&kept));
    }
    let message = said(&failed);
    Outcome::fail(message, failed.into_iter().find_map(|outcome| outcome.nearest))
}

#[cfg(test)]
mod tests;
