//! Draws a value that fits a converted schema. Names and formats decide what it looks like.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a value of another type than a keyword has says nothing"
)]

use serde_json::{Map, Number, Value, json};

use crate::dataset::people::person;
use crate::dataset::records::Locale;
use crate::draw::{Draw, Seed};
use crate::import::convert::UNCHECKED_PATTERN;
use crate::import::pattern;
use crate::route::facts::uuid;

/// Most values of one body.
const MAX_VALUES: usize = 2_000;
/// Depth from which on only required members are drawn, and from which on nothing is.
const DEEP: usize = 5;
const MAX_DEPTH: usize = 24;

struct Generator<'a> {
    defs: &'a Value,
    draw: Draw,
    left: usize,
}

/// A value for a schema, drawn for a name. None if there is too much of it.
pub(crate) fn value(schema: &Value, name: &str) -> Option<Value> {
    let draw = Draw::new(Seed(1), "import").with_text(name);
    let mut generator = Generator { defs: &schema["$defs"], draw, left: MAX_VALUES };
    generator.value(schema, "", 0)
}

impl<'a> Generator<'a> {
    fn value(&mut self, schema: &'a Value, name: &str, depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if depth > MAX_DEPTH {
            return None;
        }
        let schema = self.resolved(schema)?;
        if let Some(value) = schema.get("const") {
            return Some(value.clone());
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
        if let Some(default) = schema.get("default").filter(|default| Self::is_of_type(schema, default)) {
            return Some(default.clone());
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
            if depth >= DEEP && !is_required {
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
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
        let usual = u64::from(depth < DEEP);
        let count = usual.max(least).min(most);
        if count > 100 {
            return None;
        }
        let mut list: Vec<Value> = Vec::new();
        for _ in 0..count {
            match self.value(&schema["items"], name, depth + 1) {
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
