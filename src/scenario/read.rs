//! From the marked tree to raw values: the mirror of the text, all findings collected, and the JSON Schema of the same.
//! `raw!` declares a map with its keys, `choice!` a word out of several; leaves are in `leaf.rs`.

use serde_json::{Map, Value as Json, json};

use crate::scenario::node::{Entry, Node, Scalar, Value};
use crate::scenario::problem::{Findings, listed, nearest};
use crate::scenario::source::Span;

/// What can be read out of a node.
pub trait Read: Sized {
    /// Reads it; nothing where it is not one, which is then among the findings. The node is not null.
    fn read(findings: &mut Findings, node: &Node) -> Option<Self>;

    /// Its JSON Schema; maps define themselves in `definitions` and are referred to.
    fn schema(definitions: &mut Map<String, Json>) -> Json;
}

/// A value and where it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marked<T> {
    /// Where.
    pub span: Span,
    /// What.
    pub value: T,
}

/// A key of a map.
#[derive(Debug)]
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// What it means.
    pub doc: &'static str,
    /// The schema of its value.
    pub schema: fn(&mut Map<String, Json>) -> Json,
}

/// A map with known keys.
pub trait Fields: Read + Default {
    /// What it is called in problems (`a review`).
    const WHAT: &'static str;
    /// Its name in the schema.
    const NAME: &'static str;
    /// What it is.
    const DOC: &'static str;
    /// Its keys.
    const FIELDS: &'static [Field];

    /// Reads the value of a key; false for an unknown one.
    fn take(&mut self, findings: &mut Findings, entry: &Entry) -> bool;

    /// Key by key, what `over` has in place of what stands here.
    fn merge(&mut self, over: Self);

    /// Its keys' names.
    #[must_use]
    fn keys() -> impl Iterator<Item = &'static str> + Clone {
        Self::FIELDS.iter().map(|field| field.key)
    }
}

/// Declares a map with known keys: a struct whose fields are `Option<Marked<T>>` (absent: not there, or already among
/// the findings), `Fields` and `Read` for it.
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
    ($($(#[doc = $doc:literal])+ pub struct $name:ident $what:literal {
        $($(#[doc = $field_doc:literal])+ $need:ident $key:literal $field:ident: $type:ty,)*
    })+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Default)]
        pub struct $name {
            /// Where it stands.
            pub span: $crate::scenario::source::Span,
            $($(#[doc = $field_doc])+ pub $field: Option<$crate::scenario::read::Marked<$type>>,)*
        }

        impl $crate::scenario::read::Fields for $name {
            const WHAT: &'static str = $what;
            const NAME: &'static str = stringify!($name);
            const DOC: &'static str = concat!($($doc),+);
            const FIELDS: &'static [$crate::scenario::read::Field] = &[$($crate::scenario::read::Field {
                key: $key,
                required: raw!(@required $need),
                doc: concat!($($field_doc),+),
                schema: <$type as $crate::scenario::read::Read>::schema,
            }),*];

            fn take(
                &mut self,
                findings: &mut $crate::scenario::problem::Findings,
                entry: &$crate::scenario::node::Entry,
            ) -> bool {
                match &*entry.key {
                    $($key => self.$field = $crate::scenario::read::value(findings, $key, &entry.value),)*
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
                findings: &mut $crate::scenario::problem::Findings,
                node: &$crate::scenario::node::Node,
            ) -> Option<Self> {
                let mut raw = $crate::scenario::read::map::<Self>(findings, node)?;
                raw.span = node.span;
                Some(raw)
            }

            fn schema(definitions: &mut serde_json::Map<String, serde_json::Value>) -> serde_json::Value {
                $crate::scenario::read::schema::<Self>(definitions)
            }
        }
    )+};
}
pub(crate) use raw;

/// Declares a word out of several.
///
/// ```ignore
/// choice! {
///     /// How a clock goes.
///     pub enum Mode { "frozen" Frozen, "running" Running }
/// }
/// ```
macro_rules! choice {
    ($($(#[doc = $doc:literal])+ pub enum $name:ident { $($word:literal $variant:ident),+ $(,)? })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $(#[doc = concat!("`", $word, "`")] $variant),+ }

        impl $crate::scenario::read::Read for $name {
            fn read(
                findings: &mut $crate::scenario::problem::Findings,
                node: &$crate::scenario::node::Node,
            ) -> Option<Self> {
                match $crate::scenario::read::word(findings, node, &[$($word),+])? {
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

/// Reads the value of a key; nothing where it is null.
pub fn value<T: Read>(findings: &mut Findings, key: &'static str, node: &Node) -> Option<Marked<T>> {
    if node.is_null() {
        return None;
    }
    let outer = std::mem::replace(&mut findings.key, key);
    let value = T::read(findings, node);
    findings.key = outer;
    Some(Marked { span: node.span, value: value? })
}

/// Reads a map, and says what is unknown and what is missing.
pub fn map<T: Fields>(findings: &mut Findings, node: &Node) -> Option<T> {
    let Some(entries) = node.entries() else {
        let example = T::FIELDS.first().map_or("key", |field| field.key);
        wrong_kind(findings, node, &format!("{} is a map (`{example}: …`)", T::WHAT));
        return None;
    };
    let mut raw = T::default();
    for entry in entries {
        if !raw.take(findings, entry) {
            unknown_key(findings, entry, T::WHAT, T::keys());
        }
    }
    for field in T::FIELDS.iter().filter(|field| field.required && node.get(field.key).is_none()) {
        // A misspelt key has been told already.
        let mut unknown = entries.iter().filter(|entry| !T::keys().any(|key| *key == *entry.key));
        if unknown.any(|entry| nearest(&entry.key, T::keys()) == Some(field.key)) {
            continue;
        }
        let message = format!("{} needs `{}`", T::WHAT, field.key);
        match entries.iter().find(|entry| *entry.key == *field.key) {
            Some(entry) => {
                findings.error("missing-key", entry.key_span, message).label("this is empty");
            }
            None => {
                findings
                    .error("missing-key", node.span, message)
                    .label(format!("`{}` is missing", field.key));
            }
        }
    }
    Some(raw)
}

/// Notes a key that a map does not have.
pub fn unknown_key(
    findings: &mut Findings,
    entry: &Entry,
    what: &str,
    keys: impl IntoIterator<Item = &'static str> + Clone,
) {
    findings
        .error("unknown-key", entry.key_span, format!("{what} has no key `{}`", entry.key))
        .allowed(&entry.key, keys);
}

/// Notes a list where a map belongs, and the like; `is` says what belongs there.
pub fn wrong_kind(findings: &mut Findings, node: &Node, is: &str) {
    findings.error("wrong-kind", node.span, is).label(format!("this is {}", node.kind()));
}

/// Notes a value of the key being read that is not what it must be.
pub fn must_be(findings: &mut Findings, node: &Node, what: &str) {
    let key = match findings.key {
        "" => "this".to_owned(),
        key => format!("`{key}`"),
    };
    let message = format!("{key} must be {what}");
    match node.scalar() {
        Some(scalar) => {
            let finding = findings.error("wrong-value", node.span, message);
            let unquoted = Scalar { plain: true, ..scalar.clone() };
            if scalar.to_json() != unquoted.to_json() {
                finding.label("the quotes make this text");
            }
        }
        None => {
            findings.error("wrong-kind", node.span, message).label(format!("this is {}", node.kind()));
        }
    }
}

/// Reads a word out of several.
pub fn word<'a>(findings: &mut Findings, node: &Node, words: &[&'a str]) -> Option<&'a str> {
    let Some(scalar) = node.scalar() else {
        must_be(findings, node, &listed(words.iter().copied()));
        return None;
    };
    let found = words.iter().copied().find(|word| **word == *scalar.text);
    if found.is_none() {
        unknown_word(findings, node.span, &scalar.text, words);
    }
    found
}

/// Notes a word of the key being read that is none of those allowed.
pub fn unknown_word(findings: &mut Findings, span: Span, word: &str, words: &[&str]) {
    let message = format!("`{word}` is no value of `{}`", findings.key);
    findings.error("unknown-value", span, message).allowed(word, words.iter().copied());
}

/// The schema of a map.
pub fn schema<T: Fields>(definitions: &mut Map<String, Json>) -> Json {
    let reference = json!({ "$ref": format!("#/$defs/{}", T::NAME) });
    if definitions.contains_key(T::NAME) {
        return reference;
    }
    // Stands in for itself while its members are looked at, for maps that hold their own kind.
    definitions.insert(T::NAME.to_owned(), Json::Null);
    let mut properties = Map::new();
    for field in T::FIELDS {
        let mut schema = (field.schema)(definitions);
        if !field.required {
            // What is null is absent.
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

impl Read for Node {
    fn read(_: &mut Findings, node: &Node) -> Option<Self> {
        Some(node.clone())
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({})
    }
}

/// A list, read as far as its elements can be.
impl<T: Read> Read for Vec<Marked<T>> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Value::List(list) = &node.value else {
            let message = format!("`{}` must be a list", findings.key);
            wrong_kind(findings, node, &message);
            return None;
        };
        Some(elements(findings, list))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "type": "array", "items": T::schema(definitions) })
    }
}

fn elements<T: Read>(findings: &mut Findings, list: &[Node]) -> Vec<Marked<T>> {
    let mut out = Vec::with_capacity(list.len());
    for element in list {
        if element.is_null() {
            let message = format!("an entry of `{}` is empty", findings.key);
            findings.error("empty-entry", element.span, message);
        } else if let Some(value) = T::read(findings, element) {
            out.push(Marked { span: element.span, value });
        }
    }
    out
}

/// A value, or a list of such values.
#[derive(Clone, Debug, Default)]
pub struct OneOrMany<T>(pub Vec<Marked<T>>);

impl<T: Read> Read for OneOrMany<T> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if let Value::List(list) = &node.value {
            return Some(Self(elements(findings, list)));
        }
        let value = T::read(findings, node)?;
        Some(Self(vec![Marked { span: node.span, value }]))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        let one = T::schema(definitions);
        json!({ "anyOf": [one.clone(), { "type": "array", "items": one }] })
    }
}

/// A map with keys of the author's choice; members that are null are left out.
#[derive(Clone, Debug)]
pub struct Dictionary<T>(pub Vec<Member<T>>);

/// A member of such a map.
#[derive(Clone, Debug)]
pub struct Member<T> {
    /// Where its key stands.
    pub key_span: Span,
    /// Its key.
    pub key: String,
    /// Where its value stands.
    pub span: Span,
    /// Its value.
    pub value: T,
}

impl<T> Default for Dictionary<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Read> Read for Dictionary<T> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(entries) = node.entries() else {
            let message = format!("`{}` must be a map", findings.key);
            wrong_kind(findings, node, &message);
            return None;
        };
        let mut members = Vec::with_capacity(entries.len());
        for Entry { key, key_span, value } in entries.iter().filter(|entry| !entry.value.is_null()) {
            if let Some(read) = T::read(findings, value) {
                members.push(Member {
                    key_span: *key_span,
                    key: key.to_string(),
                    span: value.span,
                    value: read,
                });
            }
        }
        Some(Self(members))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "type": "object", "additionalProperties": T::schema(definitions) })
    }
}

/// Notes a name that refers to nothing there is; `what` is what it should name.
pub fn unknown_name<'a>(
    findings: &mut Findings,
    span: Span,
    (what, word): (&str, &str),
    names: impl IntoIterator<Item = &'a str> + Clone,
) {
    let none = names.clone().into_iter().next().is_none();
    let finding = findings.error("unknown-reference", span, format!("there is no {what} `{word}`"));
    if none {
        finding.help("there is none at all");
    } else {
        finding.allowed(word, names);
    }
}
