//! The schemas that requests of an imported route must fit.

use serde_json::{Map, Value, json};

use crate::import::answers::Media;
use crate::import::convert::{EXAMPLES, Sender, convert, without_examples};
use crate::import::document::{Document, Operation};
use crate::import::notes::Notes;
use crate::import::write::is_writable;
use crate::route::schema::{DELIMITER, OPTIONAL, OTHER_MEDIA_TYPES};

/// Longest schema of a body that is kept, in bytes. It goes for requests and answers.
pub(super) const MAX_SCHEMA: usize = 64 << 10;
/// Most values of a parameter's schema with what it refers to.
const MAX_INLINED: usize = 5_000;
/// Maximum depth of it.
const MAX_INLINED_DEPTH: usize = 60;

/// Headers that OpenAPI describes elsewhere.
const OTHER_HEADERS: [&str; 4] = ["x-api-key", "accept", "content-type", "authorization"];

/// The schemas of the parts of a request, by part.
pub(super) fn schemas(
    document: &Document<'_>,
    operation: &Operation<'_>,
    notes: &mut Notes,
) -> Map<String, Value> {
    let mut schemas = Map::new();
    for parameter in &operation.parameters {
        let place = parameter["in"].as_str().unwrap_or_default();
        if !["path", "query", "header"].contains(&place) {
            let name = parameter["name"].as_str().unwrap_or_default();
            let what = if place == "cookie" { "a cookie is" } else { "a parameter that stands there is" };
            notes.tell(
                format!("{}: {place} parameter {name}", operation.id()),
                format!("{what} not validated"),
            );
        }
    }
    for place in ["path", "query", "header"] {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for parameter in operation.parameters.iter().filter(|parameter| parameter["in"] == place) {
            let Some(name) = parameter["name"].as_str() else { continue };
            let name = if place == "header" { name.to_ascii_lowercase() } else { name.to_owned() };
            if place == "header" && OTHER_HEADERS.contains(&name.as_str()) {
                continue;
            }
            let reader =
                Reader { document, parameter, place: format!("{}: parameter {name}", operation.id()) };
            for one in reader.read(&name, notes) {
                if one.is_required && place != "path" {
                    required.push(one.name.clone());
                }
                properties.insert(one.name, without_examples(&one.schema));
            }
        }
        if !properties.is_empty() && (place != "path" || properties.values().any(|it| it != &json!({}))) {
            let mut object = json!({ "properties": properties });
            if !required.is_empty() {
                object["required"] = json!(required);
            }
            schemas.insert(place.to_owned(), object);
        }
    }
    if let Some(body) = operation.value.get("requestBody").and_then(|body| document.resolve(body)) {
        schemas.extend(body_schema(document, body, &operation.id(), notes).map(|it| ("body".to_owned(), it)));
    }
    schemas
}

fn body_schema(document: &Document<'_>, body: &Value, id: &str, notes: &mut Notes) -> Option<Value> {
    let Some(json) = Media::json(&body["content"]) else {
        notes.tell(id, "its body is no JSON, and is not validated");
        return None;
    };
    let place = format!("{id}: body");
    let given = json.value.get("schema").unwrap_or(&Value::Null);
    let converted = convert(document, given, (&place, Sender::Client), notes);
    let converted = converted.as_ref().map(without_examples);
    let fits = |schema: &Value| schema.to_string().len() <= MAX_SCHEMA && is_writable(schema);
    let mut schema = converted.filter(fits).unwrap_or_else(|| {
        notes.tell(&place, "only whether it is JSON is validated");
        json!({})
    });
    if !schema.is_object() {
        schema = json!({ "allOf": [schema] });
    }
    if body["required"] != true {
        schema[OPTIONAL] = json!(true);
    }
    let others: Vec<&str> = json.others(&body["content"]).collect();
    if !others.is_empty() {
        notes.tell(&place, format!("as {} it is not validated", others.join(" and ")));
        schema[OTHER_MEDIA_TYPES] = json!(others);
    }
    Some(schema)
}

/// A parameter as requests have it: a member of an object can be a parameter of its own.
struct Read {
    name: String,
    schema: Value,
    is_required: bool,
}

struct Reader<'a> {
    document: &'a Document<'a>,
    parameter: &'a Value,
    place: String,
}

impl Reader<'_> {
    fn read(&self, name: &str, notes: &mut Notes) -> Vec<Read> {
        let is_required = self.parameter["required"] == true;
        let media = self.parameter["content"].as_object().and_then(|content| content.values().next());
        let given = self.parameter.get("schema").or_else(|| media?.get("schema"));
        let converted = given
            .and_then(|schema| convert(self.document, schema, (&self.place, Sender::Client), notes))
            .unwrap_or_else(|| json!({}));
        let inlined = inlined(&converted);
        if inlined.is_none() {
            notes.tell(
                &self.place,
                "its schema refers to itself or is too large, and its value is not validated",
            );
        }
        let schema = inlined.filter(is_writable).unwrap_or_else(|| json!({}));
        let one = |schema: Value| vec![Read { name: name.to_owned(), schema, is_required }];
        let unchecked = |what: &str, notes: &mut Notes| {
            notes.tell(&self.place, format!("{what}: its value is not validated"));
            one(json!({}))
        };
        let is_object = takes(&schema, "object");
        let is_list = takes(&schema, "array");
        if media.is_some() {
            // Text that is no object is not told from the JSON of a text.
            return if is_object { one(schema) } else { unchecked("its value is JSON", notes) };
        }
        if self.parameter["allowEmptyValue"] == true {
            return unchecked("it may be empty", notes);
        }
        let is_query = self.parameter["in"] == "query";
        let style = self.parameter["style"].as_str();
        let style = style.unwrap_or(if is_query { "form" } else { "simple" });
        let explodes = self.parameter["explode"].as_bool().unwrap_or(matches!(style, "form" | "deepObject"));
        match (style, is_object, is_list) {
            ("deepObject", true, _) => self.members(&schema, notes, |member| format!("{name}[{member}]")),
            ("form", true, false) if explodes => self.members(&schema, notes, str::to_owned),
            ("pipeDelimited", false, true) if !explodes => one(delimited(schema, "|")),
            ("spaceDelimited", false, true) if !explodes => one(delimited(schema, " ")),
            ("form" | "simple" | "pipeDelimited" | "spaceDelimited", false, _) => one(schema),
            _ if is_object => unchecked(&format!("it is an object in the style {style}"), notes),
            _ => unchecked(&format!("its style is {style}"), notes),
        }
    }

    /// The members of an object, each of which is a parameter. What the object as a whole must fit is told.
    fn members(&self, schema: &Value, notes: &mut Notes, name: impl Fn(&str) -> String) -> Vec<Read> {
        let understood = ["type", "properties", "required", "title", "default", EXAMPLES];
        let others: Vec<&str> = schema
            .as_object()
            .into_iter()
            .flat_map(|members| members.keys().map(String::as_str))
            .filter(|key| !understood.contains(key))
            .collect();
        if !others.is_empty() {
            let what = format!("its members are parameters, and `{}` is not checked", others.join("`, `"));
            notes.tell(&self.place, what);
        }
        let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
        let required = schema["required"].as_array();
        let is_required = |member: &str| {
            self.parameter["required"] == true
                && required.is_some_and(|names| names.iter().any(|known| known == member))
        };
        let mut members = Vec::new();
        for (member, schema) in properties {
            // There is no common way to write what is nested deeper.
            if takes(schema, "object") || takes(schema, "array") {
                notes.tell(
                    &self.place,
                    format!("its member {member} is a list or an object, and is not validated"),
                );
                continue;
            }
            let schema = schema.clone();
            members.push(Read { name: name(member), schema, is_required: is_required(member) });
        }
        members
    }
}

/// Whether a schema is of a type, or could be.
fn takes(schema: &Value, kind: &str) -> bool {
    crate::route::schema::of_type(schema, kind).is_some()
        || (kind == "object" && schema["type"].is_null() && schema["properties"].is_object())
        || (kind == "array" && schema["type"].is_null() && schema["items"].is_object())
}

fn delimited(mut schema: Value, delimiter: &str) -> Value {
    schema[DELIMITER] = json!(delimiter);
    schema
}

/// A schema with what its references lead to in their place, since parameters are read by their types. None if that has no end.
fn inlined(schema: &Value) -> Option<Value> {
    fn inline(schema: &Value, defs: &Value, left: &mut usize, depth: usize) -> Option<Value> {
        *left = left.checked_sub(1)?;
        let depth = depth.checked_sub(1)?;
        Some(match schema {
            Value::Object(members) => {
                let mut out = Map::new();
                let reference = members.get("$ref").and_then(Value::as_str);
                if let Some(name) = reference.and_then(|reference| reference.strip_prefix("#/$defs/")) {
                    let target = inline(defs.get(name)?, defs, left, depth)?;
                    let Value::Object(target) = target else { return Some(target) };
                    out = target;
                }
                for (key, value) in
                    members.iter().filter(|(key, _)| !["$ref", "$defs"].contains(&key.as_str()))
                {
                    out.insert(key.clone(), inline(value, defs, left, depth)?);
                }
                Value::Object(out)
            }
            Value::Array(list) => {
                list.iter().map(|one| inline(one, defs, left, depth)).collect::<Option<Vec<_>>>()?.into()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
        })
    }
    inline(schema, &schema["$defs"], &mut { MAX_INLINED }, MAX_INLINED_DEPTH)
}
