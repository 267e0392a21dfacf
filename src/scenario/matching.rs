//! Reads how a value of a request is matched: a literal, or `{present: true}`, `{matches: …}`, `{from: …, to: …}`.

use serde_json::{Map, Value as Json, json};

use crate::fault::matching::{Accept, Pattern};
use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Node, Value};
use crate::scenario::read::Read;
use crate::scenario::report::{must_be, wrong_value};
use crate::scenario::scalars::Text;

/// The words. A map with other keys is a literal of the body, and a mistake elsewhere.
const WORDS: [&str; 4] = ["present", "matches", "from", "to"];

/// Whether a map says how a value is matched.
pub(crate) fn has_words(node: &Node) -> bool {
    node.entries().is_some_and(|entries| {
        !entries.is_empty() && entries.iter().all(|entry| WORDS.contains(&&*entry.key))
    })
}

/// Reads the words of a map for which [`has_words`] holds.
pub(crate) fn read_words<T>(findings: &mut Findings, node: &Node) -> Option<Accept<T>> {
    let keys: Vec<&str> = node.entries()?.iter().map(|entry| &*entry.key).collect();
    match keys.as_slice() {
        ["present"] => {
            let wanted = node.get("present")?.to_json().as_bool();
            if wanted.is_none() {
                must_be(findings, node, "`{present: true}` or `{present: false}`");
            }
            wanted.map(Accept::Present)
        }
        ["matches"] => {
            let text = node.get("matches").and_then(Node::scalar);
            let Some(text) = text else {
                must_be(findings, node, "a regular expression: `{matches: '^wait'}`");
                return None;
            };
            match Pattern::new(&text.text) {
                Ok(pattern) => Some(Accept::Matches(pattern)),
                Err(why) => {
                    let message = format!("`{}` is not a regular expression: {why}", text.text);
                    findings.error("wrong-pattern", node.span, message);
                    findings.help_last(
                        "patterns run in linear time: there are no back-references and no look-around",
                    );
                    None
                }
            }
        }
        _ if keys.iter().all(|key| ["from", "to"].contains(key)) => {
            let side = |key: &str, findings: &mut Findings| {
                let Some(given) = node.get(key) else { return Some(None) };
                let number = given.to_json().as_f64();
                if number.is_none() {
                    wrong_value(findings, given, &format!("`{key}` of a range must be a number"));
                }
                number.map(Some)
            };
            let (from, to) = (side("from", findings), side("to", findings));
            let (from, to) = (from?, to?);
            if let Some((from, to)) = from.zip(to).filter(|(from, to)| from > to) {
                findings
                    .error("wrong-value", node.span, "this range ends before it begins")
                    .help(format!("write the smaller number first: `{{from: {to}, to: {from}}}`"));
                return None;
            }
            Some(Accept::Between(from, to))
        }
        _ => {
            must_be(findings, node, "one of `{present: true}`, `{matches: '^wait'}` and `{from: 1, to: 5}`");
            None
        }
    }
}

impl Read for Accept<String> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if let Value::Map(_) = node.value {
            if has_words(node) {
                return read_words(findings, node);
            }
            must_be(
                findings,
                node,
                "a text, a list of texts, or one of `{present: true}`, `{matches: '^wait'}` and `{from: 1, to: 5}`",
            );
            return None;
        }
        Text::read(findings, node).map(|text| Self::Equal(text.0))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "anyOf": [Text::schema(definitions), words_schema()] })
    }
}

/// The JSON Schema of the words.
pub(crate) fn words_schema() -> Json {
    let one = |properties: Json| json!({ "type": "object", "properties": properties, "additionalProperties": false, "minProperties": 1 });
    json!({ "anyOf": [
        one(json!({ "present": { "type": "boolean" } })),
        one(json!({ "matches": { "type": "string", "format": "regex" } })),
        one(json!({ "from": { "type": "number" }, "to": { "type": "number" } })),
    ] })
}
