//! Tests of the whole loader.

mod corpus;
mod folders;
mod laws;
mod limits;
mod schema;
mod sections;
mod values;

use std::path::{Path, PathBuf};

use crate::api::dates::Day;
use crate::scenario::files::{Disk, Memory};
use crate::scenario::model::Scenario;
use crate::scenario::{LoadContext, LoadedScenario, load, load_text, render};

const TODAY: Day = Day(20_634);

fn here(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)
}

fn from_disk(folder: &str, file: &str) -> LoadedScenario {
    load(&LoadContext { files: &Disk, root: here(folder), now: TODAY.start() }, &here(folder).join(file))
}

fn from_text(text: &str) -> LoadedScenario {
    load_text(
        &LoadContext { files: &Memory::default(), root: PathBuf::new(), now: TODAY.start() },
        "test",
        text,
    )
}

fn codes(loaded: &LoadedScenario) -> Vec<&'static str> {
    loaded.diagnostics.iter().map(|problem| problem.code).collect()
}

fn loaded(text: &str) -> Scenario {
    let loaded = from_text(text);
    let rendered: Vec<String> =
        loaded.diagnostics.iter().map(|problem| render::human(problem, false)).collect();
    loaded.scenario.unwrap_or_else(|| panic!("{}", rendered.join("\n\n")))
}
