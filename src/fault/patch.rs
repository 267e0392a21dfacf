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

/// Maximum number of changes of a patch.
pub(crate) const MAX_CHANGES: usize = 1000;
/// Most that the copies of a patch add to an answer, by `weigh`.
const MAX_COPIED: usize = 4 << 20;

/// Why a patch does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// Its copies would be larger than `MAX_COPIED`.
    TooLarge,
    /// The text is not JSON, a place does not exist, or a test does not hold.
    NoMatch,
}

/// Applies a patch to a JSON text.
///
/// # Errors
/// The patch does not apply.
pub(crate) fn apply(changes: &[Change], body: &[u8]) -> Result<Vec<u8>, Failed> {
    let mut document: Value = serde_json::from_slice(body).map_err(|_| Failed::NoMatch)?;
    apply_to(&mut document, changes)?;
    Ok(document.to_string().into_bytes())
}

/// Applies a patch to a document, which is of no use if that fails half way.
fn apply_to(document: &mut Value, changes: &[Change]) -> Result<(), Failed> {
    let mut left = MAX_COPIED;
    for change in changes {
        // A copy that contains what it is added to doubles the answer, so each is measured before it is made.
        if let Change::Copy(from, _) = change {
            let copied = from.find(document).ok_or(Failed::NoMatch)?;
            left = weigh(copied, left).and_then(|weight| left.checked_sub(weight)).ok_or(Failed::TooLarge)?;
        }
        if let Change::Test(path, value) = change {
            path.find(document).filter(|found| is_equal(found, value)).ok_or(Failed::NoMatch)?;
            continue;
        }
        let operation = serde_json::from_value(change.operation()).map_err(|_| Failed::NoMatch)?;
        json_patch::patch(document, &[operation]).map_err(|_| Failed::NoMatch)?;
    }
    Ok(())
}

/// About the bytes of a value as text, and at least 16 for each value in it. None if that is more than `most`.
fn weigh(value: &Value, most: usize) -> Option<usize> {
    let mut weight = 16;
    match value {
        Value::String(text) => weight += text.len(),
        Value::Array(list) => {
            for element in list {
                weight += weigh(element, most.checked_sub(weight)?)?;
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                weight += key.len() + weigh(member, most.checked_sub(weight)?)?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    (weight <= most).then_some(weight)
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
        assert_eq!(apply(&drift, body).as_deref(), Ok(br#"[{"rating":"five"}]"#.as_slice()));
        let half = [Change::Remove(at("/0/reviewer")), Change::Remove(at("/1"))];
        assert_eq!(apply(&half, body), Err(Failed::NoMatch));
        assert_eq!(apply(&drift, b"not JSON"), Err(Failed::NoMatch));
        let more = [
            Change::Test(at("/0/rating"), json!(5)),
            Change::Copy(at("/0/rating"), at("/0/stars")),
            Change::Move(at("/0/rating"), at("/0/points")),
            Change::Add(at("/-"), json!(1)),
        ];
        assert_eq!(
            apply(&more, body).as_deref(),
            Ok(br#"[{"points":5,"reviewer":{},"stars":5},1]"#.as_slice())
        );
    }

    #[test]
    fn copies_that_double_the_answer_are_stopped() {
        let at = |text: &str| Pointer::new(text).unwrap();
        let doubling = |times: usize| -> Vec<Change> {
            (0..times).map(|time| Change::Copy(at(""), at(&format!("/copy{time}")))).collect()
        };
        assert!(apply(&doubling(5), b"{}").is_ok());
        assert_eq!(apply(&doubling(60), b"{}"), Err(Failed::TooLarge));
        let text = json!({ "text": "x".repeat(1 << 20) }).to_string();
        assert_eq!(apply(&doubling(4), text.as_bytes()), Err(Failed::TooLarge));
        let once = [Change::Copy(at("/text"), at("/copy"))];
        for (length, fits) in [(MAX_COPIED - 16, true), (MAX_COPIED - 15, false)] {
            let text = json!({ "text": "x".repeat(length) }).to_string();
            assert_eq!(apply(&once, text.as_bytes()).is_ok(), fits, "{length}");
        }
        let by_turns: Vec<Change> = (0..60)
            .flat_map(|time| {
                let (a, b) = (format!("/a/{time}"), format!("/b/{time}"));
                [Change::Copy(at("/a"), at(&b)), Change::Copy(at("/b"), at(&a))]
            })
            .collect();
        assert_eq!(apply(&by_turns, br#"{"a":{},"b":{}}"#), Err(Failed::TooLarge));
    }

    #[test]
    fn a_test_compares_numbers_by_their_value() {
        let body = br#"{"score":80.0,"list":[1,{"a":2}],"large":18446744073709551615}"#;
        let holds = |path, value| apply(&[Change::Test(Pointer::new(path).unwrap(), value)], body).is_ok();
        assert!(holds("/score", json!(80)) && holds("/score", json!(80.0)) && holds("/score", json!(8e1)));
        assert!(holds("/list", json!([1.0, {"a": 2.0}])) && holds("/large", json!(u64::MAX)));
        assert!(!holds("/score", json!(81)) && !holds("/score", json!("80")) && !holds("/list", json!([1])));
        assert!(!holds("/list", json!([1, {"a": 3}])) && !holds("/list", json!([1, {"a": 2, "b": 3}])));
        assert!(!holds("/large", json!(u64::MAX - 1)) && !holds("/none", json!(null)));
    }
}
