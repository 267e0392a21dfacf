//! Faults, expectations and clocks that the admin API receives. They are read and checked as in a file, with the same diagnostics.

use std::path::Path;

use crate::clock::{self, Moment};
use crate::expect::expectation::Expectation;
use crate::fault::Fault;
use crate::scenario::accepted::{AcceptFile, Deviation};
use crate::scenario::diagnostic::{Diagnostic, Findings};
use crate::scenario::node::{Node, Value};
use crate::scenario::raw;
use crate::scenario::read::{Spanned, read_value};
use crate::scenario::references::References;
use crate::scenario::report::wrong_kind;
use crate::scenario::source::Sources;
use crate::scenario::{expect, fault, json, validate, yaml};

/// The file name that diagnostics show.
const BODY: &str = "body";

/// The body of a request, and the findings about it.
struct Input {
    sources: Sources,
    findings: Findings,
    node: Option<Node>,
}

impl Input {
    /// Parses a body that is JSON or YAML.
    fn parse(text: &str) -> Self {
        let (mut sources, mut findings) = (Sources::default(), Findings::default());
        let file = sources.add(Path::new(BODY), text.to_owned());
        let node = json::try_value(file, text).or_else(|| yaml::parse(&mut findings, file, text));
        Self { sources, findings, node }
    }

    /// Returns the result with the warnings, or all diagnostics if there is an error.
    fn finish<T>(self, result: Option<T>) -> Result<(T, Vec<Diagnostic>), Vec<Diagnostic>> {
        let errors = self.findings.errors();
        let diagnostics = self.findings.into_diagnostics(&self.sources);
        match result {
            Some(result) if errors == 0 => Ok((result, diagnostics)),
            Some(_) | None => Err(diagnostics),
        }
    }
}

/// Parses a fault that is put under a name, which the text may leave out. Returns the fault with warnings, or all that is
/// wrong with it.
pub(crate) fn parse_fault(
    references: &References,
    name: &str,
    text: &str,
) -> Result<(Fault, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut input = Input::parse(text);
    let mut node = input.node.take();
    if let Some(node) = &mut node {
        check_name(&mut input.findings, node, name);
        node.set_default("name", name);
    }
    let fault = node.and_then(|node| fault::validate_one(&mut input.findings, references, &node));
    input.finish(fault)
}

/// Reports a fault whose own name differs from the one it is put under.
fn check_name(findings: &mut Findings, node: &Node, name: &str) {
    if let Some((own_name, span)) = fault::name(node).filter(|(own_name, _)| *own_name != name) {
        let message = format!("this fault was sent as `{name}`, but its name is `{own_name}`");
        findings
            .error("wrong-name", span, message)
            .help("leave `name` out, or send the fault under its own name");
    }
}

/// Parses an expectation that is put under a name, which the text may leave out. Returns it with warnings, or all that is wrong
/// with it.
pub(crate) fn parse_expectation(
    references: &References,
    name: &str,
    text: &str,
) -> Result<(Expectation, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut input = Input::parse(text);
    let mut node = input.node.take();
    if let Some(node) = &mut node {
        node.set_default("name", name);
    }
    let expectations = node.map(|node| expect::validate(&mut input.findings, references, &[&node]));
    input.finish(expectations.and_then(|mut all| all.pop()))
}

/// Parses a list of expectations. One without a name is named by its place. An empty text is an empty list.
pub(crate) fn parse_expectations(
    references: &References,
    text: &str,
) -> Result<Vec<Expectation>, Vec<Diagnostic>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut input = Input::parse(text);
    let mut node = input.node.take();
    let expectations = match node.as_mut().map(|node| &mut node.value) {
        Some(Value::List(list)) => {
            for (place, node) in list.iter_mut().enumerate() {
                node.set_default("name", &format!("expectation {}", place + 1));
            }
            let nodes: Vec<&Node> = list.iter().collect();
            Some(expect::validate(&mut input.findings, references, &nodes))
        }
        Some(Value::Null | Value::Scalar(_) | Value::Map(_)) => {
            if let Some(node) = &node {
                wrong_kind(&mut input.findings, node, "the body must be a list of expectations");
            }
            None
        }
        None => None,
    };
    input.finish(expectations).map(|(expectations, _)| expectations)
}

/// Parses the deviations of an accept file: where they are, and which.
pub(crate) fn parse_accepted(text: &str) -> Result<Vec<(String, String)>, Vec<Diagnostic>> {
    let mut input = Input::parse(text);
    let node = input.node.take();
    let file = node.and_then(|node| read_value::<AcceptFile>(&mut input.findings, "accept", &node));
    let all = file.and_then(|file| file.value.accept).map(|accept| {
        let pair = |deviation: Spanned<Deviation>| {
            Some((deviation.value.at?.value.0, deviation.value.deviation?.value.0))
        };
        accept.value.into_iter().filter_map(pair).collect()
    });
    input.finish(all).map(|(all, _)| all)
}

/// Parses the members `faults` and `clock` of a request that creates a world now.
pub(crate) fn parse_world_start(
    references: &References,
    text: &str,
    now: Moment,
) -> Result<(Vec<Fault>, clock::PartialSetting), Vec<Diagnostic>> {
    let mut input = Input::parse(text);
    let node = input.node.take();
    let member = |key: &str| node.as_ref().and_then(|node| node.get(key));
    let mut faults = Vec::new();
    match member("faults").map(|node| (node, &node.value)) {
        Some((_, Value::List(list))) if list.len() > fault::MAX_FAULTS => {
            let nodes: Vec<&Node> = list.iter().collect();
            fault::too_many(&mut input.findings, ("faults", fault::MAX_FAULTS), &nodes);
        }
        Some((_, Value::List(list))) => {
            faults.extend(
                list.iter().filter_map(|node| fault::validate_one(&mut input.findings, references, node)),
            );
        }
        Some((node, Value::Null | Value::Scalar(_) | Value::Map(_))) => {
            wrong_kind(&mut input.findings, node, "`faults` must be a list of faults");
        }
        None => {}
    }
    let clock = member("clock").and_then(|node| read_value::<raw::Clock>(&mut input.findings, "clock", node));
    let clock = clock.map(|clock| validate::clock(&clock.value, now)).unwrap_or_default();
    input.finish(Some((faults, clock))).map(|(start, _)| start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::dialect::Dialect;

    fn parse(name: &str, text: &str) -> Result<Fault, Vec<&'static str>> {
        let dialect = Dialect::default();
        let references = References::new(&[], &[], &dialect, false);
        let codes =
            |diagnostics: Vec<Diagnostic>| diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        parse_fault(&references, name, text).map(|(fault, _)| fault).map_err(codes)
    }

    #[test]
    fn json_and_yaml_with_or_without_the_name_give_the_same_fault() {
        let first = parse("a", "operation: qna\nthen: {error: 89}\n").unwrap();
        for text in [
            r#"{"then": {"error": 89}, "operation": "qna"}"#,
            r#"{"name": "a", "then": {"error": 89}, "operation": "qna"}"#,
            "{name: a, operation: qna, then: {error: 89}} # flow",
            "name: ~\noperation: qna\nthen: {error: 89}",
        ] {
            assert_eq!(parse("a", text).unwrap(), first, "{text}");
        }
        let text = r#"{"then": {"status": 503, "text": "\ud83d\ude00"}}"#;
        assert!(parse("a", text).unwrap().text.contains('\u{1f600}'), "YAML does not have these escapes");
    }

    #[test]
    fn all_errors_are_reported_together() {
        assert_eq!(parse("a", "name: b\nthen: {error: 89}").unwrap_err(), ["wrong-name"]);
        let found = parse("a", "operation: qnaa\nhits: x\nthn: {error: 1}\n").unwrap_err();
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(parse("a", "[").unwrap_err(), ["syntax"]);
        for empty in ["", "~", "[]", "5"] {
            assert_eq!(parse("a", empty).unwrap_err().len(), 1, "{empty:?}");
        }
    }
}
