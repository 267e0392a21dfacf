//! The JSON Schema accepts and rejects the same scenarios as the loader.

use std::fs;
use std::path::Path;

use crate::scenario::diagnostic::Findings;
use crate::scenario::source::FileId;
use crate::scenario::{schema, yaml};
use serde_json::Value as Json;

use super::corpus::files;
use super::here;

/// Whether a value matches a schema. It supports the keywords that the schema uses.
fn fits(schema: &Json, root: &Json, value: &Json) -> bool {
    if let Some(name) = schema["$ref"].as_str() {
        return fits(root.pointer(&name[1..]).unwrap(), root, value);
    }
    let is = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    };
    let kinds: Vec<&str> = match schema["type"].as_array() {
        Some(all) => all.iter().map(|kind| kind.as_str().unwrap()).collect(),
        None => schema["type"].as_str().into_iter().collect(),
    };
    let number = |key: &str| schema[key].as_f64();
    (kinds.is_empty() || kinds.into_iter().any(is))
        && (schema["const"].is_null() || schema["const"] == *value)
        && schema["enum"].as_array().is_none_or(|all| all.contains(value))
        && schema["anyOf"].as_array().is_none_or(|all| all.iter().any(|one| fits(one, root, value)))
        && schema["required"]
            .as_array()
            .is_none_or(|all| all.iter().all(|key| !value[key.as_str().unwrap()].is_null()))
        && value.as_f64().is_none_or(|value| {
            number("minimum").is_none_or(|min| value >= min)
                && number("maximum").is_none_or(|max| value <= max)
        })
        && value.as_array().is_none_or(|all| {
            schema["items"].is_null() || all.iter().all(|one| fits(&schema["items"], root, one))
        })
        && value.as_object().is_none_or(|members| {
            members.iter().all(|(key, value)| {
                match (&schema["properties"][key], &schema["additionalProperties"]) {
                    (Json::Null, Json::Bool(false)) => false,
                    (Json::Null, Json::Null) => true,
                    (Json::Null, more) => fits(more, root, value),
                    (known, _) => fits(known, root, value),
                }
            })
        })
}

fn tree(path: &Path) -> Json {
    let text = fs::read_to_string(path).unwrap();
    yaml::parse(&mut Findings::default(), FileId(0), &text).unwrap().to_json()
}

#[test]
fn the_examples_match_the_schema_and_mistakes_do_not() {
    let schema = schema();
    for name in files("examples", ".yaml") {
        assert!(fits(&schema, &schema, &tree(&here("examples").join(&name))), "{name}");
    }
    for name in [
        "unknown-keys",
        "missing-keys",
        "wrong-kinds",
        "boolean",
        "generate-unknown",
        "other-version",
        "review-missing",
    ] {
        assert!(!fits(&schema, &schema, &tree(&here("broken").join(name).with_extension("yaml"))), "{name}");
    }
    assert!(!serde_json::to_string(&schema).unwrap().contains("\"description\":\"\""));
}

#[test]
fn the_schema_in_docs_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scenario.schema.json");
    let written: Json = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(written == schema(), "write it anew: `cargo run -- schema > docs/scenario.schema.json`");
}
