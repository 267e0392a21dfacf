//! The text of one imported route.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::import::convert::convert;
use crate::import::document::{Document, Operation};
use crate::import::generate;
use crate::route::schema::compile;

/// Longest schema of a body that is kept, in bytes. It goes for requests and answers.
const MAX_SCHEMA: usize = 64 << 10;
/// Longest body of an answer, in bytes.
const MAX_BODY: usize = 256 << 10;

/// The lines of a route.
pub(super) fn text(
    document: &Document<'_>,
    operation: &Operation<'_>,
    names: &mut BTreeSet<String>,
    told: &mut Vec<String>,
) -> Vec<String> {
    let id = operation.id();
    let mut lines = vec![format!("  - name: {}", quoted(&name(operation, names)))];
    let mut request =
        vec![format!("method: {}", operation.method), format!("path: {}", quoted(&operation.path))];
    if !document.takes_key(operation) {
        request.push("key: optional".to_owned());
        let security = &operation.value["security"];
        if security
            .as_array()
            .is_some_and(|list| list.iter().any(|one| one.as_object().is_some_and(|it| !it.is_empty())))
        {
            told.push(format!(
                "{id}: its security is no API key in the header x-api-key, and is not checked"
            ));
        }
    }
    let answers = Answers::of(document, operation, told);
    let documents = |status: u16| answers.errors.iter().any(|answer| answer.status == status);
    if document.takes_key(operation) && !documents(401) && !documents(403) {
        told.push(format!("{id}: without a valid key it answers 401, which is not documented"));
    }
    let refusal = answers.refusal();
    let schema = if refusal.is_some() { schema(document, operation, told) } else { Map::new() };
    if refusal.is_none() {
        told.push(format!("{id}: no 4xx is documented, so that its requests are not validated"));
    }
    lines.push(format!("    request: {{{}}}", request.join(", ")));
    if !schema.is_empty() {
        lines.pop();
        lines.push("    request:".to_owned());
        lines.extend(request.iter().map(|entry| format!("      {entry}")));
        lines.push("      schema:".to_owned());
        lines.extend(schema.iter().map(|(part, schema)| format!("        {part}: {}", flow(schema))));
    }
    lines.push("    response:".to_owned());
    for answer in &answers.errors {
        // A client asks for a documented error as with other mock servers.
        let when = format!("{{header: {{prefer: {{matches: '(^|[ ,;])code={}($|[ ,;])'}}}}}}", answer.status);
        lines.extend(response(Some(&when), answer));
    }
    if let Some(refusal) = refusal.filter(|_| !schema.is_empty()) {
        lines.extend(response(Some("{valid: false}"), refusal));
    }
    lines.extend(response(None, &answers.success));
    lines
}

/// A name that no other route has.
fn name(operation: &Operation<'_>, names: &mut BTreeSet<String>) -> String {
    let given = operation.value["operationId"].as_str().unwrap_or_default();
    let given = if given.trim().is_empty() {
        format!("{}{}", operation.method.to_lowercase(), operation.path)
    } else {
        given.to_owned()
    };
    let mut plain = String::new();
    for letter in given.chars().take(80) {
        let kept = if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '-' };
        if !(kept == '-' && plain.ends_with('-')) {
            plain.push(kept);
        }
    }
    let plain = plain.trim_matches('-').to_owned();
    let plain = if plain.is_empty() { "route".to_owned() } else { plain };
    let mut name = plain.clone();
    let mut count = 1;
    while !names.insert(name.clone()) {
        count += 1;
        name = format!("{plain}-{count}");
    }
    name
}

/// The schemas of the parts of a request.
fn schema(document: &Document<'_>, operation: &Operation<'_>, told: &mut Vec<String>) -> Map<String, Value> {
    let id = operation.id();
    let mut schemas = Map::new();
    for place in ["path", "query", "header"] {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for parameter in operation.parameters.iter().filter(|parameter| parameter["in"] == place) {
            let Some(name) = parameter["name"].as_str() else { continue };
            let name = if place == "header" { name.to_ascii_lowercase() } else { name.to_owned() };
            if ["x-api-key", "accept", "content-type", "authorization"].contains(&name.as_str())
                && place == "header"
            {
                continue;
            }
            let what = format!("{id}: parameter {name}");
            let given = parameter.get("schema").or_else(|| {
                parameter["content"].as_object().and_then(|media| media.values().next()?.get("schema"))
            });
            let converted = given.and_then(|schema| convert(document, schema, &what, told));
            let mut converted = converted.unwrap_or_else(|| json!({}));
            if converted.get("$defs").is_some() {
                // Parameters are read by their types, which must stand at their place.
                converted = inlined(&converted);
            }
            if parameter["required"] == true && place != "path" {
                required.push(name.clone());
            }
            properties.insert(name, converted);
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
        match json_media(&body["content"]) {
            Some(media) => {
                let given = media.get("schema").unwrap_or(&Value::Null);
                let converted = convert(document, given, &format!("{id}: body"), told);
                if let Some(mut converted) = converted.filter(|it| it.to_string().len() <= MAX_SCHEMA) {
                    if body["required"] != true
                        && let Some(members) = converted.as_object_mut()
                    {
                        members.insert("x-optional".to_owned(), json!(true));
                    }
                    schemas.insert("body".to_owned(), converted);
                } else {
                    told.push(format!("{id}: its body is not validated"));
                }
            }
            None => told.push(format!("{id}: its body is no JSON, and is not validated")),
        }
    }
    schemas
}

/// A schema of which the top is the definition to which it refers.
fn inlined(schema: &Value) -> Value {
    let name = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/"));
    match name.and_then(|name| schema["$defs"].get(name)) {
        Some(definition) if !definition.to_string().contains("$ref") => definition.clone(),
        _ if schema.to_string().contains("$ref") => json!({}),
        _ => schema.clone(),
    }
}

/// The JSON media type of some content.
fn json_media(content: &Value) -> Option<&Value> {
    let content = content.as_object()?;
    let is_json = |name: &str| name.to_ascii_lowercase().contains("json") || name == "*/*";
    content.iter().find(|(name, _)| is_json(name)).map(|(_, media)| media)
}

/// A documented answer.
struct Answer {
    status: u16,
    content: Content,
}

enum Content {
    /// No body, of a media type if there is one.
    Empty(Option<String>),
    Json {
        body: Value,
        /// JSON Schema of the body.
        schema: Option<Value>,
    },
    Text {
        body: String,
        media_type: String,
    },
}

/// The answers of an operation.
struct Answers {
    success: Answer,
    /// With statuses from 400.
    errors: Vec<Answer>,
}

impl Answers {
    fn of(document: &Document<'_>, operation: &Operation<'_>, told: &mut Vec<String>) -> Self {
        let id = operation.id();
        let (mut success, mut errors): (Option<Answer>, Vec<Answer>) = (None, Vec::new());
        let mut otherwise = None;
        for (status, response) in operation.value["responses"].as_object().into_iter().flatten() {
            let Some(response) = document.resolve(response) else {
                told.push(format!("{id}: the answer {status} is left out: its `$ref` leads to nothing"));
                continue;
            };
            let number = match status.as_str() {
                "2XX" | "2xx" => Some(200),
                "4XX" | "4xx" | "default" => Some(400),
                "5XX" | "5xx" => Some(500),
                other => other.parse().ok().filter(|number| (100..=599).contains(number)),
            };
            let Some(number) = number.filter(|number| *number >= 200) else {
                told.push(format!(
                    "{id}: the answer {status} is left out: it is no status of a final answer"
                ));
                continue;
            };
            let is_default = status == "default";
            let what = format!("{id}: the answer {status}");
            let content = content(document, response, &what, told);
            let content = if matches!(number, 204 | 205 | 304) { Content::Empty(None) } else { content };
            let answer = Answer { status: number, content };
            if number < 300 {
                if success.as_ref().is_none_or(|known| known.status > number) {
                    success = Some(answer);
                }
            } else if is_default {
                otherwise = Some(answer);
            } else if number >= 400 {
                errors.retain(|known| known.status != number);
                errors.push(answer);
            }
        }
        if errors.iter().all(|answer| answer.status >= 500) {
            errors.extend(otherwise);
        }
        let success = success.unwrap_or_else(|| {
            told.push(format!("{id}: no answer below 300 is documented: it answers 200 without a body"));
            Answer { status: 200, content: Content::Empty(None) }
        });
        errors.sort_by_key(|answer| answer.status);
        Self { success, errors }
    }

    /// The answer to a request that is not valid: 400, else 422, else the first documented 4xx.
    fn refusal(&self) -> Option<&Answer> {
        let of = |status: u16| self.errors.iter().find(|answer| answer.status == status);
        of(400).or_else(|| of(422)).or_else(|| self.errors.iter().find(|answer| answer.status < 500))
    }
}

fn content(document: &Document<'_>, response: &Value, what: &str, told: &mut Vec<String>) -> Content {
    let Some(all) = response["content"].as_object().filter(|all| !all.is_empty()) else {
        return Content::Empty(None);
    };
    let Some(media) = json_media(&response["content"]) else {
        let text = all.iter().find(|(name, _)| name.starts_with("text/")).or_else(|| all.iter().next());
        let Some((media_type, media)) = text else { return Content::Empty(None) };
        let example = example(document, media).and_then(Value::as_str);
        let plain = (media_type == "text/plain").then_some("text");
        if let Some(text) = example.or(plain) {
            return Content::Text { body: text.to_owned(), media_type: media_type.clone() };
        }
        told.push(format!("{what}: it is {media_type} without an example: its body is empty"));
        return Content::Empty(Some(media_type.clone()));
    };
    let given = media.get("schema");
    let schema = given.and_then(|schema| convert(document, schema, what, told));
    let validator = schema.as_ref().and_then(|schema| compile(schema).ok());
    let fits = |value: &Value| validator.as_ref().is_none_or(|validator| validator.is_valid(value));
    let examples =
        [example(document, media), given.and_then(|schema| document.resolve(schema)?.get("example"))];
    for example in examples.into_iter().flatten() {
        // Some documents have the JSON of an example as text.
        let parsed = example.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let candidates = [Some(example.clone()), parsed];
        if let Some(value) = candidates.into_iter().flatten().find(|value| fits(value)) {
            if value.to_string().len() <= MAX_BODY {
                return Content::Json { body: value, schema };
            }
            told.push(format!("{what}: its example is longer than {} KiB, and is not used", MAX_BODY >> 10));
            continue;
        }
        let why = validator.as_ref().and_then(|validator| {
            let error = validator.validate(example).err()?;
            let text: String = error.to_string().chars().take(120).collect();
            Some(format!("{}: {text}", error.instance_path()))
        });
        told.push(format!(
            "{what}: its example contradicts its schema, and is not used: {}",
            why.unwrap_or_default()
        ));
    }
    let made = schema.as_ref().map(|schema| generate::value(schema, what).unwrap_or(Value::Null));
    let body = made.unwrap_or_else(|| json!({}));
    if !fits(&body) {
        told.push(format!("{what}: no body could be made that fits its schema"));
    }
    Content::Json { body, schema }
}

/// The first documented example.
fn example<'a>(document: &Document<'a>, media: &'a Value) -> Option<&'a Value> {
    if let Some(example) = media.get("example") {
        return Some(example);
    }
    let (_, first) = media["examples"].as_object()?.iter().next()?;
    document.resolve(first)?.get("value")
}

fn response(when: Option<&str>, answer: &Answer) -> Vec<String> {
    let mut entries = Vec::new();
    if let Some(when) = when {
        entries.push(format!("when: {when}"));
    }
    if answer.status != 200 || matches!(answer.content, Content::Empty(_)) {
        entries.push(format!("status: {}", answer.status));
    }
    let header = |media_type: &str| format!("headers: {{content-type: {}}}", quoted(&escape(media_type)));
    match &answer.content {
        Content::Empty(media_type) => entries.extend(media_type.as_deref().map(header)),
        Content::Json { body, schema } => {
            let schema = schema.as_ref().map(flow).filter(|schema| schema.len() <= MAX_SCHEMA);
            entries.extend(schema.map(|schema| format!("schema: {schema}")));
            entries.push(format!("json: {}", flow(&escaped(body))));
        }
        Content::Text { body, media_type } => {
            entries.extend((media_type != "text/plain").then(|| header(media_type)));
            entries.push(format!("text: {}", quoted(&escape(body))));
        }
    }
    let mut entries = entries.into_iter();
    let first = entries.next().unwrap_or_default();
    let rest = entries.map(|entry| format!("        {entry}"));
    std::iter::once(format!("      - {first}")).chain(rest).collect()
}

/// A value whose texts are no templates.
fn escaped(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(escape(text)),
        Value::Array(list) => list.iter().map(escaped).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), escaped(value))).collect::<Map<_, _>>().into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A text that is no template.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = ["{{", "{%", "{#"].iter().filter_map(|mark| rest.find(mark)).min() {
        out.push_str(&rest[..at]);
        out.push_str("{{ '");
        out.push_str(&rest[at..at + 2]);
        out.push_str("' }}");
        rest = &rest[at + 2..];
    }
    out.push_str(rest);
    out
}

/// JSON in one line, which is YAML as well.
fn flow(value: &Value) -> String {
    quote_odd(&value.to_string())
}

fn quoted(text: &str) -> String {
    quote_odd(&Value::from(text).to_string())
}

/// Characters that YAML does not allow, or takes for line breaks, as escapes. They stand in texts only.
fn quote_odd(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        let is_odd = letter.is_control()
            || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
            || u32::from(letter) > 0xffff;
        if is_odd {
            let mut units = [0; 2];
            for unit in letter.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(letter);
        }
    }
    out
}
