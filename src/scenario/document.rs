//! Reads a foreign document of YAML or JSON, such as an OpenAPI document.

use std::path::Path;

use serde_json::Value;

use crate::scenario::diagnostic::{Findings, Severity};
use crate::scenario::render;
use crate::scenario::source::Sources;
use crate::scenario::yaml;

/// The document, and its mistakes that do not keep it from being read, one line for each.
///
/// # Errors
/// It is neither YAML nor JSON; the text says where.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<(Value, Vec<String>), String> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| format!("{}: not UTF-8: {error}", path.display()))?;
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        match serde_json::from_str(text) {
            Ok(value) => return Ok((value, Vec::new())),
            // Flow style of YAML begins with a brace, too.
            Err(error) if path.extension().is_some_and(|extension| extension == "json") => {
                return Err(format!("{}: not JSON: {error}", path.display()));
            }
            Err(_) => {}
        }
    }
    let (mut findings, mut sources) = (Findings::default(), Sources::default());
    let file = sources.add(path, text.to_owned());
    let node = yaml::parse(&mut findings, file, text);
    let diagnostics = findings.into_diagnostics(&sources);
    let lines: Vec<String> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| diagnostic.message.clone())
        .collect();
    match node {
        // A key that stands twice is a mistake of many documents; the first counts.
        Some(node) if diagnostics.iter().all(|diagnostic| diagnostic.code == "duplicate-key") => {
            Ok((node.to_json(), lines))
        }
        Some(_) | None => Err(diagnostics
            .iter()
            .map(|diagnostic| render::human(diagnostic, false))
            .collect::<Vec<_>>()
            .join("\n\n")),
    }
}
