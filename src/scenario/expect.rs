//! Expectations, from their text.

use crate::api::error::Code;
use crate::api::operation::Operation;
use crate::expect::expectation::{
    After, Answer, Contacts, Deliveries, Expectation, Requests, Requirement, RetryScope, Wait,
};
use crate::operations::spec::Spec;
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::fault::{condition, fields};
use crate::scenario::node::Node;
use crate::scenario::raw_expect::{self as raw, WaitSpec};
use crate::scenario::read::{Read, Spanned};
use crate::scenario::references::{References, check_accounts, unknown_code};
use crate::scenario::report::unknown_reference;
use crate::scenario::report::{at_most_one, require_entries, stray_key};
use crate::scenario::scalars::distinct_operations;
use crate::scenario::source::Span;
use crate::scenario::validate::Unique;
use crate::scenario::{fault, webhook};

/// The expectations of a scenario, those left out that have an error. `known` has the names of its faults and events.
pub fn validate(findings: &mut Findings, references: &References, nodes: &[&Node]) -> Vec<Expectation> {
    let mut names = Unique::new("duplicate-name", "expectation");
    let mut expectations = Vec::with_capacity(nodes.len());
    for node in nodes {
        fault::unique_name(findings, &mut names, node);
        expectations.extend(one(findings, references, node));
    }
    expectations
}

/// One expectation by itself, as the admin side gets it; nothing where it has an error.
pub fn one(findings: &mut Findings, references: &References, node: &Node) -> Option<Expectation> {
    let before = findings.errors();
    let raw = raw::Expectation::read(findings, node)?;
    let requirement = requirement(findings, references, &raw, node);
    let expectation = Expectation { name: raw.name?.value.0, requirement: requirement? };
    (findings.errors() == before).then_some(expectation)
}

fn requirement(
    findings: &mut Findings,
    references: &References,
    raw: &raw::Expectation,
    node: &Node,
) -> Option<Requirement> {
    let kinds = [
        ("after", raw.after.as_ref().map(|value| value.span)),
        ("contacts", raw.contacts.as_ref().map(|value| value.span)),
        ("requests", raw.requests.as_ref().map(|value| value.span)),
        ("deliveries", raw.deliveries.as_ref().map(|value| value.span)),
    ];
    let kind = at_most_one(findings, "an expectation is about one thing", &kinds);
    needs_one(findings, node, "an expectation", &kinds.map(|(key, _)| key));
    strays(findings, raw, kind?);
    match kind? {
        "after" => after(findings, references, raw, node).map(Requirement::After),
        "contacts" => contacts(findings, references, raw).map(Requirement::Contacts),
        "requests" => requests(findings, references, raw, node).map(Requirement::Requests),
        _ => deliveries(findings, references, raw, node).map(Requirement::Deliveries),
    }
}

fn strays(findings: &mut Findings, raw: &raw::Expectation, kind: &str) {
    let span = |given: Option<Span>, goes: &[&str]| given.filter(|_| !goes.contains(&kind));
    for (key, span, with) in [
        ("of", span(raw.of.map(|value| value.span), &["after"]), "`after`"),
        ("wait", span(raw.wait.map(|value| value.span), &["after"]), "`after`"),
        ("retries", span(raw.retries.map(|value| value.span), &["after"]), "`after`"),
        (
            "count",
            span(raw.count.map(|value| value.span), &["requests", "deliveries"]),
            "`requests` or `deliveries`",
        ),
        ("acknowledged", span(raw.acknowledged.map(|value| value.span), &["deliveries"]), "`deliveries`"),
        ("within", span(raw.within.map(|value| value.span), &["deliveries"]), "`deliveries`"),
    ] {
        if let Some(span) = span {
            stray_key(findings, span, (key, with));
            if (key, kind) == ("count", "contacts") {
                findings.help_last("that of contacts stands within: `contacts: {email: …, count: 1}`");
            }
        }
    }
}

/// Notes that none of these keys is there; what is there and wrong is told already.
fn needs_one(findings: &mut Findings, node: &Node, what: &str, keys: &[&str]) {
    if keys.iter().all(|key| node.get(key).is_none()) {
        let message = format!("{what} needs {}", join_or(keys.iter().copied()));
        findings.error("missing-key", node.span, message).label("it does not say what is expected");
    }
}

fn after(
    findings: &mut Findings,
    references: &References,
    raw: &raw::Expectation,
    node: &Node,
) -> Option<After> {
    let given = raw.after.as_ref()?;
    let answer = answer(findings, references, given, node.get("after")?);
    needs_one(findings, node, "this expectation", &["wait", "retries"]);
    let operations = match &given.value.operation {
        Some(list) if require_entries(findings, ("operation", &list.value), list.span) => {
            distinct_operations(&list.value)
        }
        Some(_) | None => Vec::new(),
    };
    Some(After {
        answer: answer?,
        operations: names(operations),
        scope: raw.of.map(|of| match of.value {
            raw::OfWord::Request => RetryScope::Request,
            raw::OfWord::Key => RetryScope::Key,
        }),
        wait: raw.wait.map(|wait| match wait.value {
            WaitSpec::RetryAfter => Wait::RetryAfter,
            WaitSpec::Span(span) => Wait::AtLeast(span),
        }),
        retries: raw.retries.map(|retries| retries.value),
    })
}

fn answer(
    findings: &mut Findings,
    references: &References,
    given: &Spanned<raw::AfterMap>,
    node: &Node,
) -> Option<Answer> {
    let after = &given.value;
    let kinds = [
        ("error", after.error.map(|value| value.span)),
        ("status", after.status.map(|value| value.span)),
        ("fault", after.fault.as_ref().map(|value| value.span)),
    ];
    match at_most_one(findings, "`after` names one kind of answer", &kinds) {
        Some("error") => {
            let code = after.error?;
            let number = u32::try_from(code.value.0).ok()?;
            if Code::numbered(number).is_none() && !references.custom_codes.contains(&number) {
                unknown_code(findings, number, code.span, "");
                return None;
            }
            Some(Answer::Error(number))
        }
        Some("status") => u16::try_from(after.status?.value.0).ok().map(Answer::Status),
        Some(_) => {
            let fault = after.fault.as_ref()?;
            let name = fault.value.0.as_str();
            if !references.faults.iter().any(|known| known == name) {
                unknown_reference(
                    findings,
                    fault.span,
                    ("fault", name),
                    references.faults.iter().map(String::as_str),
                );
                return None;
            }
            Some(Answer::Fault(name.to_owned()))
        }
        None => {
            needs_one(findings, node, "`after`", &["error", "status", "fault"]);
            None
        }
    }
}

fn contacts(findings: &mut Findings, references: &References, raw: &raw::Expectation) -> Option<Contacts> {
    let contacts = &raw.contacts.as_ref()?.value;
    let business = match contacts.business {
        Some(number) => Some(check_accounts(findings, references, &OneOrMany(vec![number])).pop()?),
        None => None,
    };
    Some(Contacts {
        id: contacts.id.map(|id| id.value.0),
        external_id: contacts.external_id.as_ref().map(|id| id.value.0.clone()),
        email: contacts.email.as_ref().map(|email| email.value.0.clone()),
        phone: contacts.phone.as_ref().map(|phone| phone.value.0.clone()),
        business,
        count: contacts.count?.value,
    })
}

fn requests(
    findings: &mut Findings,
    references: &References,
    raw: &raw::Expectation,
    node: &Node,
) -> Option<Requests> {
    let given = raw.requests.as_ref()?;
    let operations = match &given.value.operation {
        Some(list) if require_entries(findings, ("operation", &list.value), list.span) => {
            distinct_operations(&list.value)
        }
        Some(_) | None => Vec::new(),
    };
    let when = given.value.when();
    let condition = condition::validate(findings, references, &when);
    let all = crate::operations::ALL;
    let asked = if operations.is_empty() { &all[..] } else { &operations };
    fields::check(findings, references, (&when, &condition), asked);
    needs_one(findings, node, "this expectation", &["count"]);
    Some(Requests { operations: names(operations), condition, count: raw.count?.value })
}

fn names(specs: Vec<&'static Spec>) -> Vec<Operation> {
    specs.into_iter().map(|spec| spec.operation).collect()
}

fn deliveries(
    findings: &mut Findings,
    references: &References,
    raw: &raw::Expectation,
    node: &Node,
) -> Option<Deliveries> {
    let given = &raw.deliveries.as_ref()?.value;
    let events = match &given.event {
        Some(names) if require_entries(findings, ("event", &names.value), names.span) => {
            webhook::event::validate_all(findings, references, &names.value)
        }
        Some(_) | None => Vec::new(),
    };
    let numbers = match &given.business {
        Some(list) if require_entries(findings, ("business", &list.value), list.span) => {
            check_accounts(findings, references, &list.value)
        }
        Some(_) | None => Vec::new(),
    };
    needs_one(findings, node, "this expectation", &["count", "acknowledged"]);
    if let (Some(within), None) = (raw.within, node.get("acknowledged")) {
        stray_key(findings, within.span, ("within", "`acknowledged`"));
    }
    Some(Deliveries {
        events,
        businesses: numbers,
        count: raw.count.map(|count| count.value),
        acknowledged: raw.acknowledged.map(|share| share.value.0),
        within: raw.within.map(|within| within.value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::expectation::CountRange;
    use crate::scenario::references::fixtures::validate_yaml;

    #[test]
    fn all_kinds_of_expectations_are_read() {
        let (expectations, codes) = validate_yaml(
            "- {name: backs off, after: {error: 89}, wait: retry-after}
- {name: gives up on a bad key, after: {error: 1161}, retries: 0}
- {name: is patient, after: {fault: slow, operation: qna}, of: key, wait: 2s, retries: 1-3}
- {name: no duplicate contacts, contacts: {email: michael@example.test, count: 1}}
- {name: pages through, requests: {operation: reviews, business: 100}, count: 4-}
- {name: acknowledges hooks, deliveries: {event: message.added}, acknowledged: 100%, within: 2s}",
            validate,
        );
        assert_eq!(codes, [""; 0]);
        let requirements: Vec<Requirement> =
            expectations.into_iter().map(|expectation| expectation.requirement).collect();
        let [first, second, third, fourth, fifth, sixth] = requirements.try_into().unwrap();
        assert!(matches!(
            first,
            Requirement::After(After {
                answer: Answer::Error(89),
                wait: Some(Wait::RetryAfter),
                scope: None,
                ..
            })
        ));
        let none = CountRange { min: 0, max: Some(0) };
        assert!(
            matches!(second, Requirement::After(After { retries: Some(amount), wait: None, .. }) if amount == none)
        );
        assert!(
            matches!(third, Requirement::After(After { answer: Answer::Fault(name), scope: Some(RetryScope::Key), .. }) if name == "slow")
        );
        assert!(matches!(
            fourth,
            Requirement::Contacts(Contacts { count: CountRange { min: 1, max: Some(1) }, .. })
        ));
        assert!(matches!(
            fifth,
            Requirement::Requests(Requests { count: CountRange { min: 4, max: None }, .. })
        ));
        assert!(matches!(
            sixth,
            Requirement::Deliveries(Deliveries { acknowledged: Some(1_000_000), within: Some(_), .. })
        ));
    }

    #[test]
    fn an_expectation_has_one_subject_and_a_demand() {
        for (text, code) in [
            ("[{name: a}]", "missing-key"),
            ("[{name: a, after: {error: 89}}]", "missing-key"),
            ("[{name: a, after: {error: 89}, wait: soon}]", "wrong-value"),
            ("[{name: a, contacts: {count: 1}, requests: {}}]", "mixed-entry"),
            ("[{name: a, requests: {}, count: 1, within: 2s}]", "stray-key"),
        ] {
            let (expectations, codes) = validate_yaml(text, validate);
            assert!(expectations.is_empty(), "{text}");
            assert_eq!(codes, [code], "{text}");
        }
    }
}
