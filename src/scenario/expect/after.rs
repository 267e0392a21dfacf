//! Validates `after`: what the client does after a certain answer.

use crate::expect::expectation::{After, Answer, RetryScope};
use crate::scenario::diagnostic::Findings;
use crate::scenario::expect::calls::{is_known_code, is_known_fault, names};
use crate::scenario::expect::raw;
use crate::scenario::node::Node;
use crate::scenario::read::Spanned;
use crate::scenario::references::References;
use crate::scenario::report::{at_most_one, given_entries, require_one_of};
use crate::scenario::scalars::{NonBlank, distinct_operations};

pub(super) fn validate(
    findings: &mut Findings,
    references: &References,
    raw: &raw::Expectation,
    node: &Node,
) -> Option<After> {
    let after = raw.after.as_ref()?;
    let answer = answer(findings, references, &after.value, node.get("after")?);
    require_one_of(findings, node, "this expectation", &["wait", "retries", "grows"]);
    let (operations, routes) = given_entries(findings, "operation", after.value.operation.as_ref())
        .map(|listed| distinct_operations(findings, references, listed))
        .unwrap_or_default();
    Some(After {
        answer: answer?,
        operations: names(&operations).into_iter().chain(routes).collect(),
        scope: raw.of.map(|scope| match scope.value {
            raw::RetryScope::Request => RetryScope::Request,
            raw::RetryScope::Key => RetryScope::Key,
        }),
        wait: raw.wait.map(|wait| wait.value),
        retries: raw.retries.map(|retries| retries.value),
        grows: raw.grows.map(|grows| grows.value.0),
    })
}

fn answer(
    findings: &mut Findings,
    references: &References,
    after: &raw::AfterMap,
    node: &Node,
) -> Option<Answer> {
    let kinds = [
        ("error", after.error.map(|value| value.span)),
        ("status", after.status.map(|value| value.span)),
        ("fault", after.fault.as_ref().map(|value| value.span)),
    ];
    match at_most_one(findings, "`after` names one kind of answer", &kinds) {
        Some("error") => {
            let code = after.error?;
            let number = u32::try_from(code.value.0).ok()?;
            is_known_code(findings, references, number, code.span).then_some(Answer::Error(number))
        }
        Some("status") => u16::try_from(after.status?.value.0).ok().map(Answer::Status),
        Some(_) => {
            let Spanned { span, value: NonBlank(name) } = after.fault.as_ref()?;
            is_known_fault(findings, references, name, *span).then(|| Answer::Fault(name.clone()))
        }
        None => {
            require_one_of(findings, node, "`after`", &["error", "status", "fault"]);
            None
        }
    }
}
