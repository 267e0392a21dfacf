//! Schemas of an OpenAPI document as JSON Schemas (2020-12) that stand by themselves: what they refer to stands in `$defs`. What is
//! wrong in them is left out and told.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::fault::matching::Pattern;
use crate::import::document::{Document, pointer_of};
use crate::import::enumeration;
use crate::import::notes::Notes;
use crate::route::schema::compile;

/// Most values of one converted schema with all that it refers to.
const MAX_VALUES: usize = 20_000;
/// Most values of an enumeration.
const MAX_ENUM: usize = 1_000;
/// Maximum nesting depth.
const MAX_DEPTH: usize = 40;
/// Most references of which each stands in what the one before leads to.
const MAX_CHAIN: usize = 200;
/// Most schemas that one value is checked against by alternatives of alternatives, since a validator tries them all.
const MAX_ALTERNATIVES: usize = 5_000;

/// Keywords that are copied as they are.
const PLAIN: [&str; 18] = [
    "const",
    "default",
    "format",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "uniqueItems",
    "title",
    "exclusiveMinimum",
    "exclusiveMaximum",
];

/// Keywords that say nothing about which values fit. Those of version 3.0 and of references are read elsewhere.
const ANNOTATIONS: [&str; 19] = [
    "$comment",
    "$defs",
    "$ref",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "definitions",
    "deprecated",
    "description",
    "discriminator",
    "example",
    "examples",
    "externalDocs",
    "nullable",
    "readOnly",
    "summary",
    "writeOnly",
    "xml",
];

const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

/// The annotation of a pattern that requests are not checked against, since it does not run in linear time.
pub(super) const UNCHECKED_PATTERN: &str = "x-pattern";

/// The examples that a document has for a schema, which bodies are drawn from. They are not written.
pub(super) const EXAMPLES: &str = "x-documented";
/// Most examples of one schema, and the longest, in bytes.
const MAX_EXAMPLES: usize = 3;
const MAX_EXAMPLE: usize = 16 << 10;

/// Most mistakes of a schema that are told one by one.
const MAX_TOLD: usize = 10;

/// Who sends the values of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sender {
    Client,
    Server,
}

struct Converter<'a, 'd> {
    document: &'a Document<'d>,
    sender: Sender,
    /// By the pointers of what is defined: its name in `$defs`, and how many schemas a value is checked against by it.
    known: BTreeMap<String, (String, usize)>,
    defs: Map<String, Value>,
    /// The pointers of the references that lead here, the innermost last.
    chain: Vec<String>,
    /// From which place in the chain on the same value is checked, and not a part of it.
    same_value: usize,
    /// How many schemas the value is checked against so far.
    alternatives: usize,
    left: usize,
    told: Vec<String>,
}

/// A schema that stands by itself. None if it cannot be used; the reason is told.
pub(super) fn convert(
    document: &Document<'_>,
    schema: &Value,
    (place, sender): (&str, Sender),
    notes: &mut Notes,
) -> Option<Value> {
    let mut converter = Converter {
        document,
        sender,
        known: BTreeMap::new(),
        defs: Map::new(),
        chain: Vec::new(),
        same_value: 0,
        alternatives: 0,
        left: MAX_VALUES,
        told: Vec::new(),
    };
    let result = converter.schema(schema, 0);
    let (problems, defs) = (converter.told, converter.defs);
    let more = problems.len().saturating_sub(MAX_TOLD);
    for problem in problems.into_iter().take(MAX_TOLD) {
        notes.tell(place, problem);
    }
    if more > 0 {
        notes.tell(place, format!("{more} more mistakes of its schema are left out"));
    }
    let Some(mut standalone) = result else {
        notes.tell(place, "the schema is too large, and is left out");
        return None;
    };
    if !defs.is_empty()
        && let Some(members) = standalone.as_object_mut()
    {
        members.insert("$defs".to_owned(), Value::Object(defs));
    }
    match compile(&standalone) {
        Ok(_) => Some(standalone),
        Err(why) => {
            let why: String = why.chars().take(200).collect();
            notes.tell(place, format!("the schema is not valid, and is left out: {why}"));
            None
        }
    }
}

impl Converter<'_, '_> {
    fn tell(&mut self, problem: impl Into<String>) {
        let problem = problem.into();
        if !self.told.contains(&problem) {
            self.told.push(problem);
        }
    }

    /// None where there is too much of it.
    fn schema(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        let Some(members) = schema.as_object() else {
            // `true`, `false`, or a mistake.
            return Some(if schema.is_boolean() { schema.clone() } else { json!({}) });
        };
        if depth > MAX_DEPTH {
            self.tell(format!("what is nested deeper than {MAX_DEPTH} is not checked"));
            return Some(json!({}));
        }
        let reference = members.get("$ref").and_then(Value::as_str);
        let mut out = Map::new();
        for (key, value) in members {
            if reference.is_none() || !self.document.is_3_0 {
                self.keyword(&mut out, (key, value), members, depth)?;
            }
        }
        note_examples(&mut out, members);
        if let Some(reference) = reference {
            let is_nullable = members.get("nullable") == Some(&json!(true));
            let converted = self.reference(reference)?;
            if is_nullable {
                out.insert("anyOf".to_owned(), json!([converted, { "type": "null" }]));
            } else if let Value::Object(converted) = converted {
                out.extend(converted);
            }
            return Some(Value::Object(out));
        }
        // Of version 3.0.
        for (flag, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            match out.get(flag) {
                Some(Value::Bool(true)) => match out.remove(bound) {
                    Some(limit) => out.insert(flag.to_owned(), limit),
                    None => out.remove(flag),
                },
                Some(Value::Bool(false)) => out.remove(flag),
                _ => None,
            };
        }
        if members.get("nullable") == Some(&json!(true)) {
            if let Some(Value::String(kind)) = out.get("type").cloned() {
                out.insert("type".to_owned(), json!([kind, "null"]));
            }
            if let Some(Value::Array(values)) = out.get_mut("enum")
                && !values.contains(&Value::Null)
            {
                values.push(Value::Null);
            }
        }
        if let Some(problem) = enumeration::agree(&mut out) {
            self.tell(problem);
        }
        Some(Value::Object(out))
    }

    fn keyword(
        &mut self,
        out: &mut Map<String, Value>,
        (key, value): (&str, &Value),
        members: &Map<String, Value>,
        depth: usize,
    ) -> Option<()> {
        let converted = match key {
            "type" => self.types(value),
            "enum" => self.enumeration(value),
            "pattern" => {
                let is_usable = value.as_str().is_some_and(|text| Pattern::new(text).is_ok());
                if !is_usable {
                    self.tell(format!("the pattern {value} cannot be used, and is not checked"));
                    out.insert(UNCHECKED_PATTERN.to_owned(), value.clone());
                }
                is_usable.then(|| value.clone())
            }
            "required" => {
                let names = value.as_array().filter(|names| names.iter().all(Value::is_string)).cloned();
                if names.is_none() {
                    self.tell("`required` must be a list of names, and is left out");
                }
                names.map(|mut names| {
                    names.retain(|name| !self.is_left_to_server(members, name));
                    names.sort_by_key(ToString::to_string);
                    names.dedup();
                    Value::Array(names)
                })
            }
            "properties" | "patternProperties" | "dependentSchemas" => {
                if let Some(members) = value.as_object() {
                    let mut schemas = Map::new();
                    for (name, schema) in members {
                        let converted = if key == "dependentSchemas" {
                            self.schema(schema, depth + 1)?
                        } else {
                            self.of_part(schema, depth + 1)?
                        };
                        schemas.insert(name.clone(), converted);
                    }
                    Some(Value::Object(schemas))
                } else {
                    self.tell(format!("`{key}` must be a map, and is left out"));
                    None
                }
            }
            "items"
            | "additionalProperties"
            | "contains"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties"
                if is_schema(value) =>
            {
                Some(self.of_part(value, depth + 1)?)
            }
            "not" | "if" | "then" | "else" if is_schema(value) => Some(self.schema(value, depth + 1)?),
            "prefixItems" if value.as_array().is_some_and(|list| !list.is_empty()) => {
                let mut schemas = Vec::new();
                for schema in value.as_array().into_iter().flatten() {
                    schemas.push(self.of_part(schema, depth + 1)?);
                }
                Some(Value::Array(schemas))
            }
            "dependentRequired" if is_map_of_names(value) => Some(value.clone()),
            "oneOf" | "anyOf" | "allOf" => {
                if let Some(list) = value.as_array().filter(|list| !list.is_empty()) {
                    let mut schemas = Vec::new();
                    for schema in list {
                        schemas.push(self.schema(schema, depth + 1)?);
                        self.alternatives += 1;
                    }
                    if self.alternatives > MAX_ALTERNATIVES {
                        self.tell(format!("`{key}` with more than {MAX_ALTERNATIVES} alternatives of alternatives is left out"));
                        self.alternatives = 0;
                        return Some(());
                    }
                    Some(Value::Array(schemas))
                } else {
                    self.tell(format!("`{key}` must be a list of schemas, and is left out"));
                    None
                }
            }
            _ if PLAIN.contains(&key) => {
                let is_count = key.starts_with("min") || key.starts_with("max") || key == "multipleOf";
                if is_count && !value.is_number() {
                    self.tell(format!("`{key}: {value}` is no number, and is left out"));
                    None
                } else {
                    Some(value.clone())
                }
            }
            _ if ANNOTATIONS.contains(&key) || key.starts_with("x-") => None,
            _ => {
                self.tell(format!("the keyword `{key}` is not supported as it stands, and is left out"));
                None
            }
        };
        if let Some(converted) = converted {
            out.insert(key.to_owned(), converted);
        }
        Some(())
    }

    /// Whether clients may leave out a member although it is required, because the server sets it.
    fn is_left_to_server(&self, members: &Map<String, Value>, name: &Value) -> bool {
        let property = name.as_str().and_then(|name| members.get("properties")?.get(name));
        let is_read_only = |property: &Value| property.get("readOnly") == Some(&json!(true));
        self.sender == Sender::Client
            && property.is_some_and(|property| {
                is_read_only(property) || self.document.resolve_any(property).is_some_and(is_read_only)
            })
    }

    /// The schema of a part of the value.
    fn of_part(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        let (same_value, alternatives) = (self.same_value, std::mem::take(&mut self.alternatives));
        self.same_value = self.chain.len();
        let converted = self.schema(schema, depth);
        (self.same_value, self.alternatives) = (same_value, alternatives);
        converted
    }

    fn types(&mut self, value: &Value) -> Option<Value> {
        let listed = match value {
            Value::String(one) => vec![one.as_str()],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
        };
        let known: Vec<&str> = listed.iter().copied().filter(|kind| TYPES.contains(kind)).collect();
        if known.len() < listed.len() || listed.is_empty() {
            self.tell(format!("`type: {value}` is none of JSON Schema, and is left out"));
        }
        match known.as_slice() {
            [] => None,
            [one] => Some(json!(one)),
            several => Some(json!(several)),
        }
    }

    fn enumeration(&mut self, value: &Value) -> Option<Value> {
        let values = value.as_array().filter(|values| !values.is_empty());
        let Some(values) = values.filter(|values| values.len() <= MAX_ENUM) else {
            self.tell(format!("an enumeration without values or with more than {MAX_ENUM} is left out"));
            return None;
        };
        let mut distinct: Vec<Value> = Vec::new();
        for value in values {
            if !distinct.contains(value) {
                distinct.push(value.clone());
            }
        }
        Some(Value::Array(distinct))
    }

    /// A reference to what stands in `$defs` then.
    fn reference(&mut self, reference: &str) -> Option<Value> {
        let target = pointer_of(reference).and_then(|pointer| {
            let value = self.document.at(&pointer)?;
            Some((pointer, value))
        });
        let Some((pointer, target)) = target else {
            self.tell(format!("the reference {reference} leads to nothing in this file"));
            return Some(json!({}));
        };
        if self.chain.get(self.same_value..).is_some_and(|chain| chain.contains(&pointer)) {
            self.tell(format!("the reference {reference} leads to itself, and is left out"));
            return Some(json!({}));
        }
        if let Some((name, alternatives)) = self.known.get(&pointer) {
            self.alternatives += alternatives;
            return Some(json!({ "$ref": format!("#/$defs/{name}") }));
        }
        if self.chain.len() >= MAX_CHAIN {
            self.tell(format!("what stands behind more than {MAX_CHAIN} references is not checked"));
            return Some(json!({}));
        }
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let plain: String =
            last.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
        let name = format!("{plain}{}", self.known.len());
        // Where it is met again before it is converted, a part of the value is checked.
        self.known.insert(pointer.clone(), (name.clone(), 0));
        self.chain.push(pointer.clone());
        let before = std::mem::take(&mut self.alternatives);
        let converted = self.schema(target, 0)?;
        self.chain.pop();
        self.known.insert(pointer, (name.clone(), self.alternatives));
        self.alternatives += before;
        self.defs.insert(name.clone(), converted);
        Some(json!({ "$ref": format!("#/$defs/{name}") }))
    }
}

/// Keeps what a document has as examples for a schema.
fn note_examples(out: &mut Map<String, Value>, members: &Map<String, Value>) {
    let several = members.get("examples").and_then(Value::as_array);
    let examples = members.get("example").into_iter().chain(several.into_iter().flatten());
    let examples: Vec<Value> = examples
        .take(MAX_EXAMPLES)
        .filter(|example| example.to_string().len() <= MAX_EXAMPLE)
        .cloned()
        .collect();
    if !examples.is_empty() {
        out.insert(EXAMPLES.to_owned(), Value::Array(examples));
    }
}

/// A converted schema as it is written.
pub(super) fn without_examples(schema: &Value) -> Value {
    let of_all = |list: &[Value]| list.iter().map(without_examples).collect::<Vec<_>>();
    let Some(members) = schema.as_object() else { return schema.clone() };
    let mut out = Map::new();
    for (key, value) in members.iter().filter(|(key, _)| *key != EXAMPLES) {
        let written = match (key.as_str(), value) {
            ("properties" | "patternProperties" | "dependentSchemas" | "$defs", Value::Object(schemas)) => {
                schemas.iter().map(|(name, schema)| (name.clone(), without_examples(schema))).collect()
            }
            ("oneOf" | "anyOf" | "allOf" | "prefixItems", Value::Array(list)) => of_all(list).into(),
            (key, Value::Object(_)) if key != "const" && key != "default" => without_examples(value),
            _ => value.clone(),
        };
        out.insert(key.clone(), written);
    }
    Value::Object(out)
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

fn is_map_of_names(value: &Value) -> bool {
    let is_list = |names: &Value| names.as_array().is_some_and(|names| names.iter().all(Value::is_string));
    value.as_object().is_some_and(|members| members.values().all(is_list))
}
