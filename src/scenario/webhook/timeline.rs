//! Validates the timeline: events that are emitted automatically.

use serde_json::{Map, Value};

use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::node::Node;
use crate::scenario::read::Spanned;
use crate::scenario::references::{References, check_accounts};
use crate::scenario::report::{at_most_one, stray_key};
use crate::scenario::webhook::{event, raw};
use crate::webhook::settings::{Emission, TimelineEntry, When};

/// Validates an entry; `node` is the tree that `raw` was read from.
pub(crate) fn validate(
    findings: &mut Findings,
    references: &References,
    raw: &Spanned<raw::TimelineEntry>,
    node: &Node,
) -> Option<TimelineEntry> {
    let entry = &raw.value;
    let when = when(findings, entry, node);
    let name = entry.event.as_ref().and_then(|name| event::validate(findings, references, name));
    let business = entry
        .business
        .and_then(|number| check_accounts(findings, references, &OneOrMany(vec![number])).pop());
    if node.get("business").is_none() && matches!(when, Some(When::At(_) | When::Every { .. })) {
        findings
            .error("missing-key", raw.span, "a timeline entry needs `business`")
            .label("`business` is missing")
            .help("it can be left out only with `after`, where it is the account of the call");
    }
    let data = entry.data.as_ref().and_then(|data| members(findings, data));
    let event = Emission {
        event: name?,
        business,
        conversation: entry.conversation.as_ref().map(|name| name.value.0.clone()),
        text: entry.text.as_ref().map(|text| text.value.0.clone()),
        data,
    };
    Some(TimelineEntry { when: when?, event })
}

fn members(findings: &mut Findings, data: &Spanned<Node>) -> Option<Map<String, Value>> {
    if let Value::Object(members) = data.value.to_json() {
        return Some(members);
    }
    findings
        .error("wrong-kind", data.span, "`data` must be a map")
        .label(format!("this is {}", data.value.kind()));
    None
}

fn when(findings: &mut Findings, entry: &raw::TimelineEntry, node: &Node) -> Option<When> {
    let given = [
        ("at", entry.at.map(|at| at.span)),
        ("every", entry.every.map(|every| every.span)),
        ("after", entry.after.map(|after| after.span)),
    ];
    if let (Some(times), None) = (entry.times, node.get("every")) {
        stray_key(findings, times.span, ("times", "`every`"));
    }
    match at_most_one(findings, "an entry has only one trigger", &given) {
        Some("at") => entry.at.map(|at| When::At(at.value)),
        Some("after") => entry.after.map(|after| When::After(after.value.operation)),
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
