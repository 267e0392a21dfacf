//! Expectations, from their text.

use crate::api::refusal::Code;
use crate::expect::expectation::{
    After, Answer, Contacts, Deliveries, Demand, Expectation, Of, Requests, Wait,
};
use crate::scenario::fault::{condition, fields};
use crate::scenario::full::{filled, only_one, operations, stray};
use crate::scenario::known::{Known, accounts, unknown_code};
use crate::scenario::lower::Once;
use crate::scenario::node::Node;
use crate::scenario::problem::Findings;
use crate::scenario::raw_expect::{self as raw, WaitSpec};
use crate::scenario::read::{Marked, OneOrMany, Read, unknown_name};
use crate::scenario::source::Span;
use crate::scenario::{fault, webhook};

/// The expectations of a scenario, those left out that have an error. `known` has the names of its faults and events.
pub fn lower(findings: &mut Findings, known: &Known, nodes: &[&Node]) -> Vec<Expectation> {
    let mut names = Once::default();
    let mut expectations = Vec::with_capacity(nodes.len());
    for node in nodes {
        fault::unique_name(findings, &mut names, "expectation", node);
        expectations.extend(one(findings, known, node));
    }
    expectations
}

/// One expectation by itself, as the admin side gets it; nothing where it has an error.
pub fn one(findings: &mut Findings, known: &Known, node: &Node) -> Option<Expectation> {
    let before = findings.errors();
    let raw = raw::Expectation::read(findings, node)?;
    let demand = demand(findings, known, &raw, node);
    let expectation = Expectation { name: raw.name?.value.0, demand: demand? };
    (findings.errors() == before).then_some(expectation)
}

fn demand(findings: &mut Findings, known: &Known, raw: &raw::Expectation, node: &Node) -> Option<Demand> {
    let kinds = [
        ("after", raw.after.as_ref().map(|value| value.span)),
        ("contacts", raw.contacts.as_ref().map(|value| value.span)),
        ("requests", raw.requests.as_ref().map(|value| value.span)),
        ("deliveries", raw.deliveries.as_ref().map(|value| value.span)),
    ];
    let kind = only_one(findings, "an expectation is about one thing", &kinds);
    if kind.is_none() && kinds.iter().all(|(key, _)| node.get(key).is_none()) {
        findings
            .error(
                "missing-key",
                raw.span,
                "an expectation needs `after`, `contacts`, `requests` or `deliveries`",
            )
            .label("it does not say what of");
    }
    strays(findings, raw, kind?);
    match kind? {
        "after" => after(findings, known, raw).map(Demand::After),
        "contacts" => contacts(findings, known, raw).map(Demand::Contacts),
        "requests" => requests(findings, known, raw).map(Demand::Requests),
        _ => deliveries(findings, known, raw).map(Demand::Deliveries),
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
            stray(findings, span, (key, with));
            if (key, kind) == ("count", "contacts") {
                findings.help_last("that of contacts stands within: `contacts: {email: …, count: 1}`");
            }
        }
    }
}

/// Notes that nothing is demanded.
fn nothing(findings: &mut Findings, span: Span, needs: &str) {
    findings
        .error("missing-key", span, format!("this expectation needs {needs}"))
        .label("it does not say what is expected");
}

fn after(findings: &mut Findings, known: &Known, raw: &raw::Expectation) -> Option<After> {
    let given = raw.after.as_ref()?;
    let answer = answer(findings, known, given);
    if raw.wait.is_none() && raw.retries.is_none() {
        nothing(findings, raw.span, "`wait` or `retries`");
    }
    let operations = match &given.value.operation {
        Some(list) if filled(findings, ("operation", &list.value), list.span) => operations(&list.value),
        Some(_) | None => Vec::new(),
    };
    Some(After {
        answer: answer?,
        operations,
        of: raw.of.map(|of| match of.value {
            raw::OfWord::Request => Of::Request,
            raw::OfWord::Key => Of::Key,
        }),
        wait: raw.wait.map(|wait| match wait.value {
            WaitSpec::RetryAfter => Wait::RetryAfter,
            WaitSpec::Span(span) => Wait::AtLeast(span),
        }),
        retries: raw.retries.map(|retries| retries.value),
    })
}

fn answer(findings: &mut Findings, known: &Known, given: &Marked<raw::AfterMap>) -> Option<Answer> {
    let after = &given.value;
    let kinds = [
        ("error", after.error.map(|value| value.span)),
        ("status", after.status.map(|value| value.span)),
        ("fault", after.fault.as_ref().map(|value| value.span)),
    ];
    match only_one(findings, "`after` names one kind of answer", &kinds) {
        Some("error") => {
            let code = after.error?;
            let number = u32::try_from(code.value.0).ok()?;
            if Code::numbered(number).is_none() && !known.made_codes.contains(&number) {
                unknown_code(findings, number, code.span, "");
                return None;
            }
            Some(Answer::Error(number))
        }
        Some("status") => u16::try_from(after.status?.value.0).ok().map(Answer::Status),
        Some(_) => {
            let fault = after.fault.as_ref()?;
            let name = fault.value.0.as_str();
            if !known.faults.iter().any(|known| known == name) {
                unknown_name(findings, fault.span, ("fault", name), known.faults.iter().map(String::as_str));
                return None;
            }
            Some(Answer::Fault(name.to_owned()))
        }
        None => {
            findings
                .error("missing-key", given.span, "`after` needs `error`, `status` or `fault`")
                .help("for example `after: {error: 89}`");
            None
        }
    }
}

fn contacts(findings: &mut Findings, known: &Known, raw: &raw::Expectation) -> Option<Contacts> {
    let contacts = &raw.contacts.as_ref()?.value;
    let business = match contacts.business {
        Some(number) => Some(accounts(findings, known, &OneOrMany(vec![number])).pop()?),
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

fn requests(findings: &mut Findings, known: &Known, raw: &raw::Expectation) -> Option<Requests> {
    let given = raw.requests.as_ref()?;
    let operations = match &given.value.operation {
        Some(list) if filled(findings, ("operation", &list.value), list.span) => operations(&list.value),
        Some(_) | None => Vec::new(),
    };
    let when = given.value.when();
    let condition = condition::lower(findings, known, &when);
    let all = crate::api::operation::Operation::ALL;
    let asked = if operations.is_empty() { &all[..] } else { &operations };
    fields::check(findings, known, (&when, &condition), asked);
    if raw.count.is_none() {
        nothing(findings, raw.span, "`count`");
    }
    Some(Requests { operations, condition, count: raw.count?.value })
}

fn deliveries(findings: &mut Findings, known: &Known, raw: &raw::Expectation) -> Option<Deliveries> {
    let given = &raw.deliveries.as_ref()?.value;
    let events = match &given.event {
        Some(names) if filled(findings, ("event", &names.value), names.span) => {
            webhook::event::each(findings, known, &names.value)
        }
        Some(_) | None => Vec::new(),
    };
    let numbers = match &given.business {
        Some(list) if filled(findings, ("business", &list.value), list.span) => {
            accounts(findings, known, &list.value)
        }
        Some(_) | None => Vec::new(),
    };
    match (raw.count, raw.acknowledged, raw.within) {
        (None, None, None) => nothing(findings, raw.span, "`count` or `acknowledged`"),
        (_, None, Some(within)) => stray(findings, within.span, ("within", "`acknowledged`")),
        _ => {}
    }
    Some(Deliveries {
        events,
        businesses: numbers,
        count: raw.count.map(|count| count.value),
        acknowledged: raw.acknowledged.map(|share| share.value.0),
        within: raw.within.map(|within| within.value),
    })
}
