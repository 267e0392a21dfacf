//! Validates the timeline: events that are emitted and records that arrive automatically.

use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::happening::{self, Keys};
use crate::scenario::node::Node;
use crate::scenario::read::Spanned;
use crate::scenario::references::References;
use crate::scenario::report::{at_most_one, stray_key};
use crate::scenario::scalars::distinct_operations;
use crate::scenario::webhook::raw;
use crate::webhook::settings::{TimelineEntry, When};

/// Validates an entry; `node` is the tree that `raw` was read from.
pub(crate) fn validate(
    findings: &mut Findings,
    references: &References,
    raw: &Spanned<raw::TimelineEntry>,
    node: &Node,
) -> Option<TimelineEntry> {
    let entry = &raw.value;
    let when = when(findings, references, entry, node);
    let keys = Keys {
        review: entry.review.as_ref(),
        question: entry.question.as_ref(),
        response: entry.response.as_ref(),
        event: entry.event.as_ref(),
        business: entry.business,
        conversation: entry.conversation.as_ref(),
        text: entry.text.as_ref(),
        data: entry.data.as_ref(),
    };
    let what = happening::validate(findings, references, &keys, ("a timeline entry", node));
    let needs_business = !happening::has_record(node) && node.get("event").is_some();
    if needs_business
        && node.get("business").is_none()
        && matches!(when, Some(When::At(_) | When::Every { .. }))
    {
        findings
            .error("missing-key", raw.span, "a timeline entry needs `business`")
            .label("`business` is missing")
            .help("it can be left out only with `after`, where it is the account of the call");
    }
    Some(TimelineEntry { when: when?, what: what? })
}

fn when(
    findings: &mut Findings,
    references: &References,
    entry: &raw::TimelineEntry,
    node: &Node,
) -> Option<When> {
    let given = [
        ("at", entry.at.map(|at| at.span)),
        ("every", entry.every.map(|every| every.span)),
        ("after", entry.after.as_ref().map(|after| after.span)),
    ];
    if let (Some(times), None) = (entry.times, node.get("every")) {
        stray_key(findings, times.span, ("times", "`every`"));
    }
    match at_most_one(findings, "an entry has only one trigger", &given) {
        Some("at") => entry.at.map(|at| When::At(at.value)),
        Some("after") => {
            let after = entry.after.as_ref()?;
            let listed = OneOrMany(vec![after.clone()]);
            let (specs, routes) = distinct_operations(findings, references, &listed);
            specs.into_iter().map(|spec| spec.operation).chain(routes).next().map(When::After)
        }
        Some(_) => {
            let every = entry.every?;
            if every.value.is_zero() {
                findings.error("wrong-value", every.span, "`every` must be longer than zero");
                return None;
            }
            let times = entry.times.and_then(|times| u32::try_from(times.value.0).ok());
            Some(When::Every { span: every.value, times })
        }
        // A key with an invalid value has been reported already.
        None if given.iter().any(|(key, _)| node.get(key).is_some()) => None,
        None => {
            findings
                .error("missing-key", node.span, "a timeline entry needs `at`, `every` or `after`")
                .label("it does not say when")
                .help("for example `at: 2s`, `every: 30s` or `after: contact`");
            None
        }
    }
}
