//! The answers that a document has for an operation.

use serde_json::{Map, Value, json};

use crate::import::convert::{EXAMPLES, Sender, convert};
use crate::import::document::{Document, Operation};
use crate::import::generate::{self, Drawn};
use crate::import::notes::Notes;
use crate::import::write::{escape, is_writable};
use crate::route::schema::{compile, typed};

/// Longest body of an answer, in bytes.
const MAX_BODY: usize = 256 << 10;
/// Most named examples of an answer that are looked at.
const MAX_EXAMPLES: usize = 20;
/// Most headers of an answer.
const MAX_HEADERS: usize = 50;

/// Headers that the server sets, and one that documents describe by media types.
const SERVER_HEADERS: [&str; 5] =
    ["connection", "content-length", "content-type", "date", "transfer-encoding"];

/// A documented answer.
pub(super) struct Answer {
    pub(super) status: u16,
    /// The headers, whose values are templates.
    pub(super) headers: Vec<(String, String)>,
    pub(super) content: Content,
}

pub(super) enum Content {
    /// No body, of a media type if there is one.
    Empty(Option<String>),
    Json {
        body: Value,
        /// JSON Schema of the body.
        schema: Option<Value>,
        /// None if it is `application/json`.
        media_type: Option<String>,
    },
    Text {
        body: String,
        media_type: String,
    },
}

/// The answers of an operation.
pub(super) struct Answers {
    /// The answer to a request that is fine.
    pub(super) success: Answer,
    /// The others, by status.
    pub(super) others: Vec<Answer>,
}

/// A media type of some content that is JSON.
pub(super) struct Media<'a> {
    name: &'a str,
    pub(super) value: &'a Value,
}

impl<'a> Media<'a> {
    /// The JSON media type of some content; `application/json` wins.
    pub(super) fn json(content: &'a Value) -> Option<Self> {
        let rank = |name: &str| match kind(name).as_str() {
            "application/json" => Some(0),
            "text/json" => Some(1),
            kind if kind.ends_with("+json") => Some(2),
            "application/*" | "*/*" => Some(3),
            _ => None,
        };
        let ranked = content.as_object()?.iter().filter_map(|(name, value)| Some((rank(name)?, name, value)));
        ranked.min_by_key(|(rank, ..)| *rank).map(|(_, name, value)| Self { name, value })
    }

    /// The names of the other media types.
    pub(super) fn others(&self, content: &'a Value) -> impl Iterator<Item = &'a str> {
        let names = content.as_object().into_iter().flat_map(Map::keys).map(String::as_str);
        let own = self.name;
        names.filter(move |name| *name != own)
    }
}

/// A media type without its parameters.
fn kind(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

impl Answers {
    pub(super) fn of(document: &Document<'_>, operation: &Operation<'_>, notes: &mut Notes) -> Self {
        let id = operation.id();
        let mut answers: Vec<Answer> = Vec::new();
        let mut default = None;
        let documented = operation.value["responses"].as_object();
        let (ranges, single): (Vec<_>, Vec<_>) = documented
            .into_iter()
            .flatten()
            .partition(|(status, _)| status.to_ascii_lowercase().ends_with("xx"));
        for (status, response) in single.into_iter().chain(ranges) {
            let place = format!("{id}: the answer {status}");
            if status.starts_with("x-") {
                continue;
            }
            let Some(response) = document.resolve(response) else {
                notes.tell(place, "left out: its `$ref` leads to nothing");
                continue;
            };
            if status == "default" {
                default = Some(response);
                continue;
            }
            let number = match status.to_ascii_lowercase().as_str() {
                "2xx" => Some(200),
                "3xx" => Some(302),
                "4xx" => Some(400),
                "5xx" => Some(500),
                other => other.parse().ok().filter(|number| (200..=599).contains(number)),
            };
            let Some(number) = number else {
                notes.tell(place, "left out: it is no status of a final answer");
                continue;
            };
            if answers.iter().any(|known| known.status == number) {
                notes.tell(place, format!("left out: {number} is documented by itself"));
                continue;
            }
            answers.push(answer(document, response, (&place, number), notes));
        }
        answers.sort_by_key(|answer| answer.status);
        let place = format!("{id}: the answer default");
        let success = answers.iter().position(|answer| answer.status < 400).map(|at| answers.remove(at));
        let success = success.unwrap_or_else(|| {
            if let Some(response) = default.take() {
                notes.tell(&place, "answered with 200, since no answer below 400 is documented");
                return answer(document, response, (&place, 200), notes);
            }
            notes.tell(&id, "no answer below 400 is documented: it answers 200 without a body");
            Answer { status: 200, headers: Vec::new(), content: Content::Empty(None) }
        });
        let mut answers = Self { success, others: answers };
        if let Some(response) = default {
            let has_one =
                |from: u16, to: u16| answers.others.iter().any(|answer| (from..=to).contains(&answer.status));
            let has_refusal = has_one(400, 400) || has_one(422, 422);
            match (has_refusal, has_one(500, 599)) {
                (false, _) => answers.add(answer(document, response, (&place, 400), notes)),
                (true, false) => answers.add(answer(document, response, (&place, 500), notes)),
                (true, true) => {
                    notes.tell(place, "left out: errors of clients and of the server are documented");
                }
            }
        }
        answers
    }

    fn add(&mut self, answer: Answer) {
        self.others.push(answer);
        self.others.sort_by_key(|answer| answer.status);
    }

    pub(super) fn has(&self, status: u16) -> bool {
        self.others.iter().any(|answer| answer.status == status)
    }

    /// The answer to a request that is not valid: 400, else 422, else the first documented 4xx.
    pub(super) fn refusal(&self) -> Option<&Answer> {
        let of = |status: u16| self.others.iter().find(|answer| answer.status == status);
        let first = || self.others.iter().find(|answer| (400..500).contains(&answer.status));
        of(400).or_else(|| of(422)).or_else(first)
    }
}

fn answer(
    document: &Document<'_>,
    response: &Value,
    (place, status): (&str, u16),
    notes: &mut Notes,
) -> Answer {
    if response["links"].as_object().is_some_and(|links| !links.is_empty()) {
        notes.tell(place, "its links are left out");
    }
    let headers = headers(document, response, place, notes);
    let content = if matches!(status, 204 | 205 | 304) {
        Content::Empty(None)
    } else {
        content(document, response, (place, status), notes)
    };
    Answer { status, headers, content }
}

fn content(
    document: &Document<'_>,
    response: &Value,
    (place, status): (&str, u16),
    notes: &mut Notes,
) -> Content {
    let Some(all) = response["content"].as_object().filter(|all| !all.is_empty()) else {
        return Content::Empty(None);
    };
    let tell_others = |others: Vec<&str>, notes: &mut Notes| {
        if !others.is_empty() {
            notes.tell(place, format!("not answered as {}", others.join(" or ")));
        }
    };
    let Some(media) = Media::json(&response["content"]) else {
        let text = all.iter().find(|(name, _)| name.starts_with("text/")).or_else(|| all.iter().next());
        let Some((media_type, media)) = text else { return Content::Empty(None) };
        tell_others(all.keys().filter(|name| *name != media_type).map(String::as_str).collect(), notes);
        let texts: Vec<(String, &Value)> = examples(document, media, place, notes);
        let example = texts.iter().find_map(|(_, example)| example.as_str());
        let example = example.filter(|text| text.len() <= MAX_BODY && is_writable(&json!(text)));
        let plain = (media_type == "text/plain").then_some("text");
        if let Some(text) = example.or(plain) {
            return Content::Text { body: text.to_owned(), media_type: media_type.clone() };
        }
        notes.tell(place, format!("it is {media_type} without an example: its body is empty"));
        return Content::Empty(Some(media_type.clone()));
    };
    tell_others(media.others(&response["content"]).collect(), notes);
    let media_type = match kind(media.name).as_str() {
        "application/json" | "application/*" | "*/*" => None,
        _ => Some(media.name.to_owned()),
    };
    let (body, schema) = json_body(document, media.value, (place, status), notes);
    Content::Json { body, schema, media_type }
}

/// The body of an answer: an example that fits its schema, else one that is drawn from it.
fn json_body(
    document: &Document<'_>,
    media: &Value,
    (place, status): (&str, u16),
    notes: &mut Notes,
) -> (Value, Option<Value>) {
    let given = media.get("schema");
    let schema = given.and_then(|schema| convert(document, schema, (place, Sender::Server), notes));
    let validator = schema.as_ref().and_then(|schema| compile(schema).ok());
    let fits = |value: &Value| validator.as_ref().is_none_or(|validator| validator.is_valid(value));
    let mut documented = examples(document, media, place, notes);
    let of_schema = given.and_then(|schema| document.resolve_any(schema).or(Some(schema))?.get("example"));
    documented.extend(of_schema.map(|example| ("its example".to_owned(), example)));
    let (mut chosen, mut unused) = (None, 0);
    for (name, example) in documented {
        // Some documents have the JSON of an example as text.
        let parsed = example.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let candidates = [Some(example.clone()), parsed];
        if let Some(value) = candidates.into_iter().flatten().find(|value| fits(value)) {
            if value.to_string().len() > MAX_BODY || !is_writable(&value) {
                let what = format!(
                    "{name} is longer than {} KiB, nested too deep, or full of `{{{{`, and is not used",
                    MAX_BODY >> 10
                );
                notes.tell(place, what);
            } else if chosen.is_some() {
                unused += usize::from(chosen.as_ref() != Some(&value));
            } else {
                chosen = Some(value);
            }
            continue;
        }
        let why = validator.as_ref().and_then(|validator| {
            let error = validator.validate(example).err()?;
            let text: String = error.to_string().chars().take(120).collect();
            Some(format!("{}: {text}", error.instance_path()))
        });
        let why = why.unwrap_or_default();
        notes.tell(place, format!("{name} contradicts its schema, and is not used: {why}"));
    }
    if unused > 0 {
        notes.tell(
            place,
            "of its examples, the first that fits its schema is answered, and the others are not used",
        );
    }
    let body = chosen.unwrap_or_else(|| match &schema {
        Some(schema) => {
            let Drawn { body, contradictions, fits } = generate::body(schema, (place, status), fits);
            for name in contradictions {
                let what =
                    format!("the example or default of `{name}` contradicts its schema, and is not used");
                notes.tell(place, what);
            }
            if !fits {
                notes.tell(place, "no body could be made that fits its schema");
            }
            body
        }
        None => json!({}),
    });
    (body, schema)
}

/// The documented examples of some content, with what they are called.
fn examples<'a>(
    document: &Document<'a>,
    media: &'a Value,
    place: &str,
    notes: &mut Notes,
) -> Vec<(String, &'a Value)> {
    if let Some(example) = media.get("example") {
        return vec![("its example".to_owned(), example)];
    }
    let mut found = Vec::new();
    for (name, example) in media["examples"].as_object().into_iter().flatten().take(MAX_EXAMPLES) {
        let value = document.resolve(example);
        let value = value.and_then(|it| ["value", "dataValue"].into_iter().find_map(|key| it.get(key)));
        match value {
            Some(value) => found.push((format!("its example `{name}`"), value)),
            None => {
                notes.tell(place, format!("its example `{name}` has no value in this file, and is not used"));
            }
        }
    }
    found
}

/// The headers for which a document has a value. The others are told, but for those that must be there, which are drawn.
fn headers(
    document: &Document<'_>,
    response: &Value,
    place: &str,
    notes: &mut Notes,
) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for (name, header) in response["headers"].as_object().into_iter().flatten() {
        let lower = name.to_ascii_lowercase();
        // As the specification says of this one.
        if lower == "content-type" {
            continue;
        }
        let place = format!("{place}: header {name}");
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let is_name = !name.is_empty() && name.bytes().all(is_token);
        let is_known = headers.iter().any(|(known, _)| *known == lower);
        if !is_name || is_known || headers.len() >= MAX_HEADERS || SERVER_HEADERS.contains(&lower.as_str()) {
            notes.tell(place, "left out: it is no header that a route can set");
            continue;
        }
        let header = document.resolve(header);
        match header.map(|header| header_value(document, header, &place, notes)) {
            Some(Ok(value)) => headers.push((lower, escape(&value))),
            Some(Err(why)) => notes.tell(place, why),
            None => notes.tell(place, "left out: its `$ref` leads to nothing"),
        }
    }
    headers
}

fn header_value(
    document: &Document<'_>,
    header: &Value,
    place: &str,
    notes: &mut Notes,
) -> Result<String, &'static str> {
    let schema = header.get("schema").and_then(|it| convert(document, it, (place, Sender::Server), notes));
    let schema = schema.unwrap_or_else(|| json!({}));
    let validator = compile(&schema).ok();
    let named = header["examples"].as_object().into_iter().flat_map(Map::values);
    let named = named.filter_map(|example| document.resolve(example)?.get("value"));
    let of_schema = schema[EXAMPLES].as_array().into_iter().flatten();
    let of_schema = of_schema.chain(["const", "default"].into_iter().filter_map(|key| schema.get(key)));
    let single = schema["enum"].as_array().and_then(|values| values.first().filter(|_| values.len() == 1));
    let documented: Vec<&Value> =
        header.get("example").into_iter().chain(named).chain(of_schema).chain(single).collect();
    let text = |value: &Value| -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
            Value::Array(list) => {
                let texts =
                    list.iter().map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned));
                Some(texts.collect::<Vec<_>>().join(","))
            }
            Value::Null | Value::Object(_) => None,
        }
    };
    let is_sendable = |text: &String| {
        text.len() <= 4096 && !text.chars().any(char::is_control) && is_writable(&json!(text))
    };
    let fits = |value: &Value, text: &str| {
        validator.as_ref().is_none_or(|it| it.is_valid(value) || it.is_valid(&typed(&schema, text)))
    };
    let fitting = |value: &Value| text(value).filter(|text| is_sendable(text) && fits(value, text));
    if let Some(text) = documented.iter().find_map(|value| fitting(value)) {
        return Ok(text);
    }
    if header["required"] == true && header.get("schema").is_some() {
        let drawn = generate::body(&schema, (place, 200), |value| fitting(value).is_some());
        return text(&drawn.body).filter(is_sendable).ok_or("left out: it has no value that can be sent");
    }
    Err(if documented.is_empty() {
        "left out: it has no example, default or single value"
    } else {
        "left out: its example contradicts its schema, or cannot be sent in a header"
    })
}
