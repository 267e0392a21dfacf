//! Imports routes from an OpenAPI document: each operation becomes a route with static answers. What the document says is kept as
//! far as routes can say it, and what cannot be taken over is told.

/// The operations of a document, and its references.
mod document;
/// The credentials that operations ask for.
mod security;
/// Schemas of a document as JSON Schemas.
mod convert;
/// Enumerations that contradict their type.
mod enumeration;
/// Values that fit a schema.
pub(crate) mod generate;
/// Texts that fit a pattern.
mod pattern;
/// What requests must fit.
mod request;
/// What operations answer.
mod answers;
/// A route as text.
mod route;
/// Values as text.
mod write;
/// The marked blocks of a file.
mod blocks;
/// What could not be taken over.
mod notes;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use crate::api::dates::Day;
pub(crate) use crate::import::blocks::has_routes;
use crate::import::blocks::{Block, File};
pub(crate) use crate::import::document::Only;
use crate::import::document::{Document, Found};
use crate::import::notes::Notes;
use crate::import::route::Names;
use crate::scenario::diagnostic::Severity;
use crate::scenario::files::Memory;
use crate::scenario::loader::SCENARIO_LIMIT;
use crate::scenario::{LoadContext, load_text};

/// The result of an import.
#[derive(Debug)]
pub(crate) struct Imported {
    /// The text of the file.
    pub(crate) text: String,
    /// What could not be taken over, and what was kept, line by line.
    pub(crate) told: Vec<String>,
    /// Number of routes that were written.
    pub(crate) routes: usize,
}

/// Makes the text of a scenario file from a document. Blocks of `existing` that were edited are kept.
///
/// # Errors
/// The document is none that can be imported, or the scenario would be too large to be loaded.
pub(crate) fn import(
    document: &Value,
    only: &[Only],
    (name, existing): (&str, Option<&str>),
) -> Result<Imported, String> {
    let document = Document::new(document)?;
    let mut notes = Notes::default();
    let Found { operations, all } = document.operations(only, &mut notes);
    if operations.is_empty() {
        return Err(if all.is_empty() {
            "the document has no operations".to_owned()
        } else {
            format!("`--only` selects none of the {} operations", all.len())
        });
    }
    let file = File::new(name, existing);
    let (kept, written): (Vec<_>, Vec<_>) =
        operations.iter().partition(|operation| file.keeps(&operation.id()));
    for operation in kept {
        notes.tell(operation.id(), "its block was edited, and is kept");
    }
    let ids: BTreeSet<String> = written.iter().map(|operation| operation.id()).collect();
    let mut names = Names::new(file.names_that_stay(&all, &ids));
    let blocks: Vec<Block> = written
        .into_iter()
        .map(|operation| {
            let lines = route::text(&document, operation, &mut names, &mut notes);
            Block::new(operation.id(), operation.order(), lines)
        })
        .collect();
    let routes = blocks.len();
    if routes > 0 {
        // Blocks that were edited by hand may refer to what another file has, and are not looked at.
        let fresh = File::new(name, None).merge(blocks.clone(), &all, &mut Notes::default());
        check_size(&fresh)?;
        check_loads(&fresh)?;
    }
    let text = file.merge(blocks, &all, &mut notes);
    check_size(&text)?;
    Ok(Imported { text, told: notes.into_lines(), routes })
}

/// Checks that the loader reads a file of that size.
fn check_size(text: &str) -> Result<(), String> {
    let size = text.len() as u64;
    if size <= SCENARIO_LIMIT {
        return Ok(());
    }
    Err(format!(
        "the scenario would have {} KiB, and one of at most {} KiB is loaded: import a part of the operations into each of several \
         files, with `--only 'GET /v1/business/**'` and a file of its own for `--out`, and include them",
        size.div_ceil(1 << 10),
        SCENARIO_LIMIT >> 10
    ))
}

/// Checks that what is written can be loaded.
fn check_loads(text: &str) -> Result<(), String> {
    let files = Memory::default();
    let context = LoadContext { files: &files, root: PathBuf::new(), now: Day(0).start() };
    let loaded = load_text(&context, "imported", text);
    let error = loaded.diagnostics.iter().find(|found| found.severity == Severity::Error);
    error.map_or(Ok(()), |error| {
        Err(format!(
            "what would be written cannot be loaded: {}; leave the operation out by `--only`, and report this",
            error.message
        ))
    })
}

/// The schema of the first answer below 300 of an operation, as it stands by itself.
#[cfg(test)]
pub(crate) fn answer_schema(document: &Value, method: &str, path: &str) -> Option<Value> {
    let parsed = Document::new(document).unwrap();
    let operation = &document["paths"][path][method.to_lowercase()];
    let (_, response) =
        operation["responses"].as_object()?.iter().find(|(status, _)| status.starts_with('2'))?;
    let schema = response["content"]["application/json"].get("schema")?;
    convert::convert(&parsed, schema, ("", convert::Sender::Server), &mut Notes::default())
}
