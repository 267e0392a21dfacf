//! Seed data: records from a file beside the scenario, read one by one with the same keys as records in it.

use std::path::Path;

use crate::scenario::diagnostic::Findings;
use crate::scenario::loader::{self, Loader};
use crate::scenario::node::{Node, Value};
use crate::scenario::raw_records::SeedData;
use crate::scenario::read::RawMap;
use crate::scenario::report::wrong_kind;
use crate::scenario::{csv, json, yaml};

/// A seed-data file may be so large.
pub const LIMIT: u64 = 256 << 20;

/// Reads the records of a file and acts on each that can be read.
pub fn read<R: RawMap>(loader: &mut Loader, entry: SeedData, mut act: impl FnMut(&mut Findings, R)) {
    let Some(named) = entry.file else { return };
    let name = &named.value.0;
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let known = ["csv", "json", "jsonl", "yaml", "yml"];
    let Some(ending) = known.into_iter().find(|known| Some(*known) == ending.as_deref()) else {
        loader
            .findings
            .error(
                "file-kind",
                named.span,
                format!("the ending of `{name}` does not say what kind of file it is"),
            )
            .help("allowed: .csv, .json, .jsonl, .yaml and .yml");
        return;
    };
    let Some(path) = loader::resolve(loader, name, named.span) else { return };
    let Some((file, text)) = loader::text(loader, &path, Some(named.span), LIMIT) else { return };
    let findings = &mut loader.findings;
    let mut one = |findings: &mut Findings, node: &Node| {
        if let Some(raw) = R::read(findings, node) {
            act(findings, raw);
        }
    };
    match ending {
        "csv" => {
            let keys: Vec<&'static str> = R::keys().collect();
            csv::records(findings, (file, &text), &keys, &mut one);
        }
        "json" => json::elements(findings, (file, &text), &mut one),
        "jsonl" => json::lines(findings, (file, &text), &mut one),
        _ => match yaml::parse(findings, file, &text) {
            Some(Node { value: Value::List(list), .. }) => list.iter().for_each(|node| one(findings, node)),
            Some(node) => wrong_kind(findings, &node, "a file of records is a list (`- …`)"),
            None => {}
        },
    }
    loader.sources.set(file, text);
}
