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
        assert_eq!(apply(&drift, body).as_deref(), Some(br#"[{"rating":"five"}]"#.as_slice()));
        let half = [Change::Remove(at("/0/reviewer")), Change::Remove(at("/1"))];
        assert_eq!(apply(&half, body), None);
        assert_eq!(apply(&drift, b"not JSON"), None);
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
}
