//! Enumerations whose values contradict the type beside them, which no value would fit.

use serde_json::{Map, Number, Value, json};

/// Takes the values of an enumeration as the type of its schema, or leaves the type out where one of them has no such form. Returns
/// what was changed.
pub(super) fn agree(schema: &mut Map<String, Value>) -> Option<String> {
    let kind = schema.get("type")?.clone();
    let kinds: Vec<&str> = match &kind {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let values = schema.get("enum")?.as_array()?;
    let fits = |value: &Value| kinds.iter().any(|kind| is_of(value, kind));
    let odd = values.iter().find(|value| !fits(value))?;
    let problem = format!("the value {odd} of its enumeration contradicts `type: {kind}`");
    let mut taken: Vec<Value> = Vec::new();
    for value in values {
        let value = if fits(value) {
            value.clone()
        } else if let Some(value) = kinds.iter().find_map(|kind| value_as(value, kind)) {
            value
        } else {
            schema.remove("type");
            return Some(format!("{problem}, which is left out"));
        };
        if !taken.contains(&value) {
            taken.push(value);
        }
    }
    schema.insert("enum".to_owned(), Value::Array(taken));
    Some(format!("{problem}: its values are taken as that type"))
}

fn is_of(value: &Value, kind: &str) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(number) => kind == "number" || (kind == "integer" && is_whole(number)),
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}

fn is_whole(number: &Number) -> bool {
    number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// A value as another type, if both are written the same.
fn value_as(value: &Value, kind: &str) -> Option<Value> {
    match value {
        Value::String(text) => {
            let read: Value = serde_json::from_str(text).ok()?;
            let is_plain = read.is_number() || read.is_boolean();
            let written = read.to_string();
            (is_plain && is_of(&read, kind) && written == *text).then_some(read)
        }
        Value::Number(_) | Value::Bool(_) => (kind == "string").then(|| json!(value.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
