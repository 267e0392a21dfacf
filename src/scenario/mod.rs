//! The scenario language: reads scenario files and validates them. The only module that reads files and knows YAML.

pub(crate) mod files;
pub(crate) mod source;
pub(crate) mod allow;
pub(crate) mod diagnostic;
pub(crate) mod render;
pub(crate) mod node;
pub(crate) mod yaml;
pub(crate) mod json;
pub(crate) mod csv;
pub(crate) mod read;
/// Foreign documents.
pub(crate) mod document;
/// How values of requests are matched.
pub(crate) mod matching;
pub(crate) mod report;
pub(crate) mod scalars;
/// The scenarios that are part of the program.
pub(crate) mod shipped;
/// Where the faults of a scenario stand.
pub(crate) mod places;
pub(crate) mod times;
pub(crate) mod collections;
pub(crate) mod raw;
pub(crate) mod raw_records;
pub(crate) mod loader;
pub(crate) mod merge;
pub(crate) mod seed_data;
pub(crate) mod discover;
pub(crate) mod model;
pub(crate) mod overrides;
pub(crate) mod references;
pub(crate) mod validate;
pub(crate) mod fault;
pub(crate) mod webhook;
pub(crate) mod expect;
/// Thresholds of the scorecard.
pub(crate) mod scorecard;
pub(crate) mod route;
pub(crate) mod accepted;
pub(crate) mod admin_input;
pub(crate) mod arrival;
pub(crate) mod happening;
pub(crate) mod demo;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use crate::clock::Moment;
use crate::scenario::diagnostic::{Diagnostic, Severity, SourceLocation};
use crate::scenario::files::Files;
use crate::scenario::loader::Loader;
use crate::scenario::model::Scenario;
use crate::scenario::overrides::Overrides;
use crate::scenario::raw::{List, ScenarioFile};
use crate::scenario::read::{RawMap, Read};
use crate::scenario::scalars::is_world_name;
use crate::scenario::source::{FileId, Sources, Span};

/// What a load needs from its surroundings.
pub(crate) struct LoadContext<'a> {
    pub(crate) files: &'a dyn Files,
    /// The root folder. Included files and seed data must lie in it.
    pub(crate) root: PathBuf,
    /// The present, at which a clock starts that has no other start.
    pub(crate) now: Moment,
}

/// The result of loading one scenario file.
#[derive(Debug, Default)]
pub(crate) struct LoadedScenario {
    pub(crate) path: PathBuf,
    /// The folder that no path in it leaves.
    pub(crate) root: PathBuf,
    /// What was made part of the scenario beside its files.
    pub(crate) overrides: Overrides,
    /// The scenario's name, if it has a valid one.
    pub(crate) name: Option<String>,
    /// The scenario, if the file has no errors.
    pub(crate) scenario: Option<Scenario>,
    /// Errors and warnings, sorted by file and place.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Every file that was read, or that was looked for and is missing. A change of any of them calls for a reload.
    pub(crate) files: Vec<PathBuf>,
    /// The places of the comments that have silenced a warning: their file, and the offset of the code.
    pub(crate) used_allows: BTreeSet<(PathBuf, usize)>,
    /// Bytes of its text, of the files it includes and of its seed data. A file that is read twice counts twice.
    pub(crate) bytes: usize,
    /// Where the name stands; the start of the file if it has none.
    pub(crate) name_location: SourceLocation,
    /// The worlds that API keys have for themselves (`world: own`).
    pub(crate) own_worlds: OwnWorlds,
}

/// Names of worlds, and where they stand. Looking up one place reads the whole file, so it is done only for an error.
#[derive(Debug, Default)]
pub(crate) struct OwnWorlds {
    pub(crate) names: Vec<(String, Span)>,
    sources: Sources,
}

impl OwnWorlds {
    pub(crate) fn location(&self, span: Span) -> SourceLocation {
        diagnostic::location(span, String::new(), &self.sources)
    }
}

/// Loads a scenario file with its includes and seed data.
pub(crate) fn load(context: &LoadContext, path: &Path) -> LoadedScenario {
    load_with(Loader::new(context), path, None)
}

/// Loads a scenario that was found in a folder. If its file is a link, that may not leave the folder and the root.
pub(crate) fn load_found(context: &LoadContext, path: &Path, folder: &Path) -> LoadedScenario {
    load_with(Loader::new(context), path, Some(folder))
}

fn load_with(mut loader: Loader, path: &Path, folder: Option<&Path>) -> LoadedScenario {
    let file = loader::read_file(&mut loader, path, folder);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    finish(loader, path, file, &stem)
}

/// Loads a scenario from a text, as the admin API receives it. Paths in the text are relative to the root folder.
pub(crate) fn load_text(context: &LoadContext, name: &str, text: &str) -> LoadedScenario {
    let path = context.root.join(format!("{name}.yaml"));
    let mut loader = Loader::new(context);
    let file = loader::read_text(&mut loader, &path, text);
    let own_name = file.as_ref().and_then(|file| file.name.as_ref());
    if let Some(own_name) = own_name.filter(|own_name| own_name.value.0 != name) {
        let message = format!("this scenario was sent as `{name}`, but its name is `{}`", own_name.value.0);
        loader
            .findings
            .error("wrong-name", own_name.span, message)
            .help("leave `name` out, or send the scenario under its own name");
    }
    finish(loader, &path, file, name)
}

/// Loads all scenarios in the given files and folders. Paths are relative to `cwd`, and diagnostics show them that way.
/// Without a root folder, `discover::default_root` is it.
pub(crate) fn load_all(
    files: &dyn Files,
    now: Moment,
    paths: &[PathBuf],
    root: Option<&Path>,
    cwd: &Path,
) -> LoadedFolder {
    discover::load_all(files, now, paths, root, cwd)
}

/// Validates what was read. `stem` names the scenario if the file has no `name`.
fn finish(mut loader: Loader, path: &Path, file: Option<ScenarioFile>, stem: &str) -> LoadedScenario {
    let start = Span::new(FileId(0), 0, 0);
    let mut result = LoadedScenario {
        path: path.to_owned(),
        root: loader.context.root.clone(),
        name_location: diagnostic::location(start, String::new(), &loader.sources),
        ..LoadedScenario::default()
    };
    if let Some(file) = file {
        let name = name(&mut loader, &file, stem);
        let span = file.name.as_ref().map_or(start, |name| name.span);
        result.name_location = diagnostic::location(span, String::new(), &loader.sources);
        for key in file.keys.iter().flat_map(|list| &list.value).filter(|key| key.value.world.is_some()) {
            if let Some(name) = &key.value.name {
                result.own_worlds.names.push((name.value.0.clone(), name.span));
            }
        }
        let scenario = validate::scenario(&mut loader, file, name.clone().unwrap_or_default());
        result.scenario = (loader.findings.errors() == 0).then_some(scenario);
        result.name = name;
    }
    result.used_allows = loader.findings.used_allows(&loader.sources);
    result.diagnostics = loader.findings.into_diagnostics(&loader.sources);
    let spans = result.own_worlds.names.iter().map(|(_, span)| span.file);
    result.own_worlds.sources = loader.sources.only(&spans.collect());
    result.bytes = usize::try_from(loader.scenario_bytes + loader.seed_bytes).unwrap_or(usize::MAX);
    result.files = loader.files;
    result
}

/// The scenario's `name`, or else the stem of its file name.
fn name(loader: &mut Loader, file: &ScenarioFile, stem: &str) -> Option<String> {
    if let Some(part) = file.part.filter(|part| part.value) {
        loader.findings.error(
            "part",
            part.span,
            "this file is a part (`part: true`), which can only be included",
        );
    }
    if let Some(name) = &file.name {
        return Some(name.value.0.clone());
    }
    if is_world_name(stem) && stem != "default" {
        return Some(stem.to_owned());
    }
    let start = Span::new(FileId(0), 0, 0);
    let message = format!("`{stem}`, the name of this file, is not a valid name for a scenario: add `name:`");
    loader.findings.error("file-name", start, message).help(
        "1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit, and not `default`",
    );
    None
}

/// The result of loading files and folders.
#[derive(Debug, Default)]
pub(crate) struct LoadedFolder {
    /// The scenarios, sorted by name.
    pub(crate) scenarios: Vec<LoadedScenario>,
    /// Diagnostics that belong to no scenario.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The folders to watch for changes.
    pub(crate) dirs: Vec<PathBuf>,
}

impl LoadedFolder {
    /// Names of the scenarios that have no errors.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.scenarios.iter().filter_map(|loaded| Some(loaded.scenario.as_ref()?.name.as_str()))
    }

    /// The scenario that answers at `/` unless another is chosen: the one named `demo`, or else the first by name.
    pub(crate) fn default_name(&self) -> Option<&str> {
        self.names().find(|name| *name == "demo").or_else(|| self.names().next())
    }

    pub(crate) fn all_diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.scenarios.iter().flat_map(|loaded| &loaded.diagnostics).chain(&self.diagnostics)
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.all_diagnostics().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// The JSON Schema (draft 2020-12) of a scenario file.
pub(crate) fn schema() -> Json {
    let mut definitions = Map::new();
    ScenarioFile::schema(&mut definitions);
    let mut schema = definitions.remove(ScenarioFile::NAME).unwrap_or_default();
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("Standin scenario");
    schema["properties"]["standin"] =
        json!({ "const": 1, "description": "Version of the scenario format; always 1." });
    // The raw file holds these sections as plain nodes: they are read after included files are merged.
    for (section, section_schema) in [
        ("faults", List::<fault::raw::Fault>::schema(&mut definitions)),
        ("webhooks", webhook::raw::Webhooks::schema(&mut definitions)),
        ("expect", List::<expect::raw::Expectation>::schema(&mut definitions)),
        ("routes", List::<route::raw::RouteMap>::schema(&mut definitions)),
        ("demo", List::<demo::ButtonMap>::schema(&mut definitions)),
    ] {
        let property = &mut schema["properties"][section];
        let description = property["description"].take();
        *property = json!({ "anyOf": [section_schema, { "type": "null" }], "description": description });
    }
    refine(&mut definitions);
    schema["$defs"] = Json::Object(definitions);
    schema
}

/// Adds what `validate` checks of single values, so that editors report it too.
fn refine(definitions: &mut Map<String, Json>) {
    let header_names = json!({ "propertyNames": { "pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" } });
    let pointers = json!({ "type": "object", "propertyNames": { "pattern": "^(/([^~]|~0|~1)*)?$" },
        "additionalProperties": { "not": { "type": "array", "maxItems": 0 } } });
    let name = "[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*";
    let host = format!("^ *(\\*|(\\*\\.)?{name}|\\[?[0-9A-Fa-f]*:[0-9A-Fa-f:.]*\\]?) *$");
    let text = json!({ "type": ["string", "number", "boolean"], "pattern": "\\S" });
    let texts = json!({ "anyOf": [text.clone(), { "type": "array", "items": text }] });
    for (map, key, more) in [
        ("When", "header", &header_names),
        ("HeaderChanges", "set", &header_names),
        ("HeaderChanges", "remove", &texts),
        ("RouteRequest", "headers", &header_names),
        ("RouteResponse", "headers", &header_names),
        ("RequestsMap", "header", &header_names),
        ("When", "body", &pointers),
        ("RequestsMap", "body", &pointers),
        ("RouteRequest", "body", &pointers),
        (
            "RouteRequest",
            "path",
            &json!({ "pattern": "^/[^\\s?#\\u0000-\\u001f\\u007f-\\u009f]*$", "type": "string" }),
        ),
        (
            "Webhooks",
            "allow",
            &json!({ "items": { "type": ["string", "number", "boolean"], "pattern": host, "maximum": u64::MAX } }),
        ),
        ("Body", "patch", &json!({ "minItems": 1 })),
        ("TimelineEntry", "data", &json!({ "type": "object" })),
        ("StepMap", "data", &json!({ "type": "object" })),
        ("ButtonMap", "do", &json!({ "minItems": 1 })),
    ] {
        let Some(property) = definitions.get_mut(map).and_then(|map| map["properties"].get_mut(key)) else {
            continue;
        };
        // An optional key may also be null.
        let schema = if property.get("anyOf").is_some() { &mut property["anyOf"][0] } else { property };
        if let (Some(schema), Some(more)) = (schema.as_object_mut(), more.as_object()) {
            schema.extend(more.clone());
        }
    }
}
