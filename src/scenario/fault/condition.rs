//! Validates `when`: the condition on a request.

use serde_json::{Map, Value as Json, json};

use crate::fault::condition::{Condition, Prefix};
use crate::fault::matching::Accept;
use crate::fault::pointer::{InvalidPointer, Pointer};
use crate::scenario::collections::{NonNullMap, OneOrMany};
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::headers;
use crate::scenario::fault::raw::When;
use crate::scenario::matching::{has_words, read_words};
use crate::scenario::node::{Node, Value};
use crate::scenario::read::{Read, Spanned};
use crate::scenario::references::{References, check_businesses};
use crate::scenario::report::{given_entries, must_be, require_entries, unknown_reference};
use crate::scenario::scalars::NonBlank;
use crate::scenario::source::Span;

impl Read for Prefix {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let prefix = node.scalar().and_then(|scalar| Self::new(&scalar.text));
        if prefix.is_none() {
            must_be(findings, node, "the first 6 to 16 hexadecimal digits of a fingerprint: `3f2a9c`");
            findings.help_last("the journal shows the fingerprint of each request");
        }
        prefix
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": ["string", "number"], "pattern": "^[0-9A-Fa-f]{6,16}$", "minimum": 100_000 })
    }
}

impl Read for Pointer {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(scalar) = node.scalar() else {
            must_be(findings, node, "a JSON Pointer: `/0/rating`");
            return None;
        };
        pointer(findings, &scalar.text, node.span)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": "^(/([^~]|~0|~1)*)?$" })
    }
}

fn pointer(findings: &mut Findings, text: &str, span: Span) -> Option<Pointer> {
    match Pointer::new(text) {
        Ok(pointer) => Some(pointer),
        Err(InvalidPointer::Relative) => {
            let steps = text.trim_start_matches(['$', '#', '.']).replace(['.', '['], "/").replace(']', "");
            let near = format!("/{}", steps.trim_start_matches('/'));
            findings
                .error(
                    "wrong-pointer",
                    span,
                    format!("`{text}` is not a JSON Pointer: it must begin with `/`"),
                )
                .label(format!("did you mean `{near}`?"));
            None
        }
        Err(InvalidPointer::Escape(_)) => {
            findings
                .error(
                    "wrong-pointer",
                    span,
                    format!("`{text}` is not a JSON Pointer: `~` must be followed by `0` or `1`"),
                )
                .help("in a name, write `~` as `~0` and `/` as `~1`");
            None
        }
    }
}

/// Validates a condition and reports unknown references in it.
pub(crate) fn validate(findings: &mut Findings, references: &References, when: &When) -> Condition {
    let keys = given_entries(findings, "key", when.key.as_ref())
        .map_or_else(Vec::new, |list| keys(findings, references, list));
    let businesses = given_entries(findings, "business", when.business.as_ref())
        .map_or_else(Vec::new, |list| check_businesses(findings, references, list));
    let headers = when.header.as_ref();
    let query = when.query.as_ref();
    let body = when.body.as_ref();
    Condition {
        keys,
        businesses,
        headers: headers.map_or_else(Vec::new, |map| headers::by_name(findings, &map.value, values)),
        query: query.map_or_else(Vec::new, |map| query_parameters(findings, &map.value)),
        body: body.map_or_else(Vec::new, |map| body_values(findings, map)),
        fingerprints: given_entries(findings, "fingerprint", when.fingerprint.as_ref())
            .map_or_else(Vec::new, |list| list.0.iter().map(|prefix| prefix.value).collect()),
    }
}

fn keys(findings: &mut Findings, references: &References, wanted: &OneOrMany<NonBlank>) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for Spanned { span, value: NonBlank(word) } in &wanted.0 {
        let key = match references.key(word) {
            Some(key) => key.to_owned(),
            None if references.keys.is_empty() => word.clone(),
            None => {
                let names = references.keys.iter().flat_map(|(key, name)| name.iter().chain([key]).copied());
                unknown_reference(findings, *span, ("key", word), names);
                continue;
            }
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// The values of a member. Reports an empty list.
pub(crate) fn values(
    findings: &mut Findings,
    key: &str,
    values: &OneOrMany<Accept<String>>,
    span: Span,
) -> Option<Vec<Accept<String>>> {
    require_entries(findings, (key, values), span)
        .then(|| values.0.iter().map(|value| value.value.clone()).collect())
}

pub(crate) fn query_parameters(
    findings: &mut Findings,
    query: &NonNullMap<OneOrMany<Accept<String>>>,
) -> Vec<(String, Vec<Accept<String>>)> {
    let mut parameters = Vec::with_capacity(query.0.len());
    for member in &query.0 {
        if member.key.trim().is_empty() {
            findings.error("wrong-value", member.key_span, "a query parameter needs a name");
        } else if let Some(values) = values(findings, &member.key, &member.value, member.span) {
            parameters.push((member.key.clone(), values));
        }
    }
    // The order in which parameters are written has no meaning.
    parameters.sort_by(|(one, _), (other, _)| one.cmp(other));
    parameters
}

pub(crate) fn body_values(
    findings: &mut Findings,
    body: &Spanned<Node>,
) -> Vec<(Pointer, Vec<Accept<Json>>)> {
    let Some(entries) = body.value.entries() else {
        findings
            .error("wrong-kind", body.span, "`body` must be a map of JSON Pointers to values")
            .label(format!("this is {}", body.value.kind()))
            .help("for example `body: {/statuses/0: parked}`");
        return Vec::new();
    };
    let mut wanted = Vec::with_capacity(entries.len());
    for entry in entries {
        let Some(pointer) = pointer(findings, &entry.key, entry.key_span) else { continue };
        let values = match &entry.value.value {
            Value::List(list) if list.is_empty() => {
                findings
                    .error("empty-list", entry.value.span, format!("`{}` is an empty list", entry.key))
                    .help("a list gives several accepted values; to match an empty list, write `[[]]`");
                continue;
            }
            Value::List(list) => list.iter().filter_map(|node| accept(findings, node)).collect(),
            Value::Null | Value::Scalar(_) | Value::Map(_) => {
                accept(findings, &entry.value).into_iter().collect()
            }
        };
        wanted.push((pointer, values));
    }
    wanted.sort_by(|(left, _), (right, _)| left.cmp(right));
    wanted
}

fn accept(findings: &mut Findings, node: &Node) -> Option<Accept<Json>> {
    if has_words(node) { read_words(findings, node) } else { Some(Accept::Equal(node.to_json())) }
}
