//! Validates expectations.

/// The raw form of expectations.
pub(crate) mod raw;
/// How the client continues after an answer.
mod after;
/// Conditions on calls.
mod calls;
/// Stored contacts and subscriptions.
mod stored;

use crate::expect::expectation::{Deliveries, Expectation, Requests, Requirement, Stored, StoredKind};
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::node::Node;
use crate::scenario::read::Read;
use crate::scenario::references::{References, check_accounts};
use crate::scenario::report::{at_most_one, given_entries, require_one_of, stray_key};
use crate::scenario::validate::Unique;
use crate::scenario::{fault, webhook};

/// Maximum number of expectations.
pub(crate) const MAX_EXPECTATIONS: usize = 2000;

/// Validates the expectations of a scenario. Expectations with an error are left out.
pub(crate) fn validate(
    findings: &mut Findings,
    references: &References,
    nodes: &[&Node],
) -> Vec<Expectation> {
    if fault::too_many(findings, ("expect", MAX_EXPECTATIONS), nodes) {
        return Vec::new();
    }
    let mut names = Unique::new("duplicate-name", "expectation");
    let mut expectations = Vec::with_capacity(nodes.len());
    for node in nodes {
        fault::unique_name(findings, &mut names, node);
        expectations.extend(validate_one(findings, references, node));
    }
    expectations
}

fn validate_one(findings: &mut Findings, references: &References, node: &Node) -> Option<Expectation> {
    let errors_before = findings.errors();
    if fault::is_too_long(findings, Some(node)) {
        return None;
    }
    let raw = raw::Expectation::read(findings, node)?;
    let requirement = requirement(findings, references, &raw, node);
    let name = raw.name?;
    if name.value.0.chars().any(char::is_control) {
        findings.error("wrong-value", name.span, "`name` must be one line, without control characters");
    }
    let expectation = Expectation { name: name.value.0, requirement: requirement? };
    (findings.errors() == errors_before).then_some(expectation)
}

fn requirement(
    findings: &mut Findings,
    references: &References,
    raw: &raw::Expectation,
    node: &Node,
) -> Option<Requirement> {
    let kinds = [
        ("after", raw.after.as_ref().map(|value| value.span)),
        ("requests", raw.requests.as_ref().map(|value| value.span)),
        ("order", raw.order.as_ref().map(|value| value.span)),
        ("pages", raw.pages.as_ref().map(|value| value.span)),
        ("contacts", raw.contacts.as_ref().map(|value| value.span)),
        ("subscriptions", raw.subscriptions.as_ref().map(|value| value.span)),
        ("deliveries", raw.deliveries.as_ref().map(|value| value.span)),
    ];
    let kind = at_most_one(findings, "an expectation is about one thing", &kinds);
    require_one_of(findings, node, "an expectation", &kinds.map(|(key, _)| key));
    report_stray_keys(findings, raw, kind?);
    match kind? {
        "after" => after::validate(findings, references, raw, node).map(Requirement::After),
        "requests" => requests(findings, references, raw, node).map(Requirement::Requests),
        "order" => {
            let steps = &raw.order.as_ref()?.value.0;
            let steps = steps.iter().map(|step| calls::validate(findings, references, &step.value));
            Some(Requirement::Order(steps.collect()))
        }
        "pages" => {
            Some(Requirement::Pages(calls::validate_pages(findings, references, &raw.pages.as_ref()?.value)))
        }
        "contacts" => contacts(findings, references, raw, node).map(Requirement::Stored),
        "subscriptions" => subscriptions(findings, references, raw, node).map(Requirement::Stored),
        _ => deliveries(findings, references, raw, node).map(Requirement::Deliveries),
    }
}

/// Reports keys that are not allowed with this kind of expectation.
fn report_stray_keys(findings: &mut Findings, raw: &raw::Expectation, kind: &str) {
    let counted = ["requests", "contacts", "subscriptions", "deliveries"];
    for (key, span, allowed_with) in [
        ("of", raw.of.map(|value| value.span), &["after"][..]),
        ("wait", raw.wait.map(|value| value.span), &["after"]),
        ("retries", raw.retries.map(|value| value.span), &["after"]),
        ("grows", raw.grows.map(|value| value.span), &["after"]),
        ("count", raw.count.map(|value| value.span), &counted),
        ("acknowledged", raw.acknowledged.map(|value| value.span), &["deliveries"]),
        ("within", raw.within.map(|value| value.span), &["deliveries"]),
    ] {
        let Some(span) = span.filter(|_| !allowed_with.contains(&kind)) else { continue };
        stray_key(findings, span, (key, &join_or(allowed_with.iter().copied())));
    }
}

fn requests(
    findings: &mut Findings,
    references: &References,
    raw: &raw::Expectation,
    node: &Node,
) -> Option<Requests> {
    let calls = calls::validate(findings, references, &raw.requests.as_ref()?.value);
    require_one_of(findings, node, "this expectation", &["count"]);
    Some(Requests { calls, count: raw.count?.value })
}

fn contacts(
    findings: &mut Findings,
    references: &References,
    raw: &raw::Expectation,
    node: &Node,
) -> Option<Stored> {
    let contacts = &raw.contacts.as_ref()?.value;
    let count = stored::count(findings, ("contacts", node), contacts.count, raw.count);
    let businesses = stored::businesses(findings, references, contacts.business);
    Some(Stored {
        kind: StoredKind::Contact,
        members: stored::contact(findings, contacts),
        businesses: businesses?,
        count: count?,
    })
}

fn subscriptions(
    findings: &mut Findings,
    references: &References,
    raw: &raw::Expectation,
    node: &Node,
) -> Option<Stored> {
    let subscriptions = &raw.subscriptions.as_ref()?.value;
    let count = stored::count(findings, ("subscriptions", node), subscriptions.count, raw.count);
    let members = stored::subscription(findings, references, subscriptions);
    let businesses = stored::businesses(findings, references, subscriptions.business);
    Some(Stored { kind: StoredKind::Subscription, members, businesses: businesses?, count: count? })
}

fn deliveries(
    findings: &mut Findings,
    references: &References,
    raw: &raw::Expectation,
    node: &Node,
) -> Option<Deliveries> {
    let deliveries = &raw.deliveries.as_ref()?.value;
    let events = given_entries(findings, "event", deliveries.event.as_ref());
    let events =
        events.map_or_else(Vec::new, |names| webhook::event::validate_all(findings, references, names));
    let businesses = given_entries(findings, "business", deliveries.business.as_ref());
    let businesses =
        businesses.map_or_else(Vec::new, |numbers| check_accounts(findings, references, numbers));
    require_one_of(findings, node, "this expectation", &["count", "acknowledged"]);
    if let (Some(within), None) = (raw.within, node.get("acknowledged")) {
        stray_key(findings, within.span, ("within", "`acknowledged`"));
    }
    Some(Deliveries {
        events,
        businesses,
        count: raw.count.map(|count| count.value),
        acknowledged: raw.acknowledged.map(|share| share.value.0),
        within: raw.within.map(|within| within.value),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::expect::expectation::{After, Answer, CallPattern, CountRange, RetryScope, StoredValue, Wait};
    use crate::operations;
    use crate::scenario::references::fixtures::validate_yaml;

    /// The requirement of the only expectation, which must have no finding.
    fn read(text: &str) -> Requirement {
        let (mut expectations, codes) = validate_yaml(&format!("[{{name: a, {text}}}]"), validate);
        assert_eq!(codes, [""; 0], "{text}");
        expectations.pop().unwrap().requirement
    }

    const fn range(min: u64, max: Option<u64>) -> CountRange {
        CountRange { min, max }
    }

    #[test]
    fn what_follows_an_answer_is_read() {
        let second = Duration::from_secs;
        let base = After {
            answer: Answer::Error(89),
            operations: vec![],
            scope: None,
            wait: None,
            retries: None,
            grows: None,
        };
        assert_eq!(
            read("after: {error: 89}, wait: retry-after"),
            Requirement::After(After { wait: Some(Wait::RetryAfter), ..base.clone() })
        );
        assert_eq!(
            read("after: {error: 1161}, retries: 0"),
            Requirement::After(After {
                answer: Answer::Error(1161),
                retries: Some(range(0, Some(0))),
                ..base.clone()
            })
        );
        assert_eq!(
            read("after: {fault: slow, operation: qna}, of: key, wait: 2s, retries: 1-3"),
            Requirement::After(After {
                answer: Answer::Fault("slow".to_owned()),
                operations: vec![operations::qna::SPEC.operation],
                scope: Some(RetryScope::Key),
                wait: Some(Wait::AtLeast(second(2))),
                retries: Some(range(1, Some(3))),
                grows: None,
            })
        );
        assert_eq!(
            read("after: {status: 503}, wait: 1s - 5s, grows: 1.5"),
            Requirement::After(After {
                answer: Answer::Status(503),
                wait: Some(Wait::Between(second(1), second(5))),
                grows: Some(150),
                ..base
            })
        );
    }

    #[test]
    fn conditions_on_calls_are_read() {
        let calls = CallPattern {
            operations: vec![operations::reviews::SPEC.operation],
            statuses: vec![429, 503],
            codes: vec![89],
            faults: vec!["slow".to_owned()],
            ..CallPattern::default()
        };
        assert_eq!(
            read("requests: {operation: reviews, status: [429, 503], code: 89, fault: slow}, count: 4-"),
            Requirement::Requests(Requests { calls, count: range(4, None) })
        );
        let Requirement::Order(steps) =
            read("order: [{operation: contact}, {operation: subscribe, key: demo}]")
        else {
            panic!("no order");
        };
        assert_eq!(steps[0].operations, [operations::contact::SPEC.operation]);
        assert_eq!(steps[1].condition.keys, ["demo-key"]);
        let Requirement::Pages(list) = read("pages: {business: 100}") else { panic!("no pages") };
        assert_eq!(list.operations.len(), 3, "all that answer pages");
        assert_eq!(list.condition.businesses, [100]);
    }

    #[test]
    fn what_is_stored_is_read_with_its_count_beside_it_or_within_it() {
        let is = |value| vec![StoredValue::Is(value)];
        let stored = Stored {
            kind: StoredKind::Contact,
            members: vec![("email", is(json!("michael@example.test")))],
            businesses: vec![],
            count: range(1, Some(1)),
        };
        for text in [
            "contacts: {email: michael@example.test, count: 1}",
            "contacts: {email: michael@example.test}, count: 1",
        ] {
            assert_eq!(read(text), Requirement::Stored(stored.clone()), "{text}");
        }
        let Requirement::Stored(stored) =
            read("contacts: {business: 100, externalId: 00123, id: [1, 2], blocked: false}, count: 0")
        else {
            panic!("no contacts");
        };
        assert_eq!(stored.businesses, [100, 1001]);
        let ids = vec![StoredValue::Is(json!(1)), StoredValue::Is(json!(2))];
        assert_eq!(
            stored.members,
            [("id", ids), ("blocked", is(json!(false))), ("externalId", is(json!("00123")))]
        );
        let Requirement::Stored(stored) = read("subscriptions: {events: post.published}, count: 1") else {
            panic!("no subscriptions");
        };
        assert_eq!(stored.members, [("events", is(json!("post.published")))]);
    }

    #[test]
    fn deliveries_are_read() {
        assert!(matches!(
            read("deliveries: {event: message.added}, acknowledged: 100%, within: 2s"),
            Requirement::Deliveries(Deliveries { acknowledged: Some(1_000_000), within: Some(_), .. })
        ));
    }

    #[test]
    fn an_expectation_has_one_subject_and_a_requirement() {
        for (text, code) in [
            ("[{name: a}]", "missing-key"),
            ("[{name: a, after: {error: 89}}]", "missing-key"),
            ("[{name: a, after: {error: 89}, wait: soon}]", "wrong-value"),
            ("[{name: a, after: {error: 89}, grows: 1}]", "wrong-value"),
            ("[{name: a, requests: {}, pages: {}, count: 1}]", "mixed-entry"),
            ("[{name: a, contacts: {count: 1}, count: 1}]", "mixed-entry"),
            ("[{name: a, contacts: {}}]", "missing-key"),
            ("[{name: a, contacts: {email: []}, count: 1}]", "empty-list"),
            ("[{name: a, order: [{operation: qna}]}]", "wrong-value"),
            ("[{name: a, pages: {operation: contact}}]", "unknown-value"),
            ("[{name: a, requests: {fault: quick}, count: 1}]", "unknown-reference"),
            ("[{name: a, requests: {code: 90}, count: 1}]", "unknown-code"),
            ("[{name: a, requests: {}, count: 1, within: 2s}]", "stray-key"),
        ] {
            let (expectations, codes) = validate_yaml(text, validate);
            assert!(expectations.is_empty(), "{text}");
            assert_eq!(codes, [code], "{text}");
        }
    }
}
