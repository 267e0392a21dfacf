//! Validates event names: built-in events, events added by the scenario, and the alias.

use crate::api::events::{CLOSED_ALIAS, KNOWN};
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::node::Node;
use crate::scenario::read::Spanned;
use crate::scenario::references::References;
use crate::scenario::report::unknown_reference;
use crate::scenario::scalars::NonBlank;

/// The names of the events that a scenario adds, not yet validated.
pub(crate) fn names(webhooks: Option<&Node>) -> Vec<String> {
    let entries = webhooks.and_then(|node| node.get("events")).and_then(Node::entries).unwrap_or_default();
    entries.iter().map(|entry| entry.key.to_string()).collect()
}

/// Resolves an event name. Reports an unknown one.
pub(crate) fn validate(
    findings: &mut Findings,
    references: &References,
    name: &Spanned<NonBlank>,
) -> Option<String> {
    let word = name.value.0.as_str();
    if word == CLOSED_ALIAS.0 {
        return Some(CLOSED_ALIAS.1.to_owned());
    }
    let names = KNOWN.into_iter().chain(references.events.iter().map(String::as_str));
    if names.clone().any(|name| name == word) {
        return Some(word.to_owned());
    }
    unknown_reference(findings, name.span, ("event", word), names);
    None
}

/// Resolves a list of event names. Each event is returned once.
pub(crate) fn validate_all(
    findings: &mut Findings,
    references: &References,
    names: &OneOrMany<NonBlank>,
) -> Vec<String> {
    let mut events = Vec::new();
    for name in &names.0 {
        if let Some(event) = validate(findings, references, name).filter(|event| !events.contains(event)) {
            events.push(event);
        }
    }
    events
}
