//! Finds probable misspellings in conditions on parameters and fields. A condition on a name that the operation does not
//! have is valid, because a client may send anything; it is only reported if a name of the operation is near it.

use crate::fault::condition::Condition;
use crate::operations::spec::Spec;
use crate::scenario::diagnostic::{Findings, join_or, nearest};
use crate::scenario::fault::raw::When;
use crate::scenario::references::References;
use crate::scenario::source::Span;

/// The retired query parameter for the API key, which clients may still send.
const RETIRED: &str = "api_key";

/// Warns about conditions whose parameters and fields are probably misspelt names of these operations.
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
    let Some(near) = nearest(word, allowed.iter().copied()) else { return };
    let which = match operations {
        [one] => join_or([one.operation.name()]),
        _ => "no operation of this condition".to_owned(),
    };
    let has = if operations.len() == 1 { "has no" } else { "has a" };
    findings
        .warning("unusual-name", span, format!("{which} {has} {what} `{word}`"))
        .label(format!("did you mean `{near}`?"))
        .help(format!("as it is, only requests match that have `{word}` all the same"));
}
