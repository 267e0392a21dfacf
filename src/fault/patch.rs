//! Changes of an answer's JSON: JSON Patch (RFC 6902), for the effect `body: {patch: […]}`.

use serde_json::{Value, json};

use crate::fault::pointer::Pointer;

/// One change. A patch applies whole or not at all.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Puts a value at a place: a new member, an element in front of the one there, or behind the last one (`-`).
    Add(Pointer, Value),
    /// Takes a value away.
    Remove(Pointer),
    /// Puts a value in place of another.
    Replace(Pointer, Value),
    /// Takes a value from the first place and adds it at the second.
    Move(Pointer, Pointer),
    /// Adds at the second place what stands at the first.
    Copy(Pointer, Pointer),
    /// Leaves the whole answer as it was unless this value stands there.
    Test(Pointer, Value),
}

impl Change {
    /// The operation of RFC 6902, as JSON.
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

/// A JSON text with changes made; none where it is no JSON, or where one of them does not apply.
#[must_use]
pub fn applied(changes: &[Change], body: &[u8]) -> Option<Vec<u8>> {
    let mut document: Value = serde_json::from_slice(body).ok()?;
    let operations = Value::Array(changes.iter().map(Change::operation).collect());
    let patch: json_patch::Patch = serde_json::from_value(operations).ok()?;
    json_patch::patch(&mut document, &patch).ok()?;
    Some(document.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_applies_whole_or_not_at_all() {
        let at = |text| Pointer::new(text).unwrap();
        let body = br#"[{"rating":5,"reviewer":{}}]"#;
        let drift = [Change::Remove(at("/0/reviewer")), Change::Replace(at("/0/rating"), json!("five"))];
        assert_eq!(applied(&drift, body).as_deref(), Some(br#"[{"rating":"five"}]"#.as_slice()));
        let half = [Change::Remove(at("/0/reviewer")), Change::Remove(at("/1"))];
        assert_eq!(applied(&half, body), None);
        assert_eq!(applied(&drift, b"not JSON"), None);
        let more = [
            Change::Test(at("/0/rating"), json!(5)),
            Change::Copy(at("/0/rating"), at("/0/stars")),
            Change::Move(at("/0/rating"), at("/0/points")),
            Change::Add(at("/-"), json!(1)),
        ];
        assert_eq!(
            applied(&more, body).as_deref(),
            Some(br#"[{"points":5,"reviewer":{},"stars":5},1]"#.as_slice())
        );
    }
}
