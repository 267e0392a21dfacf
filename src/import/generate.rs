//! Draws a value that fits a converted schema. Names and formats decide what it looks like.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a value of another type than a keyword has says nothing"
)]

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value, json};

use crate::dataset::people::person;
use crate::dataset::records::Locale;
use crate::draw::{Draw, Seed};
use crate::import::convert::{EXAMPLES, UNCHECKED_PATTERN};
use crate::import::pattern;
use crate::route::facts::uuid;
use crate::route::schema::compile;

/// Most values of one body.
const MAX_VALUES: usize = 2_000;
/// Depth from which on only required members are drawn, and from which on nothing is.
const DEEP: usize = 5;
const MAX_DEPTH: usize = 24;

struct Generator<'a> {
    defs: &'a Value,
    draw: Draw,
    left: usize,
    /// The status of the answer that is drawn. 0 if it is a request.
    status: u16,
    use_examples: UseExamples,
    /// Whether only required members and elements are drawn.
    is_minimal: bool,
    /// Names whose documented examples contradict their schemas.
    contradictions: BTreeSet<String>,
}

/// Which examples of the parts of a schema are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UseExamples {
    All,
    /// Those of texts, numbers and booleans.
    Scalars,
    None,
}

/// A body that was drawn.
#[derive(Debug)]
pub(super) struct Drawn {
    pub(super) body: Value,
    pub(super) fits: bool,
    /// Names whose documented examples or defaults contradict their schemas.
    pub(super) contradictions: BTreeSet<String>,
}

/// A value for a schema, drawn for a name. None if there is too much of it.
#[cfg(test)]
pub(crate) fn value(schema: &Value, name: &str) -> Option<Value> {
    Generator::new(schema, (name, 0), (UseExamples::All, false)).value(schema, "", 0)
}

/// The body of an answer with a status, drawn for a name. If it does not fit, it is drawn with fewer examples, and with what is
/// required alone.
pub(super) fn body(schema: &Value, (name, status): (&str, u16), fits: impl Fn(&Value) -> bool) -> Drawn {
    let ways = [
        (UseExamples::All, false),
        (UseExamples::Scalars, false),
        (UseExamples::None, false),
        (UseExamples::None, true),
    ];
    let (mut first, mut contradictions) = (Value::Null, BTreeSet::new());
    for (number, way) in ways.into_iter().enumerate() {
        let mut generator = Generator::new(schema, (name, status), way);
        let body = generator.value(schema, "", 0);
        contradictions.append(&mut generator.contradictions);
        match body {
            Some(body) if fits(&body) => return Drawn { body, fits: true, contradictions },
            Some(body) if number == 0 => first = body,
            _ => {}
        }
    }
    let fits = fits(&first);
    Drawn { body: first, fits, contradictions }
}

impl<'a> Generator<'a> {
    fn new(
        schema: &'a Value,
        (name, status): (&str, u16),
        (use_examples, is_minimal): (UseExamples, bool),
    ) -> Self {
        let draw = Draw::new(Seed(1), "import").with_text(name);
        let (defs, left, contradictions) = (&schema["$defs"], MAX_VALUES, BTreeSet::new());
        Self { defs, draw, left, status, use_examples, is_minimal, contradictions }
    }

    fn value(&mut self, schema: &'a Value, name: &str, depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if depth > MAX_DEPTH {
            return None;
        }
        let (given, schema) = (schema, self.resolved(schema)?);
        if let Some(value) = schema.get("const") {
            return Some(value.clone());
        }
        // What stands beside a reference is closer.
        if let Some(example) = self.documented(given, schema, name) {
            return Some(example);
        }
        if let Some(values) = schema["enum"].as_array() {
            let values: Vec<&Value> = values.iter().filter(|value| Self::is_of_type(schema, value)).collect();
            let given: Vec<&Value> = values.iter().copied().filter(|value| !value.is_null()).collect();
            let from = if given.is_empty() { &values } else { &given };
            return self.draw.pick(from).map(|value| (*value).clone());
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(choices) = schema[key].as_array() {
                let is_null = |choice: &&Value| choice["type"] == "null";
                let first = choices.iter().find(|choice| !is_null(choice)).or(choices.first())?;
                let chosen = self.value(first, name, depth + 1)?;
                return Some(self.with_own_members(schema, chosen, depth));
            }
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let mut all = Map::new();
            for part in parts {
                match self.value(part, name, depth + 1)? {
                    Value::Object(members) => all.extend(members),
                    other => return Some(other),
                }
            }
            return Some(self.with_own_members(schema, Value::Object(all), depth));
        }
        Some(match Self::kind(schema) {
            "object" => Value::Object(self.members(schema, depth)?),
            "array" => self.list(schema, name, depth)?,
            "integer" => Value::Number(self.integer(schema, name)),
            "number" => self.number(schema, name),
            "boolean" => Value::Bool(true),
            "string" => Value::String(self.text(schema, name)),
            _ => Value::Null,
        })
    }

    /// The first documented example of a part, or its default, that its schema allows.
    fn documented(&mut self, given: &'a Value, schema: &'a Value, name: &str) -> Option<Value> {
        if self.use_examples == UseExamples::None {
            return None;
        }
        let of = |schema: &'a Value| {
            let examples = schema[EXAMPLES].as_array().into_iter().flatten();
            examples.chain(schema.get("default"))
        };
        let has_own = !std::ptr::eq(given, schema);
        let own = has_own.then(|| of(given)).into_iter().flatten();
        for example in own.chain(of(schema)) {
            let is_scalar = !example.is_object() && !example.is_array();
            if !is_scalar && self.use_examples == UseExamples::Scalars {
                continue;
            }
            if Self::allows(schema, example, is_scalar) {
                return Some(example.clone());
            }
            if !name.is_empty() {
                self.contradictions.insert(name.to_owned());
            }
        }
        None
    }

    /// Whether a schema allows an example, as far as the schema stands by itself. The body as a whole is checked later.
    fn allows(schema: &Value, example: &Value, is_scalar: bool) -> bool {
        if !is_scalar {
            return Self::is_of_type(schema, example);
        }
        let refers = schema.as_object().into_iter().flatten().any(|(key, value)| {
            key != EXAMPLES && (value.is_object() || (value.is_array() && key.ends_with("Of")))
        });
        if refers {
            return Self::is_of_type(schema, example);
        }
        compile(schema).is_ok_and(|validator| validator.is_valid(example))
    }

    fn resolved(&self, schema: &'a Value) -> Option<&'a Value> {
        let mut at = schema;
        for _ in 0..32 {
            let Some(reference) = at.get("$ref").and_then(Value::as_str) else { return Some(at) };
            at = self.defs.get(reference.strip_prefix("#/$defs/")?)?;
        }
        None
    }

    /// The members of a schema that stands beside `allOf` or `oneOf`.
    fn with_own_members(&mut self, schema: &'a Value, value: Value, depth: usize) -> Value {
        match value {
            Value::Object(mut members) if schema["properties"].is_object() => {
                for (name, value) in self.members(schema, depth).unwrap_or_default() {
                    members.entry(name).or_insert(value);
                }
                Value::Object(members)
            }
            other => other,
        }
    }

    fn kind(schema: &'a Value) -> &'a str {
        let listed = match &schema["type"] {
            Value::String(kind) => Some(kind.as_str()),
            Value::Array(kinds) => {
                kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").or(Some("null"))
            }
            _ => None,
        };
        let guess = || {
            if schema["properties"].is_object() || schema["required"].is_array() {
                "object"
            } else if schema["items"].is_object() {
                "array"
            } else if schema["pattern"].is_string() || schema["format"].is_string() {
                "string"
            } else {
                "any"
            }
        };
        listed.unwrap_or_else(guess)
    }

    fn is_of_type(schema: &Value, value: &Value) -> bool {
        let is = |kind: &str| match kind {
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "null" => value.is_null(),
            _ => true,
        };
        match &schema["type"] {
            Value::String(kind) => is(kind),
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(is),
            _ => true,
        }
    }

    fn members(&mut self, schema: &'a Value, depth: usize) -> Option<Map<String, Value>> {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut members = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_required = required.contains(&name.as_str());
            if (depth >= DEEP || self.is_minimal) && !is_required {
                continue;
            }
            match self.value(property, name, depth + 1) {
                Some(value) => {
                    members.insert(name.clone(), value);
                }
                None if is_required => return None,
                None => {}
            }
        }
        for name in required {
            members.entry(name.to_owned()).or_insert(Value::Null);
        }
        Some(members)
    }

    fn list(&mut self, schema: &'a Value, name: &str, depth: usize) -> Option<Value> {
        // The first elements can have schemas of their own.
        let own = schema["prefixItems"].as_array().map(Vec::as_slice).unwrap_or_default();
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
        let most = if schema["items"] == false { most.min(own.len() as u64) } else { most };
        let usual = if self.is_minimal { 0 } else { u64::from(depth < DEEP).max(own.len() as u64) };
        let count = usual.max(least).min(most);
        if count > 100 {
            return None;
        }
        let mut list: Vec<Value> = Vec::new();
        for at in 0..usize::try_from(count).ok()? {
            match self.value(own.get(at).unwrap_or(&schema["items"]), name, depth + 1) {
                Some(value) => list.push(value),
                None if least > 0 => return None,
                None => break,
            }
        }
        Some(Value::Array(list))
    }

    fn integer(&mut self, schema: &Value, name: &str) -> Number {
        let lower = name.to_lowercase();
        let bound = |key: &str| schema[key].as_i64().or_else(|| whole(schema[key].as_f64()?));
        // Errors tell their status.
        if self.status >= 400 && ["status", "statuscode", "httpstatus"].contains(&lower.as_str()) {
            let most = bound("maximum").unwrap_or(i64::MAX);
            if bound("minimum").is_none_or(|least| least <= self.status.into()) && most >= self.status.into()
            {
                return self.status.into();
            }
        }
        let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|it| it.saturating_add(1)));
        let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|it| it.saturating_sub(1)));
        let (from, to) = if lower.ends_with("id") || lower.ends_with("number") {
            (1_000, 9_999)
        } else if lower.contains("date") || lower.ends_with("time") || lower.ends_with("at") {
            (1_767_225_600_000, 1_782_864_000_000)
        } else if lower.contains("rating") {
            (1, 5)
        } else {
            (0, 100)
        };
        let least = least.unwrap_or_else(|| most.map_or(from, |most| from.min(most)));
        let most = most.unwrap_or_else(|| to.max(least));
        let span = u64::try_from(most.saturating_sub(least)).unwrap_or(0);
        let mut drawn =
            least.saturating_add(i64::try_from(self.draw.below(span.saturating_add(1).max(1))).unwrap_or(0));
        if let Some(step) = schema["multipleOf"].as_i64().filter(|step| *step > 0) {
            drawn = drawn.div_euclid(step) * step;
            if drawn < least {
                drawn = drawn.saturating_add(step);
            }
        }
        drawn.into()
    }

    fn number(&mut self, schema: &Value, name: &str) -> Value {
        let whole = self.integer(schema, name);
        if schema["multipleOf"].is_number()
            || schema["maximum"].is_number()
            || schema["exclusiveMaximum"].is_number()
        {
            return Value::Number(whole);
        }
        json!(whole.as_f64().unwrap_or(0.0) + 0.5)
    }

    fn text(&mut self, schema: &Value, name: &str) -> String {
        let pattern = schema["pattern"].as_str().or(schema[UNCHECKED_PATTERN].as_str());
        if let Some(text) = pattern.and_then(|pattern| pattern::matching(pattern, &mut self.draw)) {
            return fitted(&text, schema);
        }
        let number = self.draw.below(9_000) + 1_000;
        let person = person(Locale::En, &mut self.draw);
        let format = schema["format"].as_str().unwrap_or_default();
        let lower = name.to_lowercase();
        let has = |part: &str| lower.contains(part);
        let text = match format {
            "date" => "2026-06-30".to_owned(),
            "date-time" => "2026-06-30T09:00:00Z".to_owned(),
            "time" => "09:00:00Z".to_owned(),
            "duration" => "PT1H".to_owned(),
            "email" | "idn-email" => email(person.first, person.last),
            "uuid" => uuid(self.draw.number(), self.draw.number()),
            "uri" | "url" | "uri-reference" | "iri" => format!("https://www.example.test/{number}"),
            "hostname" => "www.example.test".to_owned(),
            "ipv4" => "192.0.2.1".to_owned(),
            "ipv6" => "2001:db8::1".to_owned(),
            "byte" => "c3RhbmRpbg==".to_owned(),
            _ if self.status >= 400 && is_error_text(&lower) => error_text(self.status).to_owned(),
            _ if has("email") => email(person.first, person.last),
            _ if has("phone") || has("mobile") => format!("(212) 555-01{:02}", number % 100),
            _ if has("url") || has("website") || has("link") => format!("https://www.example.test/{number}"),
            _ if has("firstname") => person.first.to_owned(),
            _ if has("lastname") => person.last.to_owned(),
            _ if has("businessname") || has("company") || has("locationname") => "Bright Dental".to_owned(),
            _ if has("name") || has("author") || lower.ends_with("by") => {
                format!("{} {}", person.first, person.last)
            }
            _ if has("date") || lower.ends_with("on") || lower.ends_with("at") => "Jun 30, 2026".to_owned(),
            _ if has("city") => "Oakland".to_owned(),
            _ if has("countrycode") || lower == "country" => "US".to_owned(),
            _ if has("state") => "CA".to_owned(),
            _ if has("zip") || has("postal") => "94607".to_owned(),
            _ if has("currency") => "USD".to_owned(),
            _ if lower.ends_with("id") || has("number") => number.to_string(),
            _ if has("comment") || has("description") || has("message") || has("text") => {
                "Friendly staff and a short wait.".to_owned()
            }
            _ if name.is_empty() => "text".to_owned(),
            _ => name.to_owned(),
        };
        fitted(&text, schema)
    }
}

/// Whether a member of the body of an error says what is wrong, by its name in lower case. A body that is a text has no name.
fn is_error_text(name: &str) -> bool {
    let says = ["message", "error", "detail", "description", "reason", "title", "text", "comment", "msg"];
    let is_other = ["code", "id", "type", "url", "uri"].iter().any(|end| name.ends_with(end));
    name.is_empty() || (says.iter().any(|part| name.contains(part)) && !is_other)
}

fn error_text(status: u16) -> &'static str {
    match status {
        401 => "The credentials are missing or not valid.",
        403 => "Access is denied.",
        404 | 410 => "There is no such resource.",
        405 => "The method is not allowed.",
        409 => "The request conflicts with the state of the resource.",
        429 => "Too many requests.",
        400..=499 => "The request is not valid.",
        503 => "The service is unavailable.",
        _ => "An internal error occurred.",
    }
}

/// The next whole number.
#[expect(clippy::cast_possible_truncation, reason = "a bound that is too large is the largest")]
fn whole(number: f64) -> Option<i64> {
    number.is_finite().then(|| number.ceil() as i64)
}

fn email(first: &str, last: &str) -> String {
    let plain =
        |text: &str| text.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_lowercase();
    format!("{}.{}@example.test", plain(first), plain(last))
}

/// A text within the length that a schema asks for.
fn fitted(text: &str, schema: &Value) -> String {
    let least = schema["minLength"].as_u64().unwrap_or(0).min(10_000);
    let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
    let mut letters: Vec<char> = text.chars().collect();
    while (letters.len() as u64) < least {
        letters.push('x');
    }
    letters.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    letters.into_iter().collect()
}
