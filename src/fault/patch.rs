//! Changes of an answer's JSON: JSON Patch (RFC 6902), for the effect `body: {patch: […]}`.

use serde_json::Value;

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
