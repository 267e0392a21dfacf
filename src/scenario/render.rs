//! Problems for people, as a compiler shows them, and for programs.

use std::fmt::Write;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde_json::{Value as Json, json};

use crate::scenario::diagnostic::{Diagnostic, Severity, SourceLocation};

/// One problem for people, its last line without an end; `coloured` for terminals.
#[must_use]
pub fn human(diagnostic: &Diagnostic, coloured: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(&diagnostic.message).id(diagnostic.code));
    for (place, kind) in std::iter::once((&diagnostic.location, AnnotationKind::Primary))
        .chain(diagnostic.related.iter().map(|place| (place, AnnotationKind::Context)))
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
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Ascii).render(&[group])
}

fn shown(place: &SourceLocation, kind: AnnotationKind) -> Snippet<'_, Annotation<'_>> {
    let label = (!place.label.is_empty()).then_some(place.label.as_str());
    let annotation = kind.span(place.marked.clone()).label(label);
    Snippet::source(&place.text).line_start(place.line).annotation(annotation)
}

/// All problems in one list.
#[must_use]
pub fn json<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Json {
    diagnostics
        .into_iter()
        .map(|diagnostic| {
            let also = diagnostic.related.iter().map(|place| {
                json!({ "file": place.file.to_string_lossy(), "line": place.line, "column": place.column, "label": place.label })
            });
            json!({
                "severity": diagnostic.severity.name(),
                "code": diagnostic.code,
                "message": diagnostic.message,
                "file": diagnostic.location.file.to_string_lossy(),
                "line": diagnostic.location.line,
                "column": diagnostic.location.column,
                "label": diagnostic.location.label,
                "help": diagnostic.help,
                "also": also.collect::<Vec<_>>(),
                "text": human(diagnostic, false),
            })
        })
        .collect()
}

/// All problems as workflow commands of GitHub, a line each.
#[must_use]
pub fn github<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let (line, column) = (diagnostic.location.line, diagnostic.location.column);
        let file = property(&diagnostic.location.file.to_string_lossy());
        let mut message = diagnostic.message.clone();
        for more in [Some(&diagnostic.location.label), diagnostic.help.as_ref()].into_iter().flatten() {
            if !more.is_empty() {
                let _ = write!(message, "; {more}");
            }
        }
        let _ = writeln!(
            out,
            "::{} file={file},line={line},col={column},title={}::{}",
            diagnostic.severity.name(),
            diagnostic.code,
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
pub fn sarif<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Json {
    let location = |place: &SourceLocation| {
        json!({ "physicalLocation": {
            "artifactLocation": { "uri": place.file.to_string_lossy().replace(' ', "%20") },
            "region": { "startLine": place.line, "startColumn": place.column },
        } })
    };
    let results: Vec<Json> = diagnostics
        .into_iter()
        .map(|diagnostic| {
            let help = diagnostic.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
            json!({
                "ruleId": diagnostic.code,
                "level": diagnostic.severity.name(),
                "message": { "text": format!("{}{help}", diagnostic.message) },
                "locations": [location(&diagnostic.location)],
                "relatedLocations": diagnostic.related.iter().map(location).collect::<Vec<_>>(),
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
