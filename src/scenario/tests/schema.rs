//! The JSON Schema accepts and rejects the same scenarios as the loader, in everything that a schema can say.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::{Value as Json, json};

use super::corpus::files;
use super::{TODAY, from_disk, here};
use crate::scenario::diagnostic::{Diagnostic, Findings, Severity};
use crate::scenario::files::Memory;
use crate::scenario::source::FileId;
use crate::scenario::{LoadContext, LoadedScenario, load_text, schema, yaml};

/// Errors that no schema can find, by their codes: they are about other values, other files, the text of the file, or
/// what the words of a text mean.
const BEYOND_A_SCHEMA: [(&str, &[&str]); 5] = [
    (
        "the text of the file",
        &["complex-key", "duplicate-key", "file-name", "merge-key", "several-documents", "tag"],
    ),
    ("other files", &["file-kind", "include-loop", "no-file", "outside-root", "part"]),
    (
        "other values of the scenario",
        &[
            "duplicate-id",
            "duplicate-name",
            "duplicate-number",
            "limit",
            "parent-circle",
            "unknown-code",
            "unknown-reference",
            "unknown-source",
            "world-name",
            "wrong-name",
            "wrong-dates",
            "wrong-rating",
            "wrong-reference",
        ],
    ),
    // A schema could say this, but an editor would only show that none of many alternatives matches.
    ("which keys go together", &["mixed-entry", "no-effect", "stray-key"]),
    ("what a text means", &["no-weight", "template", "wrong-pattern", "wrong-schema"]),
];

/// Such errors whose codes are also those of others, by their messages.
const MESSAGES: [&str; 17] = [
    "`path` is not valid",
    "cannot be a name under which values are stored",
    // Which keys go together.
    "a patch entry `",
    "a signature needs a `secret`",
    "a timeline entry needs",
    "a step needs",
    "a step with",
    "`after` needs `error`, `status` or `fault`",
    "an expectation needs",
    "this expectation needs",
    "because the type of this field is",
    "`p99` must be longer than `median`",
    // What a text means.
    "at most a thousand years",
    "`secret` must be `whsec_` followed by base64",
    "a value cannot be moved into itself",
    "must be a calendar day",
    "this range ends before it begins",
];

fn validator() -> Validator {
    jsonschema::draft202012::new(&schema()).unwrap()
}

fn parse(text: &str) -> Option<Json> {
    Some(yaml::parse(&mut Findings::default(), FileId(0), text)?.to_json())
}

/// The codes of the errors in the file itself that a schema can find.
fn errors(loaded: &LoadedScenario) -> BTreeSet<&'static str> {
    let own = |path: &Path| path == loaded.path;
    let errors = loaded
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error && own(&found.location.file));
    let is_beyond = |error: &&Diagnostic| {
        BEYOND_A_SCHEMA.iter().any(|(_, codes)| codes.contains(&error.code))
            || MESSAGES.iter().any(|part| {
                error.message.contains(part) || error.help.as_ref().is_some_and(|help| help.contains(part))
            })
    };
    errors.filter(|error| !is_beyond(error)).map(|error| error.code).collect()
}

/// How the two verdicts differ.
fn difference(validator: &Validator, value: &Json, loaded: &LoadedScenario) -> Option<String> {
    let errors = errors(loaded);
    let rejected = validator.iter_errors(value).next();
    let valid = loaded.scenario.is_some();
    match (rejected, errors.is_empty()) {
        (Some(why), true) if valid => {
            Some(format!("only the schema rejects it, at {}: {why:.200}", why.instance_path()))
        }
        (None, false) => {
            let all: Vec<String> =
                loaded.diagnostics.iter().map(|d| format!("{} {}", d.code, d.message)).collect();
            Some(format!("only `check` rejects it: {errors:?} {all:?}"))
        }
        (Some(_), _) | (None, true) => None,
    }
}

/// The paths of the shipped scenarios and of the examples.
fn valid() -> Vec<PathBuf> {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let folders = [here("examples"), scenarios.clone(), scenarios.join("faults")];
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn valid_scenarios_match_the_schema() {
    let validator = validator();
    assert!(valid().len() > 15);
    for path in valid() {
        let value = parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let rejected = validator.iter_errors(&value).next().map(|error| error.to_string());
        assert_eq!(rejected, None, "{}", path.display());
    }
}

#[test]
fn broken_scenarios_do_not_match_the_schema() {
    let validator = validator();
    let mut wrong = Vec::new();
    for name in files("broken", ".yaml") {
        let Some(value) = parse(&fs::read_to_string(here("broken").join(&name)).unwrap()) else { continue };
        let loaded = from_disk("broken", &name);
        wrong.extend(
            difference(&validator, &value, &loaded).map(|difference| format!("{name}: {difference}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Values that stand in place of others.
fn mutants() -> Vec<Json> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1.0),
        json!(1.5),
        json!(-1),
        json!("7"),
        json!(""),
        json!(" "),
        json!("x"),
        json!([]),
        json!({}),
        json!([null]),
        json!([[1]]),
        json!({"x": 1}),
        json!(1e300),
        json!("10%"),
        json!("1s"),
        json!(9_007_199_254_740_993_u64),
    ]
}

/// Keeps only some entries of long lists of records.
fn shorten(value: &mut Json) {
    match value {
        Json::Array(list) => {
            let is_record = |entry: &Json| entry.get("rating").is_some() || entry.get("number").is_some();
            let mut records = 0;
            list.retain(|entry| {
                records += usize::from(is_record(entry));
                !is_record(entry) || records <= 3
            });
            list.iter_mut().for_each(shorten);
        }
        Json::Object(members) => members.values_mut().for_each(shorten),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// Small documents that make up a large one: each with one entry of one section.
fn parts(root: &Json) -> Vec<Json> {
    let mut parts = Vec::new();
    for (section, value) in root.as_object().unwrap() {
        match value.as_array() {
            Some(list) => parts.extend(list.iter().map(|entry| json!({ "standin": 1, section: [entry] }))),
            None => parts.push(json!({ "standin": 1, section: value })),
        }
    }
    parts
}

/// Calls `visit` with each variant of a document: another value at one place, a member less, or one more. `seen` has the
/// places that had their turn, as paths without indexes.
fn variants(root: &Json, seen: &mut BTreeSet<String>, visit: &mut impl FnMut(&str, &Json)) {
    let mut places = vec![(String::new(), String::new())];
    while let Some((pointer, path)) = places.pop() {
        let value = root.pointer(&pointer).unwrap();
        let escape = |key: &str| key.replace('~', "~0").replace('/', "~1");
        match value {
            Json::Object(members) => places.extend(
                members.keys().map(|key| (format!("{pointer}/{}", escape(key)), format!("{path}/{key}"))),
            ),
            Json::Array(list) => {
                places.extend((0..list.len()).map(|at| (format!("{pointer}/{at}"), format!("{path}/*"))));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
        let kind = match value {
            Json::Object(_) => "map",
            Json::Array(_) => "list",
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => "",
        };
        if !seen.insert(format!("{path} {kind}")) {
            continue;
        }
        let mut variant = root.clone();
        for mutant in mutants() {
            *variant.pointer_mut(&pointer).unwrap() = mutant;
            visit(&path, &variant);
        }
        if let Json::Object(members) = value {
            for key in members.keys() {
                let mut fewer = members.clone();
                fewer.remove(key);
                *variant.pointer_mut(&pointer).unwrap() = fewer.into();
                visit(&path, &variant);
            }
            let mut more = members.clone();
            more.insert("unknown".to_owned(), json!(1));
            *variant.pointer_mut(&pointer).unwrap() = more.into();
            visit(&path, &variant);
        }
    }
}

#[test]
fn variants_of_valid_scenarios_get_the_same_verdict_from_both() {
    let validator = validator();
    let context = LoadContext { files: &Memory::default(), root: PathBuf::new(), now: TODAY.start() };
    let (mut seen, mut wrong, mut count) = (BTreeSet::new(), Vec::new(), 0);
    for path in valid() {
        let mut root = parse(&fs::read_to_string(&path).unwrap()).unwrap();
        shorten(&mut root);
        for root in parts(&root) {
            variants(&root, &mut seen, &mut |at, variant| {
                count += 1;
                let name = variant["name"].as_str().unwrap_or("test");
                let loaded = load_text(&context, name, &variant.to_string());
                if let Some(difference) = difference(&validator, variant, &loaded) {
                    wrong.push(format!("{} {at}: {difference}", path.file_name().unwrap().display()));
                }
            });
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 1000, "{count}");
}

#[test]
fn the_schema_in_docs_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scenario.schema.json");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, format!("{:#}\n", schema())).unwrap();
    }
    let written: Json = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(
        written == schema(),
        "UPDATE=1 writes it anew, as `cargo run -- schema > docs/scenario.schema.json` does"
    );
    assert!(!serde_json::to_string(&schema()).unwrap().contains("\"description\":\"\""));
}
