//! Faults, from their text: what they refer to is there, their effect makes sense, and no two are in each other's way.

use std::fmt::Write;

use crate::api::operation::Operation;
use crate::fault::Fault;
use crate::fault::effect::Act;
use crate::fault::error::{Answer, Error};
use crate::scenario::fault::count::Often;
use crate::scenario::full::{filled, operations};
use crate::scenario::known::Known;
use crate::scenario::lower::Once;
use crate::scenario::node::{Node, Value};
use crate::scenario::problem::Findings;
use crate::scenario::read::Read;
use crate::scenario::source::Span;

/// The shapes of answers.
pub mod answers;
/// What becomes of the body.
pub mod body;
/// For which requests.
pub mod condition;
/// Which of them.
pub mod count;
/// Latency.
pub mod delay;
/// What the client sees.
pub mod effect;
/// Errors of the catalogue, plain statuses.
pub mod error;
/// What requests carry.
pub mod fields;
/// Headers.
pub mod headers;
/// JSON Patch.
pub mod patch;
/// The mirror of a fault.
pub mod raw;
/// Faults in another's shadow.
pub mod shadow;

/// The faults of a scenario, those left out that have an error.
pub fn lower(findings: &mut Findings, known: &Known, nodes: &[&Node]) -> Vec<Fault> {
    let mut names = Once::default();
    let mut faults: Vec<(Fault, Span)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let name = unique_name(findings, &mut names, "fault", node);
        if let Some(fault) = one(findings, known, node) {
            faults.push((fault, name.unwrap_or(node.span)));
        }
    }
    shadow::check(findings, &faults);
    faults.into_iter().map(|(fault, _)| fault).collect()
}

/// One fault by itself, as the admin side gets it; nothing where it has an error.
pub fn one(findings: &mut Findings, known: &Known, node: &Node) -> Option<Fault> {
    let before = findings.errors();
    let fault = lowered(findings, known, node);
    fault.filter(|_| findings.errors() == before)
}

/// The name of an entry of a list of named things, and its place.
#[must_use]
pub fn name(node: &Node) -> Option<(&str, Span)> {
    let name = node.get("name")?;
    Some((&name.scalar()?.text, name.span))
}

/// The place of such a name; one that is there twice is among the findings.
pub fn unique_name<'a>(
    findings: &mut Findings,
    names: &mut Once<&'a str>,
    what: &str,
    node: &'a Node,
) -> Option<Span> {
    let (name, span) = name(node)?;
    names.first(findings, name, span, ("duplicate-name", &format!("the {what} `{name}`")));
    Some(span)
}

/// The names of all entries.
#[must_use]
pub fn names(nodes: &[&Node]) -> Vec<String> {
    nodes.iter().filter_map(|node| name(node)).map(|(name, _)| name.to_owned()).collect()
}

/// Numbers of errors that the catalogue does not have.
#[must_use]
pub fn made_codes(faults: &[Fault]) -> Vec<u32> {
    let made = |fault: &Fault| match &fault.effect.act {
        Some(Act::Error(Error { answer: Answer::Made { number, .. }, .. })) => Some(*number),
        Some(Act::Error(_) | Act::Status(_) | Act::Connection(_) | Act::Body(_) | Act::Lost(_)) | None => {
            None
        }
    };
    faults.iter().filter_map(made).collect()
}

fn lowered(findings: &mut Findings, known: &Known, node: &Node) -> Option<Fault> {
    let raw = raw::Fault::read(findings, node)?;
    if let Some(name) = raw.name.as_ref().filter(|name| name.value.0.chars().any(char::is_control)) {
        findings.error("wrong-value", name.span, "`name` must be one line, without control characters");
    }
    let operations = match &raw.operation {
        Some(given) if filled(findings, ("operation", &given.value), given.span) => operations(&given.value),
        Some(_) | None => Operation::ALL.to_vec(),
    };
    let condition = raw.when.as_ref().map_or_else(Default::default, |when| {
        let condition = condition::lower(findings, known, &when.value);
        fields::check(findings, known, (&when.value, &condition), &operations);
        condition
    });
    let often = Often {
        per: count::per(raw.per.as_ref()),
        hits: &raw.hits,
        chance: &raw.chance,
        exactly: &raw.exactly,
    };
    let count = count::lower(findings, &often);
    count::frozen(findings, raw.during.as_ref(), known.frozen);
    let then = raw.then.as_ref().zip(node.get("then"));
    let effect = then.and_then(|(then, node)| effect::lower(findings, then, node, &operations));
    Some(Fault {
        name: raw.name?.value.0,
        operations,
        condition,
        count,
        during: raw.during.map(|during| during.value),
        enabled: raw.enabled.is_none_or(|enabled| enabled.value),
        on_request: raw.on_request.is_some_and(|on_request| on_request.value),
        effect: effect?,
        text: canonical(node),
    })
}

/// A value's text in canonical JSON: members sorted, what is null left out, a plain scalar typed only where its text is
/// just what JSON would write.
#[must_use]
pub fn canonical(node: &Node) -> String {
    let mut text = String::new();
    write(&mut text, node);
    text
}

fn write(out: &mut String, node: &Node) {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Scalar(scalar) => {
            let typed = scalar.to_json().to_string();
            out.push_str(&if scalar.plain && typed == *scalar.text { typed } else { quoted(&scalar.text) });
        }
        Value::List(list) => {
            out.push('[');
            for (at, element) in list.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write(out, element);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            let mut members: Vec<_> = entries.iter().collect();
            members.sort_by(|left, right| left.key.cmp(&right.key));
            out.push('{');
            for (at, member) in members.into_iter().enumerate() {
                let comma = if at == 0 { "" } else { "," };
                // Writing to a text cannot fail.
                let _ = write!(out, "{comma}{}:", quoted(&member.key));
                write(out, &member.value);
            }
            out.push('}');
        }
    }
}
