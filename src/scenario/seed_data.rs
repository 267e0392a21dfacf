//! Seed data: records in a file beside the scenario, with the same keys as records in the scenario itself.

use std::path::Path;

use crate::scenario::diagnostic::Findings;
use crate::scenario::loader::{self, Loader};
use crate::scenario::node::{Node, Value};
use crate::scenario::raw_records::SeedData;
use crate::scenario::read::RawMap;
use crate::scenario::report::wrong_kind;
use crate::scenario::{csv, json, yaml};

/// Maximum size of a seed-data file, and of all that a scenario reads, in bytes. A file read twice counts twice.
const LIMIT: u64 = 256 << 20;
/// Maximum number of records in all seed-data files of a scenario.
const MAX_RECORDS: usize = 1_000_000;
/// Maximum number of tags and other elements of lists in all seed-data files of a scenario: each takes some 60 bytes, however
/// short it is.
const MAX_ELEMENTS: usize = 2_000_000;
/// Maximum number of values in one record, which is read whole.
pub(crate) const MAX_VALUES: usize = 10_000;

/// What the seed-data files of a scenario have in all.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    records: usize,
    elements: usize,
    is_reported: bool,
}

impl Counts {
    /// Counts a record. Reports the first one beyond a limit, and has no room for any then.
    fn has_room_for(&mut self, findings: &mut Findings, record: &Node) -> bool {
        let lists =
            record.entries().unwrap_or_default().iter().filter_map(|entry| match &entry.value.value {
                Value::List(list) => Some(list.len()),
                Value::Null | Value::Scalar(_) | Value::Map(_) => None,
            });
        self.records += 1;
        self.elements += lists.sum::<usize>();
        let what = match self {
            Self { records, .. } if *records > MAX_RECORDS => format!("{MAX_RECORDS} records"),
            Self { elements, .. } if *elements > MAX_ELEMENTS => format!("{MAX_ELEMENTS} elements of lists"),
            Self { .. } => return true,
        };
        if !std::mem::replace(&mut self.is_reported, true) {
            findings
                .error("limit", record.span, format!("the seed-data files have more than {what} in all"))
                .help("`generate` makes reviews that need hardly any memory");
        }
        false
    }
}

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
    let named = file.span;
    let Some((file, text)) = loader::open(loader, &path, Some(named), LIMIT) else { return };
    loader.seed_bytes += text.len() as u64;
    if loader.seed_bytes > LIMIT {
        let message = format!("the seed-data files are larger than {} MiB in all", LIMIT >> 20);
        loader
            .findings
            .error("limit", named, message)
            .help("`generate` makes reviews that need hardly any memory");
        return;
    }
    let (findings, counts) = (&mut loader.findings, &mut loader.seed_counts);
    let mut read_one = |findings: &mut Findings, node: &Node| {
        if counts.has_room_for(findings, node)
            && let Some(raw) = R::read(findings, node)
        {
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
        _ => {
            if let Some(node) = yaml::elements(findings, (file, &text), &mut read_one) {
                wrong_kind(findings, &node, "a file of records is a list (`- …`)");
            }
        }
    }
    loader.sources.set(file, text);
}
