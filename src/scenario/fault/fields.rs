//! Checks the conditions of faults against the parameters and fields of their operations. A condition on anything else never
//! matches a request of a well-behaved client.

use crate::fault::condition::Condition;
use crate::operations::spec::Spec;
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::fault::raw::When;
use crate::scenario::references::References;
use crate::scenario::source::Span;

/// The retired query parameter for the API key, which clients may still send.
const RETIRED: &str = "api_key";

/// Warns about conditions on parameters and fields that none of these operations has.
pub(crate) fn check(
    findings: &mut Findings,
    references: &References,
    (when, condition): (&When, &Condition),
    operations: &[&'static Spec],
) {
    let parameters: Vec<&str> =
        operations.iter().flat_map(|spec| spec.parameters(references.dialect)).collect();
    for member in when.query.iter().flat_map(|query| &query.value.0) {
        if member.key != RETIRED && !parameters.contains(&member.key.as_str()) {
            warn(findings, ("query parameter", &member.key, &parameters), member.key_span, operations);
        }
    }
    let mut fields: Vec<&str> = operations.iter().flat_map(|spec| spec.fields()).collect();
    fields.sort_unstable();
    fields.dedup();
    for (pointer, _) in &condition.body {
        let Some(first) = pointer.steps().next() else { continue };
        if !fields.contains(&&*first) {
            warn(findings, ("body field", &first, &fields), location(when, pointer.text()), operations);
        }
    }
}

fn location(when: &When, key: &str) -> Span {
    let entries = when.body.as_ref().and_then(|body| body.value.entries()).unwrap_or_default();
    entries.iter().find(|entry| *entry.key == *key).map(|entry| entry.key_span).unwrap_or_default()
}

fn warn(
    findings: &mut Findings,
    (what, word, allowed): (&str, &str, &[&str]),
    span: Span,
    operations: &[&'static Spec],
) {
    let message = match operations {
        [one] => format!("{} has no {what} `{word}`, so this never matches", join_or([one.operation.name()])),
        _ => format!("no operation of this fault has a {what} `{word}`, so this never matches"),
    };
    let finding = findings.warning("never-matches", span, message);
    if allowed.is_empty() {
        finding.help(format!("it has no {what}s"));
    } else {
        finding.suggest(word, allowed.iter().copied());
    }
}
