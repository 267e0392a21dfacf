//! Seed data: records in a file beside the scenario, with the same keys as records in the scenario itself.

use std::path::Path;

use crate::scenario::diagnostic::Findings;
use crate::scenario::loader::{self, Loader};
use crate::scenario::node::{Node, Value};
use crate::scenario::raw_records::SeedData;
use crate::scenario::read::RawMap;
use crate::scenario::report::wrong_kind;
use crate::scenario::{csv, json, yaml};

/// Maximum size of a seed-data file, in bytes.
const LIMIT: u64 = 256 << 20;

/// Reads the records of a file and passes each valid one to `visit`.
pub(crate) fn read<R: RawMap>(loader: &mut Loader, entry: SeedData, mut visit: impl FnMut(&mut Findings, R)) {
    let Some(file) = entry.file else { return };
    let name = &file.value.0;
    let extension =
        Path::new(name).extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    let supported = ["csv", "json", "jsonl", "yaml", "yml"];
    let Some(extension) = supported.into_iter().find(|one| Some(*one) == extension.as_deref()) else {
        loader
            .findings
            .error(
                "file-kind",
                file.span,
                format!("the extension of `{name}` is not one of a seed-data file"),
            )
            .help("allowed: .csv, .json, .jsonl, .yaml and .yml");
        return;
    };
    let Some(path) = loader::resolve_path(loader, name, file.span) else { return };
    let Some((file, text)) = loader::open(loader, &path, Some(file.span), LIMIT) else { return };
    let findings = &mut loader.findings;
    let mut read_one = |findings: &mut Findings, node: &Node| {
        if let Some(raw) = R::read(findings, node) {
            visit(findings, raw);
        }
    };
    match extension {
        "csv" => {
            let keys: Vec<&'static str> = R::keys().collect();
            csv::records(findings, (file, &text), &keys, &mut read_one);
        }
        "json" => json::elements(findings, (file, &text), &mut read_one),
        "jsonl" => json::lines(findings, (file, &text), &mut read_one),
        _ => match yaml::parse(findings, file, &text) {
            Some(Node { value: Value::List(list), .. }) => {
                for node in &list {
                    read_one(findings, node);
                }
            }
            Some(node) => wrong_kind(findings, &node, "a file of records is a list (`- …`)"),
            None => {}
        },
    }
    loader.sources.set(file, text);
}
