//! Finds the scenarios in folders, loads them, and checks them against each other.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::api::dates::Day;
use crate::scenario::diagnostic::{Diagnostic, Findings, Severity, SourceLocation};
use crate::scenario::files::{Files, normalize_path};
use crate::scenario::loader::SCENARIO_LIMIT;
use crate::scenario::node::Node;
use crate::scenario::source::FileId;
use crate::scenario::{LoadContext, LoadedFolder, LoadedScenario, load, yaml};

/// Maximum depth of nested folders.
const MAX_DEPTH: usize = 32;

pub(crate) fn load_all(
    files: &dyn Files,
    today: Day,
    paths: &[PathBuf],
    root: Option<&Path>,
    cwd: &Path,
) -> LoadedFolder {
    let mut found = Discovered::default();
    for path in paths {
        let path = normalize_path(&cwd.join(path));
        if files.is_folder(&path) {
            walk(files, &path, MAX_DEPTH, &mut found);
        } else {
            found.scenarios.insert(path);
        }
    }
    let mut scenarios = Vec::with_capacity(found.scenarios.len());
    for path in &found.scenarios {
        let root = root.map_or_else(|| default_root(path, cwd), |root| normalize_path(&cwd.join(root)));
        scenarios.push(load(&LoadContext { files, root, today }, path));
    }
    scenarios.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    reject_duplicate_names(&mut scenarios);
    reject_own_worlds_named_like_scenarios(&mut scenarios);

    let used: BTreeSet<&PathBuf> = scenarios.iter().flat_map(|loaded| &loaded.files).collect();
    let unused_parts = found.parts.iter().filter(|part| !used.contains(part));
    let mut diagnostics = found.diagnostics;
    diagnostics.extend(unused_parts.map(|part| unused(part)));
    let folders_of_files = used.into_iter().filter_map(|file| file.parent()).map(Path::to_owned);
    found.folders.extend(folders_of_files);
    shorten_paths(
        scenarios.iter_mut().flat_map(|loaded| &mut loaded.diagnostics).chain(&mut diagnostics),
        cwd,
    );
    LoadedFolder { scenarios, diagnostics, dirs: found.folders.into_iter().collect() }
}

fn default_root(path: &Path, cwd: &Path) -> PathBuf {
    if path.starts_with(cwd) && cwd.parent().is_some() {
        return cwd.to_owned();
    }
    path.parent().unwrap_or(Path::new("")).to_owned()
}

/// What the search for scenario files has found.
#[derive(Default)]
struct Discovered {
    scenarios: BTreeSet<PathBuf>,
    /// Files with `part: true`, which are there only to be included.
    parts: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
    diagnostics: Vec<Diagnostic>,
}

fn walk(files: &dyn Files, folder: &Path, depth: usize, found: &mut Discovered) {
    if depth == 0 || !found.folders.insert(folder.to_owned()) {
        return;
    }
    let entries = match files.list(folder) {
        Ok(entries) => entries,
        Err(error) => {
            let message = format!("the folder {} cannot be read: {error}", folder.display());
            found.diagnostics.push(diagnostic(Severity::Error, "no-file", message, start_of(folder)));
            return;
        }
    };
    for (path, is_folder) in entries {
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
            continue;
        }
        let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        if is_folder {
            walk(files, &path, depth - 1, found);
        } else if is_yaml {
            match kind(files, &path) {
                Kind::Scenario => found.scenarios.insert(path),
                Kind::Part => found.parts.insert(path),
                Kind::Other => continue,
            };
        }
    }
}

enum Kind {
    Scenario,
    Part,
    Other,
}

impl Kind {
    const fn of(has_version: bool, is_part: bool) -> Self {
        match (has_version, is_part) {
            (true, true) => Self::Part,
            (true, false) => Self::Scenario,
            (false, _) => Self::Other,
        }
    }
}

/// A YAML file is a scenario or a part if it has the key `standin`.
fn kind(files: &dyn Files, path: &Path) -> Kind {
    let bytes = match files.read(path, SCENARIO_LIMIT) {
        Ok(bytes) => bytes,
        // The file is too large for a scenario, so it is probably seed data.
        Err(error) if error.kind() == ErrorKind::FileTooLarge => return Kind::Other,
        // The file may be a scenario. Loading it reports why it cannot be read.
        Err(_) => return Kind::Scenario,
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    if !text.contains("standin") {
        return Kind::Other;
    }
    let Some(node) = yaml::parse(&mut Findings::default(), FileId(0), text) else {
        // The syntax is broken, so look for lines that begin with the keys.
        let has_line = |start| text.lines().any(|line| line.trim_start_matches('{').starts_with(start));
        return Kind::of(has_line("standin"), has_line("part: true"));
    };
    let entries = node.entries().unwrap_or_default();
    let is_part = node.get("part").and_then(Node::scalar).is_some_and(|part| &*part.text == "true");
    Kind::of(entries.iter().any(|entry| &*entry.key == "standin"), is_part)
}

/// Reports scenarios of the same name, each at its own place. None of them loads.
fn reject_duplicate_names(scenarios: &mut [LoadedScenario]) {
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, loaded) in scenarios.iter().enumerate() {
        if let Some(name) = &loaded.name {
            by_name.entry(name.clone()).or_default().push(index);
        }
    }
    for (name, indices) in by_name.into_iter().filter(|(_, indices)| indices.len() > 1) {
        for index in &indices {
            let others = indices.iter().filter(|other| *other != index);
            let mut duplicate = diagnostic(
                Severity::Error,
                "duplicate-name",
                format!("another scenario is named `{name}` too"),
                scenarios[*index].name_location.clone(),
            );
            duplicate.related = others.map(|other| scenarios[*other].name_location.clone()).collect();
            duplicate.help = Some("give one of them another `name`".to_owned());
            let loaded = &mut scenarios[*index];
            loaded.diagnostics.push(duplicate);
            loaded.scenario = None;
        }
    }
}

/// Reports keys whose own world has the name of another scenario. Their scenarios do not load.
fn reject_own_worlds_named_like_scenarios(scenarios: &mut [LoadedScenario]) {
    let names: BTreeSet<String> = scenarios.iter().filter_map(|loaded| loaded.name.clone()).collect();
    for loaded in scenarios {
        let own_name = loaded.name.clone().unwrap_or_default();
        for (world, location) in &loaded.own_worlds {
            if *world != own_name && names.contains(world) {
                loaded.diagnostics.push(own_world_named_like_scenario(world, location.clone()));
                loaded.scenario = None;
            }
        }
    }
}

/// The error at a key whose own world has the name of a scenario.
pub(crate) fn own_world_named_like_scenario(name: &str, location: SourceLocation) -> Diagnostic {
    let message = format!("`{name}` is the name of a scenario, and so that of its standing world");
    let error = diagnostic(Severity::Error, "world-name", message, location);
    Diagnostic { help: Some("give the key another name".to_owned()), ..error }
}

/// The error at a scenario that has the name of a key's own world.
pub(crate) fn scenario_named_like_own_world(name: &str, location: SourceLocation) -> Diagnostic {
    let message = format!("`{name}` is the name of a key's own world");
    let error = diagnostic(Severity::Error, "world-name", message, location);
    Diagnostic { help: Some("give the scenario another name".to_owned()), ..error }
}

fn unused(part: &Path) -> Diagnostic {
    let message = "no scenario includes this part".to_owned();
    diagnostic(Severity::Warning, "unused-file", message, start_of(part))
}

fn diagnostic(
    severity: Severity,
    code: &'static str,
    message: String,
    location: SourceLocation,
) -> Diagnostic {
    Diagnostic { severity, code, message, help: None, location, related: Vec::new() }
}

fn start_of(path: &Path) -> SourceLocation {
    SourceLocation { file: path.to_owned(), line: 1, column: 1, ..SourceLocation::default() }
}

/// Makes the paths in diagnostics relative to the working directory.
pub(crate) fn shorten_paths<'a>(diagnostics: impl IntoIterator<Item = &'a mut Diagnostic>, cwd: &Path) {
    for diagnostic in diagnostics {
        for location in std::iter::once(&mut diagnostic.location).chain(&mut diagnostic.related) {
            if let Ok(short) = location.file.strip_prefix(cwd) {
                location.file = short.to_owned();
            }
        }
        let prefix = format!("{}/", cwd.display());
        if prefix.len() > 1 {
            diagnostic.message = diagnostic.message.replace(&prefix, "");
        }
    }
}
