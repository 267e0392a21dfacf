//! JSON Schemas (2020-12) that the parts of a request must fit: path, query, headers and body. Parameters are text, and count as
//! the numbers, booleans and lists that the schema asks for if they can be read as such.

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

/// Two schemas are the same if they are written the same.
impl PartialEq for RequestSchema {
    fn eq(&self, other: &Self) -> bool {
        let text = |schema: &Self| -> Vec<(Part, Value)> {
            schema.parts.iter().map(|(part, schema, _)| (*part, schema.clone())).collect()
        };
        text(self) == text(other)
    }
}

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
                    let all: Vec<_> = asked.request.call.parameters().collect();
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
                Part::Body => match asked.request.json() {
                    Some(json) => json.clone(),
                    // A request without a body, where it may be left out.
                    None if asked.request.call.bytes().is_empty() => {
                        let is_optional = schema.get("x-optional").is_some_and(|it| *it == Value::Bool(true));
                        return (!is_optional).then(|| Misfit("the body is missing".to_owned()));
                    }
                    None => return Some(Misfit("the body is not JSON".to_owned())),
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
        let value = if has_type(schema, "array") {
            let elements = match values.as_slice() {
                [one] => one.split(',').collect(),
                many => many.to_vec(),
            };
            elements.into_iter().map(|element| typed(&schema["items"], element)).collect()
        } else {
            typed(schema, first)
        };
        object.insert(name.to_owned(), value);
    }
    Value::Object(object)
}

/// A text as the type that a schema asks for, if it can be read as such.
fn typed(schema: &Value, text: &str) -> Value {
    if (has_type(schema, "integer") || has_type(schema, "number"))
        && let Ok(number) = text.trim().parse::<serde_json::Number>()
    {
        return Value::Number(number);
    }
    if has_type(schema, "boolean") {
        match text.to_ascii_lowercase().as_str() {
            "true" => return Value::Bool(true),
            "false" => return Value::Bool(false),
            _ => {}
        }
    }
    if has_type(schema, "object")
        && let Ok(object @ Value::Object(_)) = serde_json::from_str(text)
    {
        return object;
    }
    Value::String(text.to_owned())
}

fn has_type(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::String(one) => one == name,
        Value::Array(several) => several.iter().any(|one| one == name),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}
