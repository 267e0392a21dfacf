//! The marked blocks of an imported file. Each route stands between two comments, of which the first has the hash of the text
//! between them: a block whose text no longer fits its hash was edited by hand, and is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::import::notes::Notes;
use crate::scenario::document;

const BEGIN: &str = "  # imported: ";
const END: &str = "  # end of ";

/// Whether a file has imported routes.
pub(crate) fn has_routes(text: &str) -> bool {
    text.contains(BEGIN.trim_start())
}

/// One imported route.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// `GET /v1/business/{id}`.
    id: String,
    order: (usize, String),
    lines: Vec<String>,
}

impl Block {
    pub(super) fn new(id: String, order: (usize, String), lines: Vec<String>) -> Self {
        Self { id, order, lines }
    }

    fn text(&self) -> String {
        let lines = self.lines.join("\n");
        format!("{BEGIN}{} {}\n{lines}\n{END}{}\n", self.id, hash(&self.lines), self.id)
    }
}

fn hash(lines: &[String]) -> String {
    let digest = Sha256::digest(lines.join("\n").as_bytes());
    let first = digest.iter().take(8).fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    format!("{first:016x}")
}

/// A block as it stands in the file.
struct Known {
    id: String,
    /// The text before it that belongs to no block.
    before: String,
    /// Its first line, of which the hash may have been damaged.
    marker: String,
    hash: String,
    lines: Vec<String>,
}

impl Known {
    fn is_edited(&self) -> bool {
        hash(&self.lines) != self.hash
    }

    /// As it stands in the file.
    fn text(&self) -> String {
        let mut text = format!("{}\n", self.marker);
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        text + &format!("{END}{}\n", self.id)
    }

    fn order(&self) -> (usize, String) {
        let (method, path) = self.id.split_once(' ').unwrap_or(("", &self.id));
        (path.matches('{').count(), format!("{path} {method}"))
    }
}

/// A file as it stands before an import.
pub(super) struct File {
    /// What stands before the first block.
    head: String,
    known: Vec<Known>,
    /// What stands behind the last block.
    tail: String,
}

impl File {
    /// Splits a file into its blocks and what stands around them. A new file names the document.
    pub(super) fn new(document: &str, existing: Option<&str>) -> Self {
        let (head, known, tail) = existing.map_or_else(|| (head(document), Vec::new(), String::new()), split);
        Self { head, known, tail }
    }

    /// Whether an operation has a block that was edited, which is kept in its place.
    pub(super) fn keeps(&self, id: &str) -> bool {
        self.known.iter().any(|block| block.id == id && block.is_edited())
    }

    /// The names of the routes that stay as they are: those outside of blocks, and those of blocks that are kept. `all` are the
    /// operations of the document, and `written` those that are written anew.
    pub(super) fn names_that_stay(
        &self,
        all: &BTreeSet<String>,
        written: &BTreeSet<String>,
    ) -> BTreeSet<String> {
        let mut text = self.head.clone();
        for block in &self.known {
            text.push_str(&block.before);
            if block.is_edited() || (all.contains(&block.id) && !written.contains(&block.id)) {
                text.push_str(&block.text());
            }
        }
        text.push_str(&self.tail);
        // A file that cannot be read has mistakes that the loader tells.
        let parsed = document::parse(Path::new("imported.yaml"), text.as_bytes());
        let routes = parsed.ok().and_then(|(parsed, _)| parsed["routes"].as_array().cloned());
        let names = routes.iter().flatten().filter_map(|route| route["name"].as_str());
        names.map(str::to_owned).collect()
    }

    /// The file with the new blocks. Blocks that were edited are kept, and so is what stands outside of blocks.
    pub(super) fn merge(self, blocks: Vec<Block>, all: &BTreeSet<String>, notes: &mut Notes) -> String {
        let mut pieces: Vec<((usize, String), String)> = Vec::new();
        let mut fresh: BTreeMap<String, Block> =
            blocks.into_iter().map(|block| (block.id.clone(), block)).collect();
        for block in self.known {
            let (order, before) = (block.order(), block.before.clone());
            let text = match fresh.remove(&block.id) {
                Some(new) => new.text(),
                // It is in the document, and was edited or not selected.
                None if all.contains(&block.id) => block.text(),
                None if block.is_edited() => {
                    notes.tell(&block.id, "no longer imported; its block was edited, and is kept");
                    block.text()
                }
                None => {
                    notes.tell(&block.id, "no longer imported, and removed");
                    String::new()
                }
            };
            pieces.push((order, before + &text));
        }
        pieces.extend(fresh.into_values().map(|block| (block.order.clone(), block.text())));
        pieces.sort_by(|(one, _), (other, _)| one.cmp(other));
        let body: String = pieces.into_iter().map(|(_, text)| text).collect();
        self.head + &body + &self.tail
    }
}

fn head(name: &str) -> String {
    format!(
        "# Routes that `standin import` made from {name}.\n#\n# A block between `# imported` and `# end` is replaced when the document is imported \
         again, unless it was edited: then it is\n# yours, and is kept. What stands outside of the blocks is kept as well.\nstandin: 1\nroutes:\n"
    )
}

/// The operation and the hash of a marker. A hash that is missing fits no text, so that its block counts as edited.
fn marked(rest: &str) -> Option<(String, String)> {
    let mut parts = rest.split_whitespace();
    let (method, path) = (parts.next()?, parts.next()?);
    path.starts_with('/').then(|| (format!("{method} {path}"), parts.collect()))
}

/// What stands before the first block, the blocks, and what stands behind the last one.
fn split(text: &str) -> (String, Vec<Known>, String) {
    let (mut blocks, mut outside) = (Vec::new(), String::new());
    let mut head = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((id, hash)) = line.strip_prefix(BEGIN).and_then(marked) else {
            outside.push_str(line);
            outside.push('\n');
            continue;
        };
        let end = format!("{END}{id}");
        let mut inside = Vec::new();
        // A block without its end reaches to the next one.
        while let Some(next) = lines.next_if(|next| !next.starts_with(BEGIN)) {
            if next == end {
                break;
            }
            inside.push(next.to_owned());
        }
        let before = std::mem::take(&mut outside);
        let before = if head.is_none() {
            head = Some(before);
            String::new()
        } else {
            before
        };
        blocks.push(Known { id, before, marker: line.to_owned(), hash, lines: inside });
    }
    match head {
        Some(head) => (head, blocks, outside),
        None => (outside, blocks, String::new()),
    }
}
