//! The scenario language: text to validated scenario. The only module that knows YAML and reads files.

/// Where files come from.
pub mod files;
/// The texts that problems point into.
pub mod source;
/// What is wrong, where, and what would be right.
pub mod problem;
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
/// Single values.
pub mod leaf;
/// The mirror of a scenario file.
pub mod raw;
/// The mirror of records.
pub mod raw_records;
/// The mirror of an expectation.
pub mod raw_expect;
/// A file with all that it includes.
pub mod load;
/// What a file says in place of what it includes.
pub mod merge;
/// Records from files.
pub mod seed_data;
/// Which files of a folder are scenarios.
pub mod discover;
/// The validated scenario.
pub mod model;
/// What sections may refer to.
pub mod known;
/// Maps without empty members, and other shared shapes.
pub mod full;
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
pub mod sent;
/// Records added to a running world.
pub mod added;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use crate::api::dates::Day;
use crate::scenario::files::Files;
use crate::scenario::leaf::is_world_name;
use crate::scenario::load::Load;
use crate::scenario::model::Scenario;
use crate::scenario::problem::{Place, Problem, Severity};
use crate::scenario::raw::{List, Root};
use crate::scenario::read::{Fields, Read};
use crate::scenario::source::{FileId, Span};

/// What a load takes from around it.
pub struct Context<'a> {
    /// Where files come from.
    pub files: &'a dyn Files,
    /// The folder that no path may leave.
    pub root: PathBuf,
    /// The day on which a clock without a start starts.
    pub today: Day,
}

/// What became of one scenario file.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The file.
    pub path: PathBuf,
    /// The scenario's name, where one could be read.
    pub name: Option<String>,
    /// The scenario; none if there is any error.
    pub scenario: Option<Scenario>,
    /// What was found, by file and place.
    pub problems: Vec<Problem>,
    /// Every file read or looked for.
    pub files: Vec<PathBuf>,
    /// Where the name stands, or the file begins.
    pub named_at: Place,
    /// Names of worlds of keys' own, and where they stand.
    pub own_worlds: Vec<(String, Place)>,
}

/// Loads a scenario file with all that it names.
#[must_use]
pub fn load(context: &Context, path: &Path) -> Loaded {
    let mut load = Load::new(context);
    let root = load::file(&mut load, path);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    finish(load, path, root, &stem)
}

/// Loads a scenario from a text that came under a name; its paths are those of a file in the root.
#[must_use]
pub fn load_text(context: &Context, name: &str, text: &str) -> Loaded {
    let path = context.root.join(format!("{name}.yaml"));
    let mut load = Load::new(context);
    let root = load::given(&mut load, &path, text);
    if let Some(given) =
        root.as_ref().and_then(|root| root.name.as_ref()).filter(|given| given.value.0 != name)
    {
        let message = format!("this scenario was sent as `{name}`, and names itself otherwise");
        load.findings
            .error("wrong-name", given.span, message)
            .help("leave `name` out, or send it under its name");
    }
    finish(load, &path, root, name)
}

/// Loads all scenarios of the files and folders named. Paths are relative to `cwd`, and so shown; the root is by default
/// the working directory if the scenario lies under it, else the scenario's own folder.
#[must_use]
pub fn load_all(files: &dyn Files, today: Day, paths: &[PathBuf], root: Option<&Path>, cwd: &Path) -> Folder {
    discover::all(files, today, paths, root, cwd)
}

fn finish(mut load: Load, path: &Path, root: Option<Root>, stem: &str) -> Loaded {
    let start = Span::new(FileId(0), 0, 0);
    let mut loaded = Loaded {
        path: path.to_owned(),
        named_at: problem::place(start, String::new(), &load.sources),
        ..Loaded::default()
    };
    if let Some(root) = root {
        let name = name(&mut load, &root, stem);
        let at = root.name.as_ref().map_or(start, |name| name.span);
        loaded.named_at = problem::place(at, String::new(), &load.sources);
        for key in root.keys.iter().flat_map(|list| &list.value).filter(|key| key.value.world.is_some()) {
            if let Some(name) = &key.value.name {
                let place = problem::place(name.span, String::new(), &load.sources);
                loaded.own_worlds.push((name.value.0.clone(), place));
            }
        }
        let scenario = validate::scenario(&mut load, root, name.clone().unwrap_or_default());
        loaded.scenario = (load.findings.errors() == 0).then_some(scenario);
        loaded.name = name;
    }
    loaded.problems = load.findings.into_problems(&load.sources);
    loaded.files = load.files;
    loaded
}

/// The scenario's name: its own, else its file's.
fn name(load: &mut Load, root: &Root, stem: &str) -> Option<String> {
    let start = Span::new(FileId(0), 0, 0);
    if root.part.is_some_and(|part| part.value) {
        let message = "this file is a part, there only to be included";
        load.findings.error("part", root.part.map_or(start, |part| part.span), message);
    }
    if let Some(name) = &root.name {
        return Some(name.value.0.clone());
    }
    if is_world_name(stem) && stem != "default" {
        return Some(stem.to_owned());
    }
    let message = format!("`{stem}`, the name of this file, cannot name a scenario: add `name:`");
    load.findings.error("file-name", start, message).help(
        "1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit, and not `default`",
    );
    None
}

/// What became of all files and folders named.
#[derive(Debug, Default)]
pub struct Folder {
    /// The scenarios, by name.
    pub scenarios: Vec<Loaded>,
    /// Problems of no one scenario.
    pub problems: Vec<Problem>,
    /// Folders to watch.
    pub dirs: Vec<PathBuf>,
}

impl Folder {
    /// All problems, of scenarios and of none.
    pub fn all_problems(&self) -> impl Iterator<Item = &Problem> {
        self.scenarios.iter().flat_map(|loaded| &loaded.problems).chain(&self.problems)
    }

    /// Whether any of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.all_problems().any(|problem| problem.severity == Severity::Error)
    }
}

/// The JSON Schema (draft 2020-12) of a scenario file.
#[must_use]
pub fn schema() -> Json {
    let mut definitions = Map::new();
    Root::schema(&mut definitions);
    let mut schema = definitions.remove(Root::NAME).unwrap_or_default();
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
