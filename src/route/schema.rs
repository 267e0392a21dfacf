//! JSON Schemas (2020-12) that the parts of a request must fit: path, query, headers and body. Parameters are text, and count as
//! the numbers, booleans and lists that the schema asks for if they can be read as such.

use std::borrow::Cow;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value};

use crate::route::context::Asked;

/// The schemas of a route.
#[derive(Debug)]
pub(crate) struct RequestSchema {
    parts: Vec<(Part, Value, Validator)>,
}

/// A part of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Path,
    Query,
    Header,
    Body,
}

/// Why a request does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit(pub(crate) String);

impl Misfit {
    pub(crate) fn not_json() -> Self {
        Self("the body is not JSON".to_owned())
    }
}

/// Two schemas are the same if they are written the same.
impl PartialEq for RequestSchema {
    fn eq(&self, other: &Self) -> bool {
        let text = |schema: &Self| -> Vec<(Part, Value)> {
            schema.parts.iter().map(|(part, schema, _)| (*part, schema.clone())).collect()
        };
        text(self) == text(other)
    }
}

/// Members of the schema of a body: `true` lets the body be left out, and bodies of the listed media types are not checked.
pub(crate) const OPTIONAL: &str = "x-optional";
pub(crate) const OTHER_MEDIA_TYPES: &str = "x-other-media-types";
/// Member of the schema of a parameter that is a list: what stands between its elements. Default: a comma.
pub(crate) const DELIMITER: &str = "x-delimiter";

/// Maximum size of a compiled pattern of a schema, in bytes.
const PATTERN: usize = 1 << 20;

/// Compiles a schema. Its patterns run in linear time, and it reads nothing from elsewhere.
///
/// # Errors
/// Why it is not valid.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    let patterns = PatternOptions::regex().size_limit(PATTERN).dfa_size_limit(PATTERN);
    let options =
        jsonschema::options().with_draft(Draft::Draft202012).offline().with_pattern_options(patterns);
    options.build(schema).map_err(|error| {
        let at = error.instance_path().to_string();
        format!("{}{error}", if at.is_empty() { String::new() } else { format!("{at}: ") })
    })
}

impl RequestSchema {
    /// Compiles the schemas of the given parts.
    ///
    /// # Errors
    /// The first part whose schema is not valid, and why.
    pub(crate) fn new(parts: Vec<(Part, Value)>) -> Result<Self, (Part, String)> {
        let compiled = parts.into_iter().map(|(part, schema)| {
            let validator = compile(&schema).map_err(|why| (part, why))?;
            Ok((part, schema, validator))
        });
        Ok(Self { parts: compiled.collect::<Result<_, _>>()? })
    }

    /// The schema of a part, if it has one.
    pub(crate) fn of(&self, part: Part) -> Option<&Value> {
        self.parts.iter().find(|(known, ..)| *known == part).map(|(_, schema, _)| schema)
    }

    /// Why a request does not fit. None if it does.
    pub(crate) fn misfit(&self, asked: &Asked<'_>) -> Option<Misfit> {
        self.parts.iter().find_map(|(part, schema, validator)| {
            let value = match part {
                Part::Path => {
                    let plain = crate::route::path::plain(asked.request.call.path);
                    let values = asked.route.path.values(plain);
                    parameters(schema, values.iter().map(|(name, value)| (*name, &**value)))
                }
                Part::Query => {
                    // As in the operations, an empty value is none.
                    let given = |(_, value): &(_, Cow<'_, str>)| !value.trim().is_empty();
                    let all: Vec<_> = asked.request.call.parameters().filter(given).collect();
                    parameters(schema, all.iter().map(|(name, value)| (&**name, &**value)))
                }
                Part::Header => {
                    let all: Vec<_> = asked
                        .request
                        .call
                        .headers
                        .iter()
                        .map(|(name, value)| (*name, String::from_utf8_lossy(value).trim().to_owned()))
                        .collect();
                    parameters(schema, all.iter().map(|(name, value)| (*name, value.as_str())))
                }
                Part::Body if has_other_media_type(schema, asked) => return None,
                Part::Body => match asked.request.json() {
                    Some(json) => json.clone(),
                    // A request without a body, where it may be left out.
                    None if asked.request.call.bytes().is_empty() => {
                        let is_optional = schema.get(OPTIONAL) == Some(&Value::Bool(true));
                        return (!is_optional).then(|| Misfit("the body is missing".to_owned()));
                    }
                    None => return Some(Misfit::not_json()),
                },
            };
            let error = validator.validate(&value).err()?;
            let at = error.instance_path().to_string();
            let what = match part {
                Part::Path => "path",
                Part::Query => "query",
                Part::Header => "header",
                Part::Body => "body",
            };
            let mut why: String = error.to_string().chars().take(300).collect();
            if why.len() < error.to_string().len() {
                why.push('…');
            }
            Some(Misfit(format!("{what}{at}: {why}")))
        })
    }
}

/// Whether the body is of a media type that its schema says nothing about.
fn has_other_media_type(schema: &Value, asked: &Asked<'_>) -> bool {
    let Some(others) = schema.get(OTHER_MEDIA_TYPES).and_then(Value::as_array) else { return false };
    let given = asked.request.call.media_type();
    others.iter().filter_map(Value::as_str).any(|other| {
        let other = other.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match other.strip_suffix('*') {
            Some("*/") => true,
            Some(group) => given.starts_with(group),
            None => given == other,
        }
    })
}

/// Parameters as the object that their schema describes. Of repeated ones, all are the elements of a list, or the first counts.
fn parameters<'a>(schema: &Value, given: impl Iterator<Item = (&'a str, &'a str)>) -> Value {
    let mut texts: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, value) in given {
        match texts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value),
            None => texts.push((name, vec![value])),
        }
    }
    let mut object = Map::new();
    for (name, values) in texts {
        let schema = &schema["properties"][name];
        if schema.is_null() {
            continue;
        }
        let first = values.first().copied().unwrap_or_default();
        let value = if let Some(list) = of_type(schema, "array") {
            let delimiter = schema[DELIMITER].as_str().unwrap_or(",");
            let elements = match values.as_slice() {
                [one] => one.split(delimiter).collect(),
                many => many.to_vec(),
            };
            elements.into_iter().map(|element| typed(&list["items"], element)).collect()
        } else {
            typed(schema, first)
        };
        object.insert(name.to_owned(), value);
    }
    Value::Object(object)
}

/// A text as the type that a schema asks for, if it can be read as such.
pub(crate) fn typed(schema: &Value, text: &str) -> Value {
    let may_be = |name: &str| of_type(schema, name).is_some();
    if (may_be("integer") || may_be("number"))
        && let Ok(number) = text.trim().parse::<serde_json::Number>()
    {
        return Value::Number(number);
    }
    if may_be("boolean") {
        match text.to_ascii_lowercase().as_str() {
            "true" => return Value::Bool(true),
            "false" => return Value::Bool(false),
            _ => {}
        }
    }
    if may_be("object")
        && let Ok(object @ Value::Object(_)) = serde_json::from_str(text)
    {
        return object;
    }
    // An enumeration without a type.
    if schema["type"].is_null()
        && let Some(values) = schema["enum"].as_array()
        && let Ok(value) = serde_json::from_str::<Value>(text)
        && !value.is_string()
        && values.contains(&value)
    {
        return value;
    }
    Value::String(text.to_owned())
}

/// Maximum depth of alternatives in which a type is looked for.
const MAX_DEPTH: usize = 8;

/// The part of a schema that is of a type: itself, or one of its alternatives.
pub(crate) fn of_type<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    fn find<'a>(schema: &'a Value, name: &str, depth: usize) -> Option<&'a Value> {
        let is_it = match &schema["type"] {
            Value::String(one) => one == name,
            Value::Array(several) => several.iter().any(|one| one == name),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
        };
        if is_it {
            return Some(schema);
        }
        let alternatives = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema[key].as_array());
        alternatives.flatten().filter(|_| depth < MAX_DEPTH).find_map(|one| find(one, name, depth + 1))
    }
    find(schema, name, 0)
}
