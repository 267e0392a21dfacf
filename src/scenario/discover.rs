//! Finds the scenarios in folders, loads them, and checks them against each other.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::clock::Moment;
use crate::scenario::allow;
use crate::scenario::diagnostic::{Diagnostic, Findings, Severity, SourceLocation, UNUSED_ALLOW};
use crate::scenario::files::{Files, is_real_within, normalize_path, read_within};
use crate::scenario::loader::{SCENARIO_LIMIT, root_help};
use crate::scenario::node::Node;
use crate::scenario::source::{FileId, Span};
use crate::scenario::{LoadContext, LoadedFolder, LoadedScenario, load, load_found, yaml};

/// Maximum depth of nested folders.
const MAX_DEPTH: usize = 32;
/// Maximum number of scenarios.
const MAX_SCENARIOS: usize = 2000;
/// Maximum number of other scenarios of one name that an error tells.
const MAX_RELATED: usize = 3;

pub(crate) fn load_all(
    files: &dyn Files,
    now: Moment,
    paths: &[PathBuf],
    root: Option<&Path>,
    cwd: &Path,
) -> LoadedFolder {
    let mut found = Discovered::default();
    for named in paths {
        let path = normalize_path(&cwd.join(named));
        let is_folder = files.is_folder(&path);
        let root =
            root.map_or_else(|| default_root(&path, is_folder, cwd), |root| normalize_path(&cwd.join(root)));
        if is_folder {
            let within = Within { root, folder: path.clone() };
            walk(files, &within, (&path, MAX_DEPTH), &mut found);
        } else {
            found.scenarios.insert(path, Found { root, folder: None });
        }
    }
    if found.scenarios.len() > MAX_SCENARIOS {
        let first = found.scenarios.keys().next().map(|path| start_of(path)).unwrap_or_default();
        let message = format!("there are more than {MAX_SCENARIOS} scenarios");
        found.diagnostics.push(diagnostic(Severity::Error, "limit", message, first));
        found.scenarios = found.scenarios.into_iter().take(MAX_SCENARIOS).collect();
    }
    let mut scenarios = Vec::with_capacity(found.scenarios.len());
    for (path, Found { root, folder }) in &found.scenarios {
        let context = LoadContext { files, root: root.clone(), now };
        scenarios.push(match folder {
            Some(folder) => load_found(&context, path, folder),
            None => load(&context, path),
        });
    }
    scenarios.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    reject_duplicate_names(&mut scenarios);
    reject_own_worlds_named_like_scenarios(&mut scenarios);

    // A comment in an included file may silence a warning of one scenario only.
    let used_allows: BTreeSet<_> =
        scenarios.iter_mut().flat_map(|loaded| std::mem::take(&mut loaded.used_allows)).collect();
    for loaded in &mut scenarios {
        loaded.diagnostics.retain(|diagnostic| {
            let SourceLocation { file, span, .. } = &diagnostic.location;
            diagnostic.code != UNUSED_ALLOW || !used_allows.contains(&(file.clone(), span.start))
        });
    }

    let used: BTreeSet<&PathBuf> = scenarios.iter().flat_map(|loaded| &loaded.files).collect();
    let unused_parts = found.parts.iter().filter(|part| !used.contains(part));
    let mut diagnostics = found.diagnostics;
    diagnostics.extend(unused_parts.filter_map(|part| unused(files, part)));
    let folders_of_files = used.into_iter().filter_map(|file| file.parent()).map(Path::to_owned);
    found.folders.extend(folders_of_files);
    shorten_paths(
        scenarios.iter_mut().flat_map(|loaded| &mut loaded.diagnostics).chain(&mut diagnostics),
        cwd,
    );
    LoadedFolder { scenarios, diagnostics, dirs: found.folders.into_iter().collect() }
}

/// The root of a file or folder that is named on the command line: the working directory if it lies there, else the folder
/// of the file, or the parent of the folder, beside which seed data often lies. Never `/`.
pub(crate) fn default_root(named: &Path, is_folder: bool, cwd: &Path) -> PathBuf {
    if named.starts_with(cwd) && named != cwd && cwd.parent().is_some() {
        return cwd.to_owned();
    }
    let parent = named.parent().unwrap_or(Path::new(""));
    let whole_disk = parent.parent().is_none() && parent.has_root();
    if is_folder && whole_disk { named.to_owned() } else { parent.to_owned() }
}

/// Where links in a folder may lead: into that folder, and anywhere under the root.
struct Within {
    root: PathBuf,
    folder: PathBuf,
}

/// How a scenario was found.
struct Found {
    root: PathBuf,
    /// The folder that it was found in; none if its file was named.
    folder: Option<PathBuf>,
}

/// What the search for scenario files has found.
#[derive(Default)]
struct Discovered {
    scenarios: BTreeMap<PathBuf, Found>,
    /// Files with `part: true`, which are there only to be included.
    parts: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
    /// The folders with their links resolved. Links could lead to one in very many ways.
    real_folders: BTreeSet<PathBuf>,
    diagnostics: Vec<Diagnostic>,
}

fn walk(files: &dyn Files, within: &Within, (folder, depth): (&Path, usize), found: &mut Discovered) {
    let is_new = files.real(folder).is_ok_and(|real| found.real_folders.insert(real));
    if depth == 0 || !is_new || !found.folders.insert(folder.to_owned()) {
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
            match is_real_within(files, &path, &[&within.root, &within.folder]) {
                Ok(true) => walk(files, within, (&path, depth - 1), found),
                Ok(false) => {
                    let message = format!("the folder {} is a link out of the root folder", path.display());
                    let error = diagnostic(Severity::Error, "outside-root", message, start_of(&path));
                    found.diagnostics.push(Diagnostic { help: Some(root_help(&within.root)), ..error });
                }
                // The link has been removed meanwhile.
                Err(_) => {}
            }
        } else if is_yaml {
            match kind(files, within, &path) {
                Kind::Scenario => {
                    let (root, folder) = (within.root.clone(), Some(within.folder.clone()));
                    found.scenarios.entry(path).or_insert(Found { root, folder });
                }
                Kind::Part => {
                    found.parts.insert(path);
                }
                Kind::Other => {}
            }
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
fn kind(files: &dyn Files, within: &Within, path: &Path) -> Kind {
    let bytes = match read_within(files, path, &[&within.root, &within.folder], SCENARIO_LIMIT) {
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
            let others = indices.iter().filter(|other| *other != index).take(MAX_RELATED);
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
        let own_worlds = loaded.own_worlds.names.iter();
        let clashes = own_worlds.filter(|(world, _)| *world != own_name && names.contains(world));
        for (world, span) in clashes.take(MAX_RELATED) {
            let location = loaded.own_worlds.location(*span);
            loaded.diagnostics.push(own_world_named_like_scenario(world, location));
            loaded.scenario = None;
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

/// The warning about a part that no scenario includes, unless a comment at its start silences it.
fn unused(files: &dyn Files, part: &Path) -> Option<Diagnostic> {
    const CODE: &str = "unused-file";
    let text = files.read(part, SCENARIO_LIMIT).unwrap_or_default();
    let allows = allow::find(FileId(0), &String::from_utf8_lossy(&text));
    if allows.iter().any(|allow| allow.silences(CODE, Span::default())) {
        return None;
    }
    let message = "no scenario includes this part".to_owned();
    Some(diagnostic(Severity::Warning, CODE, message, start_of(part)))
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
