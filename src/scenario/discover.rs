//! Which files of a folder are scenarios, and what only shows when all of them are looked at together.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::api::dates::Day;
use crate::scenario::diagnostic::{Diagnostic, Findings, Severity, SourceLocation};
use crate::scenario::files::{Files, normalize_path};
use crate::scenario::loader::SCENARIO_LIMIT;
use crate::scenario::source::FileId;
use crate::scenario::{LoadContext, LoadedFolder, LoadedScenario, load, yaml};

/// Folders are gone through so deep.
const DEPTH: usize = 32;

/// What `load_all` says.
#[must_use]
pub fn all(
    files: &dyn Files,
    today: Day,
    paths: &[PathBuf],
    root: Option<&Path>,
    cwd: &Path,
) -> LoadedFolder {
    let mut found = Found::default();
    for path in paths {
        let path = normalize_path(&cwd.join(path));
        if files.is_folder(&path) {
            walk(files, &path, DEPTH, &mut found);
        } else {
            found.scenarios.insert(path);
        }
    }
    let mut folder = LoadedFolder::default();
    for path in &found.scenarios {
        let root = root.map_or_else(|| default_root(path, cwd), |root| normalize_path(&cwd.join(root)));
        folder.scenarios.push(load(&LoadContext { files, root, today }, path));
    }
    folder.scenarios.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    same_names(&mut folder.scenarios);
    own_worlds(&mut folder.scenarios);
    let used: BTreeSet<&PathBuf> = folder.scenarios.iter().flat_map(|loaded| &loaded.files).collect();
    folder.diagnostics = found.diagnostics;
    folder
        .diagnostics
        .extend(found.parts.into_iter().filter(|part| !used.contains(part)).map(|part| unused(&part)));
    let parents = used.into_iter().filter_map(|file| file.parent()).map(Path::to_owned);
    found.folders.extend(parents);
    folder.dirs = found.folders.into_iter().collect();
    let diagnostics = folder.scenarios.iter_mut().flat_map(|loaded| &mut loaded.diagnostics);
    shorten_paths(diagnostics.chain(&mut folder.diagnostics), cwd);
    folder
}

/// The working directory if the scenario lies under it, else the scenario's own folder.
fn default_root(path: &Path, cwd: &Path) -> PathBuf {
    if path.starts_with(cwd) && cwd.parent().is_some() {
        return cwd.to_owned();
    }
    path.parent().unwrap_or(Path::new("")).to_owned()
}

#[derive(Default)]
struct Found {
    scenarios: BTreeSet<PathBuf>,
    parts: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
    diagnostics: Vec<Diagnostic>,
}

fn walk(files: &dyn Files, folder: &Path, depth: usize, found: &mut Found) {
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
        let yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        if is_folder {
            walk(files, &path, depth - 1, found);
        } else if yaml {
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

fn kind(files: &dyn Files, path: &Path) -> Kind {
    let bytes = match files.read(path, SCENARIO_LIMIT) {
        Ok(bytes) => bytes,
        // Too large for a scenario: seed data, as large YAML files are.
        Err(error) if error.kind() == ErrorKind::FileTooLarge => return Kind::Other,
        // What cannot be read could be one: its load says so.
        Err(_) => return Kind::Scenario,
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    if !text.contains("standin") {
        return Kind::Other;
    }
    if let Some(node) = yaml::parse(&mut Findings::default(), FileId(0), text) {
        let has = node.entries().is_some_and(|all| all.iter().any(|entry| &*entry.key == "standin"));
        let part = node.get("part").and_then(|part| part.scalar()).is_some_and(|part| &*part.text == "true");
        return match (has, part) {
            (true, true) => Kind::Part,
            (true, false) => Kind::Scenario,
            (false, _) => Kind::Other,
        };
    }
    // Of a file whose syntax is broken, its lines must tell.
    let line = |key: &str| text.lines().any(|line| line.trim_start_matches('{').starts_with(key));
    match (line("standin"), line("part: true")) {
        (true, true) => Kind::Part,
        (true, false) => Kind::Scenario,
        (false, _) => Kind::Other,
    }
}

/// Two scenarios of one name: told at both, and neither loads.
fn same_names(scenarios: &mut [LoadedScenario]) {
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, loaded) in scenarios.iter().enumerate() {
        if let Some(name) = &loaded.name {
            by_name.entry(name.clone()).or_default().push(place);
        }
    }
    for (name, places) in by_name.into_iter().filter(|(_, places)| places.len() > 1) {
        for place in &places {
            let others = places.iter().filter(|other| *other != place);
            let mut told = diagnostic(
                Severity::Error,
                "duplicate-name",
                format!("another scenario is named `{name}` too"),
                scenarios[*place].name_location.clone(),
            );
            told.related = others.map(|other| scenarios[*other].name_location.clone()).collect();
            told.help = Some("give one of them another `name`".to_owned());
            let loaded = &mut scenarios[*place];
            loaded.diagnostics.push(told);
            loaded.scenario = None;
        }
    }
}

/// A key's own world bears no scenario's name.
fn own_worlds(scenarios: &mut [LoadedScenario]) {
    let names: BTreeSet<String> = scenarios.iter().filter_map(|loaded| loaded.name.clone()).collect();
    for loaded in scenarios {
        let own = loaded.name.clone().unwrap_or_default();
        for (name, place) in &loaded.own_worlds {
            if *name != own && names.contains(name) {
                loaded.diagnostics.push(own_world_named_like_scenario(name, place.clone()));
                loaded.scenario = None;
            }
        }
    }
}

/// A key's own world bears the name of a scenario.
#[must_use]
pub fn own_world_named_like_scenario(name: &str, place: SourceLocation) -> Diagnostic {
    let message = format!("`{name}` is the name of a scenario, and so that of its standing world");
    let told = diagnostic(Severity::Error, "world-name", message, place);
    Diagnostic { help: Some("give the key another name".to_owned()), ..told }
}

/// A scenario bears the name of a key's own world.
#[must_use]
pub fn scenario_named_like_own_world(name: &str, place: SourceLocation) -> Diagnostic {
    let message = format!("`{name}` is the name of a key's own world");
    let told = diagnostic(Severity::Error, "world-name", message, place);
    Diagnostic { help: Some("give the scenario another name".to_owned()), ..told }
}

fn unused(path: &Path) -> Diagnostic {
    let message = "no scenario includes this part".to_owned();
    diagnostic(Severity::Warning, "unused-file", message, start_of(path))
}

fn diagnostic(severity: Severity, code: &'static str, message: String, place: SourceLocation) -> Diagnostic {
    Diagnostic { severity, code, message, help: None, location: place, related: Vec::new() }
}

fn start_of(path: &Path) -> SourceLocation {
    SourceLocation {
        file: path.to_owned(),
        line: 1,
        column: 1,
        span: 0..0,
        text: String::new(),
        marked: 0..0,
        label: String::new(),
    }
}

/// Files are shown as seen from the working directory.
pub fn shorten_paths<'a>(diagnostics: impl IntoIterator<Item = &'a mut Diagnostic>, cwd: &Path) {
    for diagnostic in diagnostics {
        for place in std::iter::once(&mut diagnostic.location).chain(&mut diagnostic.related) {
            if let Ok(short) = place.file.strip_prefix(cwd) {
                place.file = short.to_owned();
            }
        }
        let prefix = format!("{}/", cwd.display());
        if prefix.len() > 1 {
            diagnostic.message = diagnostic.message.replace(&prefix, "");
        }
    }
}
