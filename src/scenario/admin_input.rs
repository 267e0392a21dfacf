//! What is sent to a running program: faults and clocks, read and checked as in a file, with the same problems told.

use std::path::Path;

use crate::clock;
use crate::fault::Fault;
use crate::scenario::diagnostic::{Diagnostic, Findings};
use crate::scenario::node::{Entry, Node, Scalar, Value};
use crate::scenario::raw;
use crate::scenario::read::read_value;
use crate::scenario::references::References;
use crate::scenario::report::wrong_kind;
use crate::scenario::source::{FileId, Sources};
use crate::scenario::{fault, json, validate, yaml};

/// What a sent text is called where problems name files.
const BODY: &str = "body";

/// A text that was sent, and what is found in it.
struct Sent {
    sources: Sources,
    findings: Findings,
    node: Option<Node>,
}

impl Sent {
    /// A text of one value: JSON, else YAML.
    fn of(text: &str) -> Self {
        let (mut sources, mut findings) = (Sources::default(), Findings::default());
        let file: FileId = sources.add(Path::new(BODY), text.to_owned());
        let node = json::value(file, text).or_else(|| yaml::parse(&mut findings, file, text));
        Self { sources, findings, node }
    }

    /// What was made of it, with warnings; or all that is wrong.
    fn ended<T>(self, made: Option<T>) -> Result<(T, Vec<Diagnostic>), Vec<Diagnostic>> {
        let errors = self.findings.errors();
        let diagnostics = self.findings.into_diagnostics(&self.sources);
        made.filter(|_| errors == 0).map(|made| (made, diagnostics.clone())).ok_or(diagnostics)
    }
}

/// A fault sent under a name, which it need not repeat; what it refers to is there to be known. Warnings stand beside
/// it.
///
/// # Errors
/// All that is wrong with it.
pub fn parse_fault(
    references: &References,
    name: &str,
    text: &str,
) -> Result<(Fault, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut sent = Sent::of(text);
    let mut node = sent.node.take();
    if let Some(node) = &mut node {
        named(&mut sent.findings, node, name);
    }
    let fault = node.and_then(|node| fault::validate_one(&mut sent.findings, references, &node));
    sent.ended(fault)
}

/// Gives a fault the name under which it was sent; another one that it has is among the findings.
fn named(findings: &mut Findings, node: &mut Node, name: &str) {
    if let Some((own, span)) = fault::name(node) {
        if own != name {
            let message = format!("this fault was sent as `{name}`, and names itself otherwise");
            findings.error("wrong-name", span, message).help("leave `name` out, or send it under its name");
        }
        return;
    }
    let span = node.span;
    if let Value::Map(entries) = &mut node.value
        && !entries.iter().any(|entry| &*entry.key == "name" && !entry.value.is_null())
    {
        entries.retain(|entry| &*entry.key != "name");
        let value = Node::new(span, Value::Scalar(Scalar { text: name.into(), plain: true }));
        entries.push(Entry { key: "name".into(), key_span: span, value });
    }
}

/// The members `faults` and `clock` of the JSON text that a world is made from.
///
/// # Errors
/// All that is wrong with them.
pub fn parse_world_start(
    references: &References,
    text: &str,
) -> Result<(Vec<Fault>, clock::Given), Vec<Diagnostic>> {
    let mut sent = Sent::of(text);
    let node = sent.node.take();
    let member = |key: &str| node.as_ref().and_then(|node| node.get(key));
    let mut faults = Vec::new();
    match member("faults").map(|node| (node, &node.value)) {
        Some((_, Value::List(list))) => {
            faults.extend(
                list.iter().filter_map(|node| fault::validate_one(&mut sent.findings, references, node)),
            );
        }
        Some((node, Value::Null | Value::Scalar(_) | Value::Map(_))) => {
            wrong_kind(&mut sent.findings, node, "`faults` must be a list of faults");
        }
        None => {}
    }
    let clock = member("clock").and_then(|node| read_value::<raw::Clock>(&mut sent.findings, "clock", node));
    let clock = clock.map(|clock| validate::clock(&clock.value)).unwrap_or_default();
    sent.ended(Some((faults, clock))).map(|(start, _)| start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::dialect::Dialect;

    fn sent(name: &str, text: &str) -> Result<Fault, Vec<&'static str>> {
        let dialect = Dialect::default();
        let references = References::new(&[], &[], &dialect, false);
        let codes =
            |diagnostics: Vec<Diagnostic>| diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        parse_fault(&references, name, text).map(|(fault, _)| fault).map_err(codes)
    }

    #[test]
    fn json_and_yaml_with_and_without_a_name_are_one_fault() {
        let first = sent("a", "operation: qna\nthen: {error: 89}\n").unwrap();
        for text in [
            r#"{"then": {"error": 89}, "operation": "qna"}"#,
            r#"{"name": "a", "then": {"error": 89}, "operation": "qna"}"#,
            "{name: a, operation: qna, then: {error: 89}} # flow",
            "name: ~\noperation: qna\nthen: {error: 89}",
        ] {
            assert_eq!(sent("a", text).unwrap(), first, "{text}");
        }
        let text = r#"{"then": {"status": 503, "text": "\ud83d\ude00"}}"#;
        assert!(sent("a", text).unwrap().text.contains('\u{1f600}'), "escapes that YAML does not know");
    }

    #[test]
    fn all_that_is_wrong_is_told_together() {
        assert_eq!(sent("a", "name: b\nthen: {error: 89}").unwrap_err(), ["wrong-name"]);
        let found = sent("a", "operation: qnaa\nhits: x\nthn: {error: 1}\n").unwrap_err();
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(sent("a", "[").unwrap_err(), ["syntax"]);
        for empty in ["", "~", "[]", "5"] {
            assert_eq!(sent("a", empty).unwrap_err().len(), 1, "{empty:?}");
        }
    }
}
