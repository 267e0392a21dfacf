//! Templates of payloads and stubs: whether what they open they also close. (What stands between is read by the
//! template engine, once there is one.)

use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Node, Value};
use crate::scenario::source::Span;

/// Notes a template that is not closed.
pub fn check(findings: &mut Findings, text: &str, span: Span) {
    if let Err((opened, closes)) = balanced(text) {
        findings
            .error("template", span, format!("a `{opened}` in this template is not closed"))
            .help(format!("what `{opened}` opens, `{closes}` closes"));
    }
}

/// The same for all texts of a JSON value.
pub fn check_all(findings: &mut Findings, node: &Node) {
    match &node.value {
        Value::Null => {}
        Value::Scalar(scalar) => check(findings, &scalar.text, node.span),
        Value::List(list) => list.iter().for_each(|element| check_all(findings, element)),
        Value::Map(entries) => entries.iter().for_each(|entry| check_all(findings, &entry.value)),
    }
}

const TAGS: [(&str, &str); 3] = [("{{", "}}"), ("{%", "%}"), ("{#", "#}")];

fn balanced(mut text: &str) -> Result<(), (&'static str, &'static str)> {
    loop {
        let next = TAGS.iter().filter_map(|tag| Some((text.find(tag.0)?, *tag))).min();
        let Some((at, (opens, closes))) = next else { return Ok(()) };
        let inner = &text[at + opens.len()..];
        let end = if opens == "{#" { inner.find(closes) } else { end(inner, closes) };
        text = &inner[end.ok_or((opens, closes))? + closes.len()..];
    }
}

/// Where a tag is closed: texts in quotes and braces of maps are not its end.
fn end(inner: &str, closes: &str) -> Option<usize> {
    let (mut quote, mut braces, mut escaped) = (None, 0_usize, false);
    for (at, byte) in inner.bytes().enumerate() {
        match (quote, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{') => braces += 1,
            (None, b'}') if braces > 0 => braces -= 1,
            (None, _) if inner.as_bytes()[at..].starts_with(closes.as_bytes()) => return Some(at),
            (Some(_) | None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_templates_are_fine() {
        for text in [
            "",
            "plain {\"a\": 1}",
            r#"{"event": "{{ event }}", "post": {{ data | tojson }}}"#,
            r#"{{ "}}" }} {# it's #} {% if a %}x{% endif %}"#,
            "{{ {'a': {'b': 1}} }}",
            "{{ 'ä' }}",
        ] {
            assert_eq!(balanced(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_is_opened_must_be_closed() {
        assert_eq!(balanced("{{ a"), Err(("{{", "}}")));
        assert_eq!(balanced("{{ a }} {% if a }"), Err(("{%", "%}")));
        assert_eq!(balanced("{{ 'a }}"), Err(("{{", "}}")));
        assert_eq!(balanced("{# a"), Err(("{#", "#}")));
    }
}
