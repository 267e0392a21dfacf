//! Validates API errors and plain statuses.

use std::time::Duration;

use crate::api::error::{Code, Row};
use crate::fault::error::{Answer, Error};
use crate::fault::status::Content;
use crate::operations::ALL;
use crate::operations::spec::Spec;
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::fault::raw::{ErrorMap, FinalStatus, Then};
use crate::scenario::node::Node;
use crate::scenario::read::Spanned;
use crate::scenario::references::unknown_code;
use crate::scenario::report::{at_most_one, stray_key};
use crate::scenario::source::Span;

/// Validates the API error that `then` injects.
pub(crate) fn validate(
    findings: &mut Findings,
    error: &ErrorMap,
    retry_after: Option<&Spanned<Duration>>,
    operations: &[&'static Spec],
) -> Option<Error> {
    let code = error.code.as_ref()?;
    let number = u32::try_from(code.value.0).ok()?;
    let message = error.message.as_ref().map(|message| message.value.0.clone());
    let status = error.status.as_ref().and_then(|given| status_with_body(findings, given));
    let answer = if let Some(row) = Code::numbered(number) {
        warn_if_never_answered(findings, row, code.span, operations);
        Answer::Catalogue { code: row.code, status, message }
    } else if let (Some(status), Some(message)) = (status, message) {
        let warning = format!("no operation ever answers {number}: the API has no such error");
        findings.warning("never-answered", code.span, warning).help("it is injected anyway");
        Answer::Custom { number, status, message }
    } else {
        // An invalid status or message has been reported already.
        if error.status.is_none() || error.message.is_none() {
            unknown_code(findings, number, code.span, ", or `{code, status, message}` for a custom error");
        }
        return None;
    };
    let retry_after = match retry_after {
        Some(span) => Some(seconds(findings, span)?),
        None => None,
    };
    Some(Error { answer, retry_after })
}

fn seconds(findings: &mut Findings, span: &Spanned<Duration>) -> Option<u64> {
    let whole = span.value.subsec_nanos() == 0;
    if !whole {
        findings
            .error("wrong-value", span.span, "`retry_after` must be whole seconds")
            .help("the `retry-after` header cannot hold fractions of a second");
    }
    whole.then_some(span.value.as_secs())
}

fn warn_if_never_answered(findings: &mut Findings, row: &Row, span: Span, operations: &[&'static Spec]) {
    let names = |specs: &[&'static Spec], answers: bool| {
        let specs = specs.iter().filter(|spec| spec.codes().contains(&row.code) == answers);
        specs.map(|spec| spec.operation.name()).collect::<Vec<_>>()
    };
    let not = names(operations, false);
    if not.is_empty() {
        return;
    }
    findings
        .warning("never-answered", span, format!("{} is never answered by {}", row.number, join_or(not)))
        .label(row.message)
        .help(format!("only {} can answer it; it is injected anyway", join_or(names(&ALL, true))));
}

/// Checks that a response with this status can have a body.
pub(crate) fn status_with_body(findings: &mut Findings, status: &Spanned<FinalStatus>) -> Option<u16> {
    let number = u16::try_from(status.value.0).ok()?;
    if matches!(number, 204 | 205 | 304) {
        findings.error("wrong-value", status.span, format!("a response with status {number} has no body"));
        return None;
    }
    Some(number)
}

/// The body that goes with a plain status; `node` is the map that holds both.
pub(crate) fn content(findings: &mut Findings, then: &Then, node: &Node) -> Content {
    // `json: null` is a body too, but the raw value does not distinguish it from an absent one.
    let entry = node.entries().and_then(|entries| entries.iter().find(|entry| &*entry.key == "json"));
    let json = entry.map(|entry| entry.value.span);
    let text = then.text.as_ref().map(|text| text.span);
    at_most_one(findings, "a response has only one body", &[("json", json), ("text", text)]);
    match (entry, &then.text) {
        (Some(entry), _) => Content::Json(entry.value.to_json()),
        (None, Some(text)) => Content::Text(text.value.0.clone()),
        (None, None) => Content::Empty,
    }
}

/// Reports keys of `then` that are given without the key they belong to.
pub(crate) fn check_stray_keys(findings: &mut Findings, then: &Then) {
    if let (Some(value), None) = (&then.retry_after, &then.error) {
        stray_key(findings, value.span, ("retry_after", "`error`"));
        if then.status.is_some() {
            findings.help_last("with `status`, use `headers: {set: {retry-after: \"30\"}}`");
        }
    }
    if then.status.is_none() {
        for (key, span) in
            [("json", then.json.as_ref().map(|v| v.span)), ("text", then.text.as_ref().map(|v| v.span))]
        {
            if let Some(span) = span {
                stray_key(findings, span, (key, "`status`"));
            }
        }
    }
}
