//! Imports routes from an OpenAPI document: each operation becomes a route with static answers. What the document says is kept as
//! far as routes can say it, and what cannot be taken over is told.

/// The operations of a document, and its references.
mod document;
/// Schemas of a document as JSON Schemas.
mod convert;
/// Values that fit a schema.
pub(crate) mod generate;
/// Texts that fit a pattern.
mod pattern;
/// A route as text.
mod route;
/// The marked blocks of a file.
mod blocks;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub(crate) use crate::import::blocks::has_routes;
use crate::import::blocks::{Block, merge};
pub(crate) use crate::import::document::Only;
use crate::import::document::{Document, Found};

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
/// The document is none that can be imported.
pub(crate) fn import(
    document: &Value,
    only: &[Only],
    (name, existing): (&str, Option<&str>),
) -> Result<Imported, String> {
    let document = Document::new(document)?;
    let mut told = Vec::new();
    let Found { operations, all } = document.operations(only, &mut told);
    if operations.is_empty() {
        return Err(if all.is_empty() {
            "the document has no operations".to_owned()
        } else {
            format!("`--only` selects none of the {} operations", all.len())
        });
    }
    let mut names = std::collections::BTreeSet::new();
    let blocks: Vec<Block> = operations
        .iter()
        .map(|operation| {
            let lines = route::text(&document, operation, &mut names, &mut told);
            Block::new(operation.id(), operation.order(), lines)
        })
        .collect();
    let routes = blocks.len();
    let text = merge(blocks, &all, (name, existing), &mut told);
    Ok(Imported { text, told, routes })
}

/// The schema of the first answer below 300 of an operation, as it stands by itself.
#[cfg(test)]
pub(crate) fn answer_schema(document: &Value, method: &str, path: &str) -> Option<Value> {
    let parsed = Document::new(document).unwrap();
    let operation = &document["paths"][path][method.to_lowercase()];
    let (_, response) =
        operation["responses"].as_object()?.iter().find(|(status, _)| status.starts_with('2'))?;
    let schema = response["content"]["application/json"].get("schema")?;
    convert::convert(&parsed, schema, "", &mut Vec::new())
}
