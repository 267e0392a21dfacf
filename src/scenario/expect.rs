//! Validates expectations.

use crate::api::error::Code;
use crate::api::operation::Operation;
use crate::expect::expectation::{
    After, Answer, Contacts, Deliveries, Expectation, Requests, Requirement, RetryScope, Wait,
};
use crate::operations;
use crate::operations::spec::Spec;
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::fault::{condition, fields};
use crate::scenario::node::Node;
use crate::scenario::raw_expect as raw;
use crate::scenario::read::{Read, Spanned};
use crate::scenario::references::{References, check_accounts, unknown_code};
use crate::scenario::report::{at_most_one, given_entries, require_one_of, stray_key, unknown_reference};
use crate::scenario::scalars::{NonBlank, distinct_operations};
use crate::scenario::validate::Unique;
use crate::scenario::{fault, webhook};

/// Maximum number of expectations.
const MAX_EXPECTATIONS: usize = 2000;

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
    let raw = raw::Expectation::read(findings, node)?;
    let requirement = requirement(findings, references, &raw, node);
    let expectation = Expectation { name: raw.name?.value.0, requirement: requirement? };
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
        ("contacts", raw.contacts.as_ref().map(|value| value.span)),
        ("requests", raw.requests.as_ref().map(|value| value.span)),
        ("deliveries", raw.deliveries.as_ref().map(|value| value.span)),
    ];
    let kind = at_most_one(findings, "an expectation is about one thing", &kinds);
    require_one_of(findings, node, "an expectation", &kinds.map(|(key, _)| key));
    report_stray_keys(findings, raw, kind?);
    match kind? {
        "after" => after(findings, references, raw, node).map(Requirement::After),
        "contacts" => contacts(findings, references, raw).map(Requirement::Contacts),
        "requests" => requests(findings, references, raw, node).map(Requirement::Requests),
        _ => deliveries(findings, references, raw, node).map(Requirement::Deliveries),
    }
}

/// Reports keys that are not allowed with this kind of expectation.
fn report_stray_keys(findings: &mut Findings, raw: &raw::Expectation, kind: &str) {
    for (key, span, allowed_with) in [
        ("of", raw.of.map(|value| value.span), &["after"][..]),
        ("wait", raw.wait.map(|value| value.span), &["after"]),
        ("retries", raw.retries.map(|value| value.span), &["after"]),
        ("count", raw.count.map(|value| value.span), &["requests", "deliveries"]),
        ("acknowledged", raw.acknowledged.map(|value| value.span), &["deliveries"]),
        ("within", raw.within.map(|value| value.span), &["deliveries"]),
    ] {
        let Some(span) = span.filter(|_| !allowed_with.contains(&kind)) else { continue };
        stray_key(findings, span, (key, &join_or(allowed_with.iter().copied())));
        if (key, kind) == ("count", "contacts") {
            findings.help_last("write it inside of `contacts`: `contacts: {email: …, count: 1}`");
        }
    }
}

fn after(
    findings: &mut Findings,
    references: &References,
    raw: &raw::Expectation,
    node: &Node,
) -> Option<After> {
    let after = raw.after.as_ref()?;
    let answer = answer(findings, references, &after.value, node.get("after")?);
    require_one_of(findings, node, "this expectation", &["wait", "retries"]);
    let operations = given_entries(findings, "operation", after.value.operation.as_ref())
        .map_or_else(Vec::new, distinct_operations);
    Some(After {
        answer: answer?,
        operations: names(&operations),
        scope: raw.of.map(|scope| match scope.value {
            raw::RetryScope::Request => RetryScope::Request,
            raw::RetryScope::Key => RetryScope::Key,
        }),
        wait: raw.wait.map(|wait| match wait.value {
            raw::Wait::RetryAfter => Wait::RetryAfter,
            raw::Wait::AtLeast(duration) => Wait::AtLeast(duration),
        }),
        retries: raw.retries.map(|retries| retries.value),
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
            if Code::numbered(number).is_none() && !references.custom_codes.contains(&number) {
                unknown_code(findings, number, code.span, "");
                return None;
            }
            Some(Answer::Error(number))
        }
        Some("status") => u16::try_from(after.status?.value.0).ok().map(Answer::Status),
        Some(_) => {
            let Spanned { span, value: NonBlank(name) } = after.fault.as_ref()?;
            if !references.faults.contains(name) {
                let faults = references.faults.iter().map(String::as_str);
                unknown_reference(findings, *span, ("fault", name), faults);
                return None;
            }
            Some(Answer::Fault(name.clone()))
        }
        None => {
            require_one_of(findings, node, "`after`", &["error", "status", "fault"]);
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
    let requests = &raw.requests.as_ref()?.value;
    let operations = given_entries(findings, "operation", requests.operation.as_ref())
        .map_or_else(Vec::new, distinct_operations);
    let when = requests.when();
    let condition = condition::validate(findings, references, &when);
    let matching = if operations.is_empty() { &operations::ALL[..] } else { &operations };
    fields::check(findings, references, (&when, &condition), matching);
    require_one_of(findings, node, "this expectation", &["count"]);
    Some(Requests { operations: names(&operations), condition, count: raw.count?.value })
}

fn names(specs: &[&'static Spec]) -> Vec<Operation> {
    specs.iter().map(|spec| spec.operation).collect()
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
    use super::*;
    use crate::expect::expectation::CountRange;
    use crate::scenario::references::fixtures::validate_yaml;

    #[test]
    fn every_kind_of_expectation_is_read() {
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
    fn an_expectation_has_one_subject_and_a_requirement() {
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
