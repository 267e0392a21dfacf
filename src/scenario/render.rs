//! Renders diagnostics for people, as a compiler does, and for programs.

use std::fmt::Write;
use std::path::Path;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value as Json, json};

use crate::scenario::diagnostic::{Diagnostic, Severity, SourceLocation};

/// Renders a diagnostic for people, without a final line break. `coloured` is for terminals.
pub(crate) fn human(diagnostic: &Diagnostic, coloured: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(&diagnostic.message).id(diagnostic.code));
    for (location, kind) in std::iter::once((&diagnostic.location, AnnotationKind::Primary))
        .chain(diagnostic.related.iter().map(|location| (location, AnnotationKind::Context)))
    {
        let whole_line = location
            .text
            .get(..location.marked.start)
            .is_some_and(|before| before.chars().count() + 1 == location.column);
        if !whole_line || location.text.is_empty() {
            // The text is only a part of its line, so the renderer would show a wrong column.
            let origin = Origin::path(location.file.to_string_lossy())
                .line(location.line)
                .char_column(location.column);
            group = group.element(origin);
        }
        if !location.text.is_empty() {
            let path = whole_line.then(|| location.file.to_string_lossy());
            group = group.element(snippet(location, kind).path(path));
        }
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Ascii).render(&[group])
}

fn snippet(location: &SourceLocation, kind: AnnotationKind) -> Snippet<'_, Annotation<'_>> {
    let label = (!location.label.is_empty()).then_some(location.label.as_str());
    let annotation = kind.span(location.marked.clone()).label(label);
    Snippet::source(&location.text).line_start(location.line).annotation(annotation)
}

/// Renders diagnostics as a JSON array.
pub(crate) fn json<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Json {
    diagnostics
        .into_iter()
        .map(|diagnostic| {
            let also = diagnostic.related.iter().map(|it| {
                json!({ "file": it.file.to_string_lossy(), "line": it.line, "column": it.column, "label": it.label })
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

/// Renders diagnostics as GitHub workflow commands, one per line.
pub(crate) fn github<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let (line, column) = (diagnostic.location.line, diagnostic.location.column);
        let file = escape_property(&diagnostic.location.file.to_string_lossy());
        let mut message = diagnostic.message.clone();
        for detail in [Some(&diagnostic.location.label), diagnostic.help.as_ref()].into_iter().flatten() {
            if !detail.is_empty() {
                let _ = write!(message, "; {detail}");
            }
        }
        let _ = writeln!(
            out,
            "::{} file={file},line={line},col={column},title={}::{}",
            diagnostic.severity.name(),
            diagnostic.code,
            escape_data(&message)
        );
    }
    out
}

fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Renders diagnostics as SARIF 2.1.0, which code hosts show beside the lines.
pub(crate) fn sarif<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Json {
    let location = |it: &SourceLocation| {
        json!({ "physicalLocation": {
            "artifactLocation": { "uri": uri(&it.file) },
            "region": { "startLine": it.line, "startColumn": it.column },
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

/// A path as a URI reference.
fn uri(path: &Path) -> String {
    const RESERVED: AsciiSet =
        NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(&path.to_string_lossy(), &RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped_in_uris() {
        assert_eq!(uri(Path::new("../my files/50%#1.yaml")), "../my%20files/50%25%231.yaml");
    }
}
