//! Compiles the templates of routes, and reports what is wrong with them at their places.

use std::collections::BTreeSet;

use minijinja::{Error, ErrorKind, Value as TemplateValue};

use crate::route::context::{is_built_in, needs_no_request};
use crate::route::facts::{DRAWS, FUNCTIONS, arguments, unnamed_arguments};
use crate::route::filters::{self, ENVIRONMENT};
use crate::route::tree::{Text, Tree};
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::node::{Node, Value};
use crate::scenario::source::Span;
use crate::template;
use crate::template::text::{self, Called, Use};

/// Most templates of one route.
const MAX_TEMPLATES: usize = 500;

/// Compiles the templates of one route.
pub(super) struct Compiler<'a> {
    /// Names under which routes of the scenario store values.
    pub(super) stored: &'a BTreeSet<String>,
    /// The names that the templates take from their context.
    pub(super) names: BTreeSet<String>,
    pub(super) count: usize,
}

impl Compiler<'_> {
    /// Compiles a text.
    pub(super) fn text(&mut self, findings: &mut Findings, text: &str, span: Span) -> Option<Text> {
        match Text::new(text) {
            Ok(Text::Template(template)) => {
                self.check(findings, text, span).then_some(Text::Template(template))
            }
            Ok(literal @ Text::Literal(_)) => Some(literal),
            Err(problem) => {
                report(findings, span, text, (problem.line, &problem.message));
                None
            }
        }
    }

    /// Compiles the texts in a JSON value.
    pub(super) fn tree(&mut self, findings: &mut Findings, node: &Node) -> Option<Tree> {
        let literal = |node: &Node| Tree::Literal(node.to_json().to_string().into_bytes());
        Some(match &node.value {
            Value::Null => literal(node),
            Value::Scalar(scalar) => match self.text(findings, &scalar.text, node.span)? {
                Text::Template(template) => Tree::Template(template),
                Text::Literal(_) => literal(node),
            },
            Value::List(list) => {
                let elements: Vec<_> = list.iter().map(|element| self.tree(findings, element)).collect();
                Tree::list(elements.into_iter().collect::<Option<_>>()?)
            }
            Value::Map(entries) => {
                let members: Vec<_> = entries
                    .iter()
                    .map(|entry| Some((&*entry.key, self.tree(findings, &entry.value)?)))
                    .collect();
                Tree::map(members.into_iter().collect::<Option<_>>()?)
            }
        })
    }

    /// Checks the names, filters and tests of a template. Reports those that do not exist.
    fn check(&mut self, findings: &mut Findings, text: &str, span: Span) -> bool {
        self.count += 1;
        if self.count == MAX_TEMPLATES + 1 {
            findings.error("limit", span, format!("a route has at most {MAX_TEMPLATES} templates"));
        }
        let (Ok(names), Ok((_, uses))) = (template::check(text), text::read_with_uses(text)) else {
            return false;
        };
        let before = findings.errors();
        for name in names {
            if is_built_in(&name) || self.stored.contains(&name) {
                self.names.insert(name);
                continue;
            }
            let known = FUNCTIONS.into_iter().chain(DRAWS).chain(crate::route::VALUES);
            let known: BTreeSet<&str> = known.chain(self.stored.iter().map(String::as_str)).collect();
            let line = line_of(text, &name);
            let stored = if self.stored.is_empty() {
                String::new()
            } else {
                format!("; what routes store: {}", join_or(self.stored.iter().map(String::as_str)))
            };
            report(findings, span, text, (line, &format!("there is no `{name}`")))
                .suggest(&name, known.iter().copied())
                .help(format!(
                    "values: {}; functions: {}{stored}",
                    join_or(crate::route::VALUES),
                    join_or(FUNCTIONS.into_iter().chain(DRAWS))
                ));
        }
        for call in &uses.calls {
            check_call(findings, (text, span), call);
        }
        for used in uses.filters_and_tests.iter().filter(|used| !exists(used)) {
            let what = if used.is_filter { "filter" } else { "test" };
            let message = format!("there is no {what} `{}`", used.name);
            let finding = report(findings, span, text, (used.line, &message));
            if used.is_filter {
                finding.suggest(&used.name, filters::NAMES);
            }
        }
        findings.errors() == before
    }
}

/// Checks the arguments of a function.
fn check_call(findings: &mut Findings, (text, span): (&str, Span), call: &Called) {
    let Called { function, named, unnamed, line } = call;
    let Some(known) = arguments(function) else { return };
    for name in named.iter().filter(|name| !known.contains(&name.as_str())) {
        let message = format!("`{function}` has no argument `{name}`");
        let finding = report(findings, span, text, (*line, &message));
        if known.is_empty() {
            finding.help(format!("`{function}` takes no argument by name"));
        } else {
            finding.suggest(name, known.iter().copied());
        }
    }
    let (least, most) = unnamed_arguments(function).unwrap_or_default();
    if known.is_empty() && !(least..=most).contains(unnamed) {
        let takes = match most {
            0 => "no argument".to_owned(),
            1 => "one argument: a list".to_owned(),
            _ => "two arguments: the smallest number and the largest".to_owned(),
        };
        report(findings, span, text, (*line, &format!("`{function}` takes {takes}")));
    }
    if !known.is_empty() && *unnamed > 1 {
        let message = format!("`{function}` takes its arguments by name");
        let first = known.first().copied().unwrap_or_default();
        let names: Vec<String> = known.iter().map(|name| format!("{name}=")).collect();
        report(findings, span, text, (*line, &message))
            .help(format!("write `{function}({})`; `{first}=` may be left out", names.join(", ")));
    }
}

/// Checks the templates in the `examples` of a JSON Schema, which see the data and no request.
pub(super) fn check_examples(findings: &mut Findings, schema: &Node) {
    match &schema.value {
        Value::Map(entries) => {
            for entry in entries {
                if &*entry.key == "examples" && matches!(entry.value.value, Value::List(_)) {
                    let mut compiler =
                        Compiler { stored: &BTreeSet::new(), names: BTreeSet::new(), count: 0 };
                    compiler.tree(findings, &entry.value);
                    if let Some(name) = compiler.names.iter().find(|name| !needs_no_request(name)) {
                        let message = format!("an example sees the data of the scenario, and no `{name}`");
                        findings.error("template", entry.value.span, message);
                    }
                } else {
                    check_examples(findings, &entry.value);
                }
            }
        }
        Value::List(list) => list.iter().for_each(|element| check_examples(findings, element)),
        Value::Null | Value::Scalar(_) => {}
    }
}

fn line_of(text: &str, word: &str) -> usize {
    text.lines().position(|line| line.contains(word)).map_or(1, |before| before + 1)
}

fn report<'a>(
    findings: &'a mut Findings,
    span: Span,
    text: &str,
    (line, message): (usize, &str),
) -> &'a mut crate::scenario::diagnostic::Finding {
    let lines = text.trim_end().lines().count();
    let place = if lines > 1 { format!(" in line {line}") } else { String::new() };
    findings.error("template", span, format!("this template is not valid{place}: {message}"))
}

/// Whether a filter or a test exists.
fn exists(used: &Use) -> bool {
    let mut state = ENVIRONMENT.empty_state();
    let unknown = |error: Error| matches!(error.kind(), ErrorKind::UnknownFilter | ErrorKind::UnknownTest);
    let tried = if used.is_filter {
        state.apply_filter(&used.name, &[TemplateValue::UNDEFINED]).map(|_| ())
    } else {
        state.perform_test(&used.name, &[TemplateValue::UNDEFINED]).map(|_| ())
    };
    !tried.is_err_and(unknown)
}
