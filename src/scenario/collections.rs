//! Readers for lists and maps of values.

use serde_json::{Map, Value as Json, json};

use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Entry, Node, Value};
use crate::scenario::read::{Read, Spanned};
use crate::scenario::report::{must_be, wrong_kind};
use crate::scenario::source::Span;

/// A list. Entries that cannot be read are reported and left out.
impl<T: Read> Read for Vec<Spanned<T>> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Value::List(list) = &node.value else {
            let message = format!("`{}` must be a list", findings.key);
            wrong_kind(findings, node, &message);
            return None;
        };
        Some(entries(findings, list))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "type": "array", "items": T::schema(definitions) })
    }
}

fn entries<T: Read>(findings: &mut Findings, list: &[Node]) -> Vec<Spanned<T>> {
    let mut entries = Vec::with_capacity(list.len());
    for node in list {
        if node.is_null() {
            let message = format!("an entry of `{}` is empty", findings.key);
            findings.error("empty-entry", node.span, message);
        } else if let Some(value) = T::read(findings, node) {
            entries.push(Spanned { span: node.span, value });
        }
    }
    entries
}

/// A single value, or a list of such values.
#[derive(Clone, Debug, Default)]
pub(crate) struct OneOrMany<T>(pub(crate) Vec<Spanned<T>>);

impl<T: Read> Read for OneOrMany<T> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if let Value::List(list) = &node.value {
            let entries = entries(findings, list);
            // An empty list means something else than a list of mistakes.
            return (!entries.is_empty() || list.is_empty()).then_some(Self(entries));
        }
        let value = T::read(findings, node)?;
        Some(Self(vec![Spanned { span: node.span, value }]))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        let one = T::schema(definitions);
        json!({ "anyOf": [one.clone(), { "type": "array", "items": one, "minItems": 1 }] })
    }
}

/// One member of a `Dictionary` or a `NonNullMap`.
#[derive(Clone, Debug)]
pub(crate) struct Member<T> {
    pub(crate) key_span: Span,
    pub(crate) key: String,
    /// Where the value stands.
    pub(crate) span: Span,
    pub(crate) value: T,
}

impl<T: Read> Member<T> {
    fn read(findings: &mut Findings, entry: &Entry) -> Option<Self> {
        let Entry { key, key_span, value: node } = entry;
        let value = T::read(findings, node)?;
        Some(Self { key_span: *key_span, key: key.to_string(), span: node.span, value })
    }
}

/// A map whose keys the author chooses. A member that is null counts as absent.
#[derive(Clone, Debug)]
pub(crate) struct Dictionary<T>(pub(crate) Vec<Member<T>>);

impl<T> Default for Dictionary<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Read> Read for Dictionary<T> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(entries) = node.entries() else {
            let message = format!("`{}` must be a map", findings.key);
            wrong_kind(findings, node, &message);
            return None;
        };
        let present = entries.iter().filter(|entry| !entry.value.is_null());
        Some(Self(present.filter_map(|entry| Member::read(findings, entry)).collect()))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        let value = json!({ "anyOf": [T::schema(definitions), { "type": "null" }] });
        json!({ "type": "object", "additionalProperties": value })
    }
}

/// A map whose keys the author chooses and in which a null member is an error. Conditions use it: a member that was
/// silently left out would make a condition match more requests.
#[derive(Clone, Debug)]
pub(crate) struct NonNullMap<T>(pub(crate) Vec<Member<T>>);

impl<T> Default for NonNullMap<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Read> Read for NonNullMap<T> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(entries) = node.entries() else {
            must_be(findings, node, "a map");
            return None;
        };
        let mut members = Vec::with_capacity(entries.len());
        for entry in entries {
            if entry.value.is_null() {
                findings
                    .error("empty-entry", entry.key_span, format!("`{}` has no value", entry.key))
                    .help("write `\"\"` for an empty text");
            } else {
                members.extend(Member::read(findings, entry));
            }
        }
        Some(Self(members))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "type": "object", "additionalProperties": T::schema(definitions) })
    }
}
