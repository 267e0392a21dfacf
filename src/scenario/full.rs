//! Maps with keys of the author's choice whose members must all have a value, and words out of a set that code knows.

use serde_json::{Map, Value as Json, json};

use crate::api::operation::Operation;
use crate::scenario::node::{Entry, Node};
use crate::scenario::problem::Findings;
use crate::scenario::read::{Member, OneOrMany, Read, must_be, word};
use crate::scenario::source::Span;

/// A map with keys of the author's choice. Unlike in a `Dictionary`, an empty member is an error: left out in silence it
/// would make a condition wider.
#[derive(Clone, Debug)]
pub struct Full<T>(pub Vec<Member<T>>);

impl<T> Default for Full<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Read> Read for Full<T> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(entries) = node.entries() else {
            must_be(findings, node, "a map");
            return None;
        };
        let mut members = Vec::with_capacity(entries.len());
        for Entry { key, key_span, value } in entries {
            if value.is_null() {
                findings
                    .error("empty-entry", *key_span, format!("`{key}` has no value"))
                    .help("write `\"\"` where empty text is meant");
            } else if let Some(read) = T::read(findings, value) {
                let (key, key_span) = (key.to_string(), *key_span);
                members.push(Member { key_span, key, span: value.span, value: read });
            }
        }
        Some(Self(members))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "type": "object", "additionalProperties": T::schema(definitions) })
    }
}

impl Read for Operation {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        Self::named(word(findings, node, &Self::ALL.map(Self::name))?)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "enum": Self::ALL.map(Self::name) })
    }
}

/// The operations given, each once, in the order of `Operation::ALL`.
#[must_use]
pub fn operations(given: &OneOrMany<Operation>) -> Vec<Operation> {
    let has = |operation: &Operation| given.0.iter().any(|given| given.value == *operation);
    Operation::ALL.into_iter().filter(has).collect()
}

/// Notes a list that has no entries where none would mean nothing; whether it has some.
pub fn filled<T>(findings: &mut Findings, (key, list): (&str, &OneOrMany<T>), span: Span) -> bool {
    if list.0.is_empty() {
        findings
            .error("empty-list", span, format!("`{key}` lists nothing"))
            .help(format!("leave `{key}` out where all are meant"));
    }
    !list.0.is_empty()
}

/// Notes a key that needs another beside it.
pub fn stray(findings: &mut Findings, span: Span, (key, with): (&str, &str)) {
    findings.error("stray-key", span, format!("`{key}` goes with {with}, which is not here"));
}

/// Notes keys of which only one can be there: each given one beyond the first. The first one given.
pub fn only_one(
    findings: &mut Findings,
    message: &str,
    given: &[(&'static str, Option<Span>)],
) -> Option<&'static str> {
    let mut there = given.iter().filter_map(|(key, span)| Some((*key, (*span)?)));
    let (first, at) = there.next()?;
    for (key, span) in there {
        findings
            .error("mixed-entry", span, format!("`{first}` and `{key}` do not go together: {message}"))
            .label(format!("`{key}`"))
            .also(at, format!("`{first}`"));
    }
    Some(first)
}
