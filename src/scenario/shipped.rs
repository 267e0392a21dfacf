//! The scenarios and seed data that are part of the program, so that it serves the demo in an empty folder.

use std::path::{Path, PathBuf};

use crate::scenario::files::Memory;

/// The folder in which the shipped files appear to be.
pub(crate) const FOLDER: &str = "/standin";

macro_rules! shipped {
    ($($path:literal,)*) => {
        /// The files, with their paths from the top of the project. A test holds that none is missing.
        pub(crate) const FILES: &[(&str, &[u8])] = &[$(($path, include_bytes!(concat!("../../", $path)))),*];
    };
}

shipped! {
    "scenarios/as-published.yaml",
    "scenarios/deep-pages.yaml",
    "scenarios/demo.yaml",
    "scenarios/edge-cases/dates.yaml",
    "scenarios/edge-cases/edge-cases.yaml",
    "scenarios/edge-cases/numbers.yaml",
    "scenarios/edge-cases/texts.yaml",
    "scenarios/empty-account.yaml",
    "scenarios/faults/bad-key.yaml",
    "scenarios/faults/broken-answers.yaml",
    "scenarios/faults/dirty-network.yaml",
    "scenarios/faults/down.yaml",
    "scenarios/faults/first-try-fails.yaml",
    "scenarios/faults/flaky.yaml",
    "scenarios/faults/invalid-enterprise.yaml",
    "scenarios/faults/invalid-number.yaml",
    "scenarios/faults/lost-answers.yaml",
    "scenarios/faults/outage.yaml",
    "scenarios/faults/rate-limited.yaml",
    "scenarios/faults/schema-drift.yaml",
    "scenarios/faults/silent.yaml",
    "scenarios/faults/slow.yaml",
    "scenarios/faults/tight-limit.yaml",
    "scenarios/faults/webhook-faults.yaml",
    "scenarios/languages.yaml",
    "scenarios/legacy.yaml",
    "scenarios/live-conversation.yaml",
    "scenarios/many-locations.yaml",
    "scenarios/parts/platform.yaml",
    "scenarios/stories/review-bomb.yaml",
    "scenarios/stories/turnaround.yaml",
    "scenarios/stories/viral.yaml",
    "seed-data/demo-beaverton-reviews.jsonl",
    "seed-data/demo-capitol-hill-reviews.yaml",
    "seed-data/demo-contacts.csv",
    "seed-data/demo-contacts.yaml",
    "seed-data/demo-mission-bay-questions.yaml",
    "seed-data/demo-mission-bay-reviews.csv",
    "seed-data/demo-oakland-questions.csv",
    "seed-data/demo-oakland-reviews.json",
    "seed-data/demo-pearl-district-reviews.jsonl",
    "seed-data/edge-cases-contacts.json",
    "seed-data/edge-cases-questions.jsonl",
    "seed-data/edge-cases-reviews.jsonl",
    "seed-data/languages-questions.json",
    "seed-data/many-locations-contacts.jsonl",
    "seed-data/review-bomb-regulars.jsonl",
    "seed-data/review-bomb-strangers.jsonl",
    "seed-data/turnaround-after.jsonl",
    "seed-data/turnaround-before.jsonl",
    "seed-data/viral-crowd.jsonl",
    "seed-data/viral-wave.jsonl",
}

/// The files, in their folder.
pub(crate) fn files() -> Memory {
    let place = |(path, bytes): &(&str, &[u8])| (Path::new(FOLDER).join(path), bytes.to_vec());
    Memory(FILES.iter().map(place).collect())
}

/// The path of a scenario of the program from the top of the project. Each has its name in a line of its own.
pub(crate) fn path_of(name: &str) -> Option<&'static str> {
    let line = format!("name: {name}");
    let has_line = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').any(|other| other == line.as_bytes());
    let mut files = FILES.iter().filter(|(path, _)| path.starts_with("scenarios/"));
    files.find(|(_, bytes)| has_line(bytes)).map(|(path, _)| *path)
}

/// The path of a shipped file from the top of the project, from where it appears to be.
pub(crate) fn relative(path: &Path) -> PathBuf {
    path.strip_prefix(FOLDER).unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::scenario::load_all;
    use std::collections::BTreeSet;

    #[test]
    fn every_scenario_and_its_seed_data_are_shipped() {
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut found = BTreeSet::new();
        let mut folders = vec![top.join("scenarios"), top.join("seed-data")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let is_list = path.starts_with(top.join("seed-data/names"))
                    || path.starts_with(top.join("seed-data/phrases"));
                if path.is_dir() {
                    folders.push(path);
                } else if !is_list {
                    found.insert(path.strip_prefix(top).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        assert_eq!(FILES.iter().map(|(path, _)| (*path).to_owned()).collect::<BTreeSet<_>>(), found);
    }

    #[test]
    fn every_scenario_of_the_program_is_found_by_its_name() {
        let folder = load_all(&files(), Moment(0), &["scenarios/".into()], None, Path::new(FOLDER));
        assert!(folder.names().count() > 20);
        for loaded in &folder.scenarios {
            let path = path_of(loaded.name.as_deref().unwrap()).unwrap();
            assert_eq!(relative(&loaded.path), Path::new(path));
        }
        assert_eq!(path_of("dem"), None);
    }
}
