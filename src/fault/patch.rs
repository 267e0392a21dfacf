//! JSON Patch (RFC 6902), for the effect `body: {patch: […]}`.

use serde_json::{Value, json};

use crate::fault::pointer::Pointer;

/// One change of a patch. A patch applies completely or not at all.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// Adds a member, inserts an element before the one at the place, or appends one (`-`).
    Add(Pointer, Value),
    Remove(Pointer),
    Replace(Pointer, Value),
    /// Moves a value from the first place to the second.
    Move(Pointer, Pointer),
    /// Copies a value from the first place to the second.
    Copy(Pointer, Pointer),
    /// The patch applies only if this value is at the place.
    Test(Pointer, Value),
}

impl Change {
    /// The change in the notation of RFC 6902.
    fn operation(&self) -> Value {
        match self {
            Self::Add(path, value) => json!({ "op": "add", "path": path.text(), "value": value }),
            Self::Remove(path) => json!({ "op": "remove", "path": path.text() }),
            Self::Replace(path, value) => json!({ "op": "replace", "path": path.text(), "value": value }),
            Self::Move(from, path) => json!({ "op": "move", "from": from.text(), "path": path.text() }),
            Self::Copy(from, path) => json!({ "op": "copy", "from": from.text(), "path": path.text() }),
            Self::Test(path, value) => json!({ "op": "test", "path": path.text(), "value": value }),
        }
    }
}

/// Applies a patch to a JSON text. None if the text is not JSON or the patch does not apply.
pub(crate) fn apply(changes: &[Change], body: &[u8]) -> Option<Vec<u8>> {
    let mut document: Value = serde_json::from_slice(body).ok()?;
    for change in changes {
        if let Change::Test(path, value) = change {
            path.find(&document).filter(|found| is_equal(found, value))?;
        } else {
            let operations = Value::Array(vec![change.operation()]);
            let patch: json_patch::Patch = serde_json::from_value(operations).ok()?;
            json_patch::patch(&mut document, &patch).ok()?;
        }
    }
    Some(document.to_string().into_bytes())
}

/// Whether two values are equal as `test` compares them (RFC 6902, 4.6): 80 is 80.0.
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            // Two integers are compared exactly: beyond 53 bits, different ones are one floating-point number.
            one == other || (one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(name, value): (&String, &Value)| {
                other.get(name).is_some_and(|other| is_equal(value, other))
            };
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_applies_whole_or_not_at_all() {
        let at = |text| Pointer::new(text).unwrap();
        let body = br#"[{"rating":5,"reviewer":{}}]"#;
        let drift = [Change::Remove(at("/0/reviewer")), Change::Replace(at("/0/rating"), json!("five"))];
        assert_eq!(apply(&drift, body).as_deref(), Some(br#"[{"rating":"five"}]"#.as_slice()));
        let half = [Change::Remove(at("/0/reviewer")), Change::Remove(at("/1"))];
        assert_eq!(apply(&half, body), None);
        assert_eq!(apply(&drift, b"not JSON"), None);
        let late = [Change::Remove(at("/0/reviewer")), Change::Test(at("/0/reviewer"), json!({}))];
        assert_eq!(apply(&late, body), None);
        let more = [
            Change::Test(at("/0/rating"), json!(5)),
            Change::Copy(at("/0/rating"), at("/0/stars")),
            Change::Move(at("/0/rating"), at("/0/points")),
            Change::Add(at("/-"), json!(1)),
        ];
        assert_eq!(
            apply(&more, body).as_deref(),
            Some(br#"[{"points":5,"reviewer":{},"stars":5},1]"#.as_slice())
        );
    }

    #[test]
    fn a_test_compares_numbers_by_their_value() {
        let body = br#"{"score":80.0,"list":[1,{"a":2}],"large":18446744073709551615}"#;
        let holds = |path, value| apply(&[Change::Test(Pointer::new(path).unwrap(), value)], body).is_some();
        assert!(holds("/score", json!(80)) && holds("/score", json!(80.0)) && holds("/score", json!(8e1)));
        assert!(holds("/list", json!([1.0, {"a": 2.0}])) && holds("/large", json!(u64::MAX)));
        assert!(!holds("/score", json!(81)) && !holds("/score", json!("80")) && !holds("/list", json!([1])));
        assert!(!holds("/large", json!(u64::MAX - 1)) && !holds("/none", json!(null)));
    }
}
