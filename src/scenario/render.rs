//! Problems for people, as a compiler shows them, and for programs.

use std::fmt::Write;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde_json::{Value as Json, json};

use crate::scenario::problem::{Place, Problem, Severity};

/// One problem for people, its last line without an end; `coloured` for terminals.
#[must_use]
pub fn human(problem: &Problem, coloured: bool) -> String {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(&problem.message).id(problem.code));
    for (place, kind) in std::iter::once((&problem.place, AnnotationKind::Primary))
        .chain(problem.also.iter().map(|place| (place, AnnotationKind::Context)))
    {
        let whole = place
            .text
            .get(..place.marked.start)
            .is_some_and(|before| before.chars().count() + 1 == place.column);
        if !whole || place.text.is_empty() {
            // Of a very long line there is but a part, in which columns are others.
            let origin =
                Origin::path(place.file.to_string_lossy()).line(place.line).char_column(place.column);
            group = group.element(origin);
        }
        if !place.text.is_empty() {
            let path = whole.then(|| place.file.to_string_lossy());
            group = group.element(shown(place, kind).path(path));
        }
    }
    if let Some(help) = &problem.help {
        group = group.element(Level::HELP.message(help));
    }
    let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Ascii).render(&[group])
}

fn shown(place: &Place, kind: AnnotationKind) -> Snippet<'_, Annotation<'_>> {
    let label = (!place.label.is_empty()).then_some(place.label.as_str());
    let annotation = kind.span(place.marked.clone()).label(label);
    Snippet::source(&place.text).line_start(place.line).annotation(annotation)
}

/// All problems in one list.
#[must_use]
pub fn json<'a>(problems: impl IntoIterator<Item = &'a Problem>) -> Json {
    problems
        .into_iter()
        .map(|problem| {
            let also = problem.also.iter().map(|place| {
                json!({ "file": place.file.to_string_lossy(), "line": place.line, "column": place.column, "label": place.label })
            });
            json!({
                "severity": problem.severity.name(),
                "code": problem.code,
                "message": problem.message,
                "file": problem.place.file.to_string_lossy(),
                "line": problem.place.line,
                "column": problem.place.column,
                "label": problem.place.label,
                "help": problem.help,
                "also": also.collect::<Vec<_>>(),
                "text": human(problem, false),
            })
        })
        .collect()
}

/// All problems as workflow commands of GitHub, a line each.
#[must_use]
pub fn github<'a>(problems: impl IntoIterator<Item = &'a Problem>) -> String {
    let mut out = String::new();
    for problem in problems {
        let (line, column) = (problem.place.line, problem.place.column);
        let file = property(&problem.place.file.to_string_lossy());
        let mut message = problem.message.clone();
        for more in [Some(&problem.place.label), problem.help.as_ref()].into_iter().flatten() {
            if !more.is_empty() {
                let _ = write!(message, "; {more}");
            }
        }
        let _ = writeln!(
            out,
            "::{} file={file},line={line},col={column},title={}::{}",
            problem.severity.name(),
            problem.code,
            data(&message)
        );
    }
    out
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// All problems as SARIF 2.1.0, which code hosts show beside the lines.
#[must_use]
pub fn sarif<'a>(problems: impl IntoIterator<Item = &'a Problem>) -> Json {
    let location = |place: &Place| {
        json!({ "physicalLocation": {
            "artifactLocation": { "uri": place.file.to_string_lossy().replace(' ', "%20") },
            "region": { "startLine": place.line, "startColumn": place.column },
        } })
    };
    let results: Vec<Json> = problems
        .into_iter()
        .map(|problem| {
            let help = problem.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
            json!({
                "ruleId": problem.code,
                "level": problem.severity.name(),
                "message": { "text": format!("{}{help}", problem.message) },
                "locations": [location(&problem.place)],
                "relatedLocations": problem.also.iter().map(location).collect::<Vec<_>>(),
            })
        })
        .collect();
    let driver = json!({ "name": "standin", "version": env!("CARGO_PKG_VERSION") });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }],
    })
}
