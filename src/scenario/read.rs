//! Reads raw values out of the document tree and describes them as JSON Schema. `raw!` declares a map with its keys and
//! `choice!` a set of words; scalar types are in `scalars.rs`, lists and free maps in `collections.rs`.

use serde_json::{Map, Value as Json, json};

use crate::scenario::diagnostic::{Findings, join_or, nearest};
use crate::scenario::node::{Entry, Node};
use crate::scenario::report::{must_be, unknown_key, unknown_word, wrong_kind};
use crate::scenario::source::Span;

/// A type that can be read from a node.
pub(crate) trait Read: Sized {
    /// Reads the value of a node that is not null. If it is invalid, reports why and returns `None`.
    fn read(findings: &mut Findings, node: &Node) -> Option<Self>;

    /// The JSON Schema of the type. A map adds itself to `definitions` and returns a reference.
    fn schema(definitions: &mut Map<String, Json>) -> Json;
}

/// A value with its place in the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spanned<T> {
    pub(crate) span: Span,
    pub(crate) value: T,
}

/// One key of a map that `raw!` declares.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) key: &'static str,
    pub(crate) required: bool,
    /// Description for the JSON Schema.
    pub(crate) doc: &'static str,
    pub(crate) schema: fn(&mut Map<String, Json>) -> Json,
}

/// A map with known keys. Implemented by `raw!`.
pub(crate) trait RawMap: Read + Default {
    /// Name in messages, with its article (`a review`).
    const WHAT: &'static str;
    /// Name in the JSON Schema.
    const NAME: &'static str;
    /// Description for the JSON Schema.
    const DOC: &'static str;
    const FIELDS: &'static [Field];

    /// Reads the value of one entry into its field. Returns false if the key is unknown.
    fn read_field(&mut self, findings: &mut Findings, entry: &Entry) -> bool;

    /// Replaces each field that is present in `over`.
    fn merge(&mut self, over: Self);

    fn keys() -> impl Iterator<Item = &'static str> + Clone {
        Self::FIELDS.iter().map(|field| field.key)
    }
}

/// Declares a struct for a map with known keys and implements `RawMap` and `Read` for it. Each field is an
/// `Option<Spanned<T>>`: `None` if the key is absent, or if its value is invalid and has been reported.
///
/// ```ignore
/// raw! {
///     /// An API key.
///     pub struct Key "a key" {
///         /// The key itself.
///         required "key" key: Text,
///     }
/// }
/// ```
macro_rules! raw {
    (@required required) => { true };
    (@required optional) => { false };
    ($($(#[doc = $doc:literal])+ pub(crate) struct $name:ident $what:literal {
        $($(#[doc = $field_doc:literal])+ $need:ident $key:literal $field:ident: $type:ty,)*
    })+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Default)]
        pub(crate) struct $name {
            pub(crate) span: $crate::scenario::source::Span,
            $($(#[doc = $field_doc])+ pub(crate) $field: Option<$crate::scenario::read::Spanned<$type>>,)*
        }

        impl $crate::scenario::read::RawMap for $name {
            const WHAT: &'static str = $what;
            const NAME: &'static str = stringify!($name);
            const DOC: &'static str = concat!($($doc),+);
            const FIELDS: &'static [$crate::scenario::read::Field] = &[$($crate::scenario::read::Field {
                key: $key,
                required: raw!(@required $need),
                doc: concat!($($field_doc),+),
                schema: <$type as $crate::scenario::read::Read>::schema,
            }),*];

            fn read_field(
                &mut self,
                findings: &mut $crate::scenario::diagnostic::Findings,
                entry: &$crate::scenario::node::Entry,
            ) -> bool {
                match &*entry.key {
                    $($key => self.$field = $crate::scenario::read::read_value(findings, $key, &entry.value),)*
                    _ => return false,
                }
                true
            }

            fn merge(&mut self, over: Self) {
                $(if over.$field.is_some() { self.$field = over.$field; })*
            }
        }

        impl $crate::scenario::read::Read for $name {
            fn read(
                findings: &mut $crate::scenario::diagnostic::Findings,
                node: &$crate::scenario::node::Node,
            ) -> Option<Self> {
                let mut raw = $crate::scenario::read::read_map::<Self>(findings, node)?;
                raw.span = node.span;
                Some(raw)
            }

            fn schema(definitions: &mut serde_json::Map<String, serde_json::Value>) -> serde_json::Value {
                $crate::scenario::read::map_schema::<Self>(definitions)
            }
        }
    )+};
}
pub(crate) use raw;

/// Declares an enum for a value that is one of several words.
///
/// ```ignore
/// choice! {
///     /// Whether the clock stands still.
///     pub enum Mode { "frozen" Frozen, "running" Running }
/// }
/// ```
macro_rules! choice {
    ($($(#[doc = $doc:literal])+ pub(crate) enum $name:ident { $($word:literal $variant:ident),+ $(,)? })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum $name { $(#[doc = concat!("`", $word, "`")] $variant),+ }

        impl $crate::scenario::read::Read for $name {
            fn read(
                findings: &mut $crate::scenario::diagnostic::Findings,
                node: &$crate::scenario::node::Node,
            ) -> Option<Self> {
                match $crate::scenario::read::read_word(findings, node, &[$($word),+])? {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            fn schema(_: &mut serde_json::Map<String, serde_json::Value>) -> serde_json::Value {
                serde_json::json!({ "enum": [$($word),+] })
            }
        }
    )+};
}
pub(crate) use choice;

/// Reads the value of `key`. Null counts as absent.
pub(crate) fn read_value<T: Read>(
    findings: &mut Findings,
    key: &'static str,
    node: &Node,
) -> Option<Spanned<T>> {
    if node.is_null() {
        return None;
    }
    let outer = std::mem::replace(&mut findings.key, key);
    let value = T::read(findings, node);
    findings.key = outer;
    Some(Spanned { span: node.span, value: value? })
}

/// Reads one of `words`.
pub(crate) fn read_word<'a>(findings: &mut Findings, node: &Node, words: &[&'a str]) -> Option<&'a str> {
    let Some(scalar) = node.scalar() else {
        must_be(findings, node, &join_or(words.iter().copied()));
        return None;
    };
    let found = words.iter().copied().find(|word| **word == *scalar.text);
    if found.is_none() {
        unknown_word(findings, node.span, &scalar.text, words);
    }
    found
}

/// Reads a map and reports unknown and missing keys.
pub(crate) fn read_map<T: RawMap>(findings: &mut Findings, node: &Node) -> Option<T> {
    let Some(entries) = node.entries() else {
        let example = T::FIELDS.first().map_or("key", |field| field.key);
        wrong_kind(findings, node, &format!("{} is a map (`{example}: …`)", T::WHAT));
        return None;
    };
    let mut raw = T::default();
    for entry in entries {
        if !raw.read_field(findings, entry) {
            unknown_key(findings, entry, T::WHAT, T::keys());
        }
    }
    for field in T::FIELDS.iter().filter(|field| field.required && node.get(field.key).is_none()) {
        missing_key::<T>(findings, (node.span, entries), field.key);
    }
    Some(raw)
}

/// Reports a required key that is missing or null, unless an unknown key is probably a misspelling of it.
fn missing_key<T: RawMap>(findings: &mut Findings, (span, entries): (Span, &[Entry]), key: &str) {
    let mut unknown = entries.iter().filter(|entry| !T::keys().any(|known| *known == *entry.key));
    if unknown.any(|entry| nearest(&entry.key, T::keys()) == Some(key)) {
        return;
    }
    let message = format!("{} needs `{key}`", T::WHAT);
    match entries.iter().find(|entry| *entry.key == *key) {
        Some(entry) => findings.error("missing-key", entry.key_span, message).label("this is empty"),
        None => findings.error("missing-key", span, message).label(format!("`{key}` is missing")),
    };
}

/// Defines the map in `definitions`, once, and returns a reference to it.
pub(crate) fn map_schema<T: RawMap>(definitions: &mut Map<String, Json>) -> Json {
    let reference = json!({ "$ref": format!("#/$defs/{}", T::NAME) });
    if definitions.contains_key(T::NAME) {
        return reference;
    }
    // The placeholder ends the recursion for a map that contains its own type.
    definitions.insert(T::NAME.to_owned(), Json::Null);
    let mut properties = Map::new();
    for field in T::FIELDS {
        let mut schema = (field.schema)(definitions);
        if !field.required {
            // An optional key may be null, which counts as absent.
            schema = json!({ "anyOf": [schema, { "type": "null" }] });
        }
        if let Json::Object(members) = &mut schema {
            members.insert("description".to_owned(), field.doc.trim().into());
        }
        properties.insert(field.key.to_owned(), schema);
    }
    let required: Vec<&str> =
        T::FIELDS.iter().filter(|field| field.required).map(|field| field.key).collect();
    definitions.insert(
        T::NAME.to_owned(),
        json!({
            "type": "object", "description": T::DOC.trim(), "properties": properties,
            "required": required, "additionalProperties": false,
        }),
    );
    reference
}

/// A value of any kind, which a later step reads.
impl Read for Node {
    fn read(_: &mut Findings, node: &Node) -> Option<Self> {
        Some(node.clone())
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({})
    }
}
