//! Values as YAML of a scenario, in one line each.

use std::fmt::Write;

use serde_json::{Map, Value};

/// Most texts of a value that look like templates, their maximum length in bytes, and the maximum depth of a value. Scenarios
/// have bounds of their own for them.
const MAX_MARKED: usize = 30;
const MAX_MARKED_TEXT: usize = 16 << 10;
const MAX_DEPTH: usize = 48;

/// Whether a value can stand in a scenario.
pub(super) fn is_writable(value: &Value) -> bool {
    fn count(value: &Value, depth: usize, marked: &mut usize) -> bool {
        match value {
            Value::String(text) if has_marks(text) => {
                *marked += 1;
                text.len() <= MAX_MARKED_TEXT && *marked <= MAX_MARKED
            }
            Value::Array(list) => depth < MAX_DEPTH && list.iter().all(|it| count(it, depth + 1, marked)),
            Value::Object(members) => {
                depth < MAX_DEPTH && members.values().all(|it| count(it, depth + 1, marked))
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }
    count(value, 0, &mut 0)
}

/// What begins a template.
const MARKS: [&str; 3] = ["{{", "{%", "{#"];

fn has_marks(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

/// A value whose texts are no templates.
pub(super) fn escaped(value: &Value) -> Value {
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
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = MARKS.iter().filter_map(|mark| rest.find(mark)).min() {
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
pub(super) fn flow(value: &Value) -> String {
    quote_odd(&value.to_string())
}

pub(super) fn quoted(text: &str) -> String {
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
