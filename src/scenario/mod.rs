//! The scenario language: text to validated scenario. The only module that knows YAML and reads files.

/// Where files come from.
pub mod files;
/// The texts that problems point into.
pub mod source;
/// What is wrong, where, and what would be right.
pub mod diagnostic;
/// Problems for people and for programs.
pub mod render;
/// The marked tree.
pub mod node;
/// YAML to the marked tree.
pub mod yaml;
/// JSON to the marked tree.
pub mod json;
/// CSV to the marked tree.
pub mod csv;
/// From the marked tree to raw values.
pub mod read;
/// Findings that several readers and sections report in the same words.
pub mod report;
/// Single values.
pub mod scalars;
/// Lists and maps of values.
pub mod collections;
/// The mirror of a scenario file.
pub mod raw;
/// The mirror of records.
pub mod raw_records;
/// The mirror of an expectation.
pub mod raw_expect;
/// A file with all that it includes.
pub mod loader;
/// What a file says in place of what it includes.
pub mod merge;
/// Records from files.
pub mod seed_data;
/// Which files of a folder are scenarios.
pub mod discover;
/// The validated scenario.
pub mod model;
/// What sections may refer to.
pub mod references;
/// From raw values to the validated scenario.
pub mod validate;
/// Templates.
pub mod template;
/// Faults.
pub mod fault;
/// Webhooks.
pub mod webhook;
/// Expectations.
pub mod expect;
/// Routes.
pub mod route;
/// What is sent to a running program in place of files.
pub mod admin_input;
/// Records added to a running world.
pub mod added_record;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use crate::api::dates::Day;
use crate::scenario::diagnostic::{Diagnostic, Severity, SourceLocation};
use crate::scenario::files::Files;
use crate::scenario::loader::Loader;
use crate::scenario::model::Scenario;
use crate::scenario::raw::{List, ScenarioFile};
use crate::scenario::read::{RawMap, Read};
use crate::scenario::scalars::is_world_name;
use crate::scenario::source::{FileId, Span};

/// What a load takes from around it.
pub struct LoadContext<'a> {
    /// Where files come from.
    pub files: &'a dyn Files,
    /// The folder that no path may leave.
    pub root: PathBuf,
    /// The day on which a clock without a start starts.
    pub today: Day,
}

/// What became of one scenario file.
#[derive(Debug, Default)]
pub struct LoadedScenario {
    /// The file.
    pub path: PathBuf,
    /// The scenario's name, where one could be read.
    pub name: Option<String>,
    /// The scenario; none if there is any error.
    pub scenario: Option<Scenario>,
    /// What was found, by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// Every file read or looked for.
    pub files: Vec<PathBuf>,
    /// Where the name stands, or the file begins.
    pub name_location: SourceLocation,
    /// Names of worlds of keys' own, and where they stand.
    pub own_worlds: Vec<(String, SourceLocation)>,
}

/// Loads a scenario file with all that it names.
#[must_use]
pub fn load(context: &LoadContext, path: &Path) -> LoadedScenario {
    let mut loader = Loader::new(context);
    let root = loader::file(&mut loader, path);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    finish(loader, path, root, &stem)
}

/// Loads a scenario from a text that came under a name; its paths are those of a file in the root.
#[must_use]
pub fn load_text(context: &LoadContext, name: &str, text: &str) -> LoadedScenario {
    let path = context.root.join(format!("{name}.yaml"));
    let mut loader = Loader::new(context);
    let root = loader::given(&mut loader, &path, text);
    if let Some(given) =
        root.as_ref().and_then(|root| root.name.as_ref()).filter(|given| given.value.0 != name)
    {
        let message = format!("this scenario was sent as `{name}`, and names itself otherwise");
        loader
            .findings
            .error("wrong-name", given.span, message)
            .help("leave `name` out, or send it under its name");
    }
    finish(loader, &path, root, name)
}

/// Loads all scenarios of the files and folders named. Paths are relative to `cwd`, and so shown; the root is by default
/// the working directory if the scenario lies under it, else the scenario's own folder.
#[must_use]
pub fn load_all(
    files: &dyn Files,
    today: Day,
    paths: &[PathBuf],
    root: Option<&Path>,
    cwd: &Path,
) -> LoadedFolder {
    discover::all(files, today, paths, root, cwd)
}

fn finish(mut loader: Loader, path: &Path, root: Option<ScenarioFile>, stem: &str) -> LoadedScenario {
    let start = Span::new(FileId(0), 0, 0);
    let mut loaded = LoadedScenario {
        path: path.to_owned(),
        name_location: diagnostic::location(start, String::new(), &loader.sources),
        ..LoadedScenario::default()
    };
    if let Some(root) = root {
        let name = name(&mut loader, &root, stem);
        let at = root.name.as_ref().map_or(start, |name| name.span);
        loaded.name_location = diagnostic::location(at, String::new(), &loader.sources);
        for key in root.keys.iter().flat_map(|list| &list.value).filter(|key| key.value.world.is_some()) {
            if let Some(name) = &key.value.name {
                let place = diagnostic::location(name.span, String::new(), &loader.sources);
                loaded.own_worlds.push((name.value.0.clone(), place));
            }
        }
        let scenario = validate::scenario(&mut loader, root, name.clone().unwrap_or_default());
        loaded.scenario = (loader.findings.errors() == 0).then_some(scenario);
        loaded.name = name;
    }
    loaded.diagnostics = loader.findings.into_diagnostics(&loader.sources);
    loaded.files = loader.files;
    loaded
}

/// The scenario's name: its own, else its file's.
fn name(loader: &mut Loader, root: &ScenarioFile, stem: &str) -> Option<String> {
    let start = Span::new(FileId(0), 0, 0);
    if root.part.is_some_and(|part| part.value) {
        let message = "this file is a part, there only to be included";
        loader.findings.error("part", root.part.map_or(start, |part| part.span), message);
    }
    if let Some(name) = &root.name {
        return Some(name.value.0.clone());
    }
    if is_world_name(stem) && stem != "default" {
        return Some(stem.to_owned());
    }
    let message = format!("`{stem}`, the name of this file, cannot name a scenario: add `name:`");
    loader.findings.error("file-name", start, message).help(
        "1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit, and not `default`",
    );
    None
}

/// What became of all files and folders named.
#[derive(Debug, Default)]
pub struct LoadedFolder {
    /// The scenarios, by name.
    pub scenarios: Vec<LoadedScenario>,
    /// Problems of no one scenario.
    pub diagnostics: Vec<Diagnostic>,
    /// Folders to watch.
    pub dirs: Vec<PathBuf>,
}

impl LoadedFolder {
    /// All problems, of scenarios and of none.
    pub fn all_diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.scenarios.iter().flat_map(|loaded| &loaded.diagnostics).chain(&self.diagnostics)
    }

    /// Whether any of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.all_diagnostics().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// The JSON Schema (draft 2020-12) of a scenario file.
#[must_use]
pub fn schema() -> Json {
    let mut definitions = Map::new();
    ScenarioFile::schema(&mut definitions);
    let mut schema = definitions.remove(ScenarioFile::NAME).unwrap_or_default();
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("Standin scenario");
    schema["properties"]["standin"] = json!({ "const": 1, "description": "Version of the format." });
    // The tree of these sections is read only once files are merged.
    for (section, of) in [
        ("faults", List::<fault::raw::Fault>::schema(&mut definitions)),
        ("webhooks", webhook::raw::Webhooks::schema(&mut definitions)),
        ("expect", List::<raw_expect::Expectation>::schema(&mut definitions)),
        ("routes", List::<route::RouteMap>::schema(&mut definitions)),
    ] {
        let place = &mut schema["properties"][section];
        let description = place["description"].take();
        *place = of;
        place["description"] = description;
    }
    schema["$defs"] = Json::Object(definitions);
    schema
}
