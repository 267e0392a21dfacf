//! The document tree, which YAML, JSON and CSV are parsed into. Every node has its span.

use serde_json::{Map, Number};

use crate::scenario::source::Span;

/// Maximum nesting depth of lists and maps in a file.
pub(crate) const MAX_DEPTH: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// `null`, `~` or nothing at all.
    Null,
    Scalar(Scalar),
    List(Vec<Node>),
    /// The entries in the order of the text. Their keys are distinct.
    Map(Vec<Entry>),
}

/// A scalar as it was written. Its type depends on the key that reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    /// The text without quotes and escapes.
    pub(crate) text: Box<str>,
    /// Whether the scalar was written without quotes, so that it may be a number or a boolean.
    pub(crate) plain: bool,
}

/// One entry of a map.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: Box<str>,
    pub(crate) key_span: Span,
    pub(crate) value: Node,
}

impl Node {
    pub(crate) const fn new(span: Span, value: Value) -> Self {
        Self { span, value }
    }

    pub(crate) const fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    pub(crate) const fn scalar(&self) -> Option<&Scalar> {
        if let Value::Scalar(scalar) = &self.value { Some(scalar) } else { None }
    }

    /// The entries, if the node is a map.
    pub(crate) fn entries(&self) -> Option<&[Entry]> {
        if let Value::Map(entries) = &self.value { Some(entries) } else { None }
    }

    /// The value of `key`, if the node is a map with that key and the value is not null.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let entry = self.entries()?.iter().find(|entry| *entry.key == *key)?;
        (!entry.value.is_null()).then_some(&entry.value)
    }

    /// Adds a member with the given text to a map, unless the map has the key with a value other than null.
    pub(crate) fn set_default(&mut self, key: &str, text: &str) {
        let span = self.span;
        if self.get(key).is_some() {
            return;
        }
        if let Value::Map(entries) = &mut self.value {
            entries.retain(|entry| &*entry.key != key);
            let value = Self::new(span, Value::Scalar(Scalar { text: text.into(), plain: true }));
            entries.push(Entry { key: key.into(), key_span: span, value });
        }
    }

    /// Whether there are at most so many values in the node, itself included.
    pub(crate) fn has_at_most(&self, most: usize) -> bool {
        self.count_down(most).is_some()
    }

    /// `left` less the number of values in the node.
    fn count_down(&self, left: usize) -> Option<usize> {
        let left = left.checked_sub(1)?;
        match &self.value {
            Value::Null | Value::Scalar(_) => Some(left),
            Value::List(list) => list.iter().try_fold(left, |left, node| node.count_down(left)),
            Value::Map(entries) => entries.iter().try_fold(left, |left, entry| entry.value.count_down(left)),
        }
    }

    /// The kind of value, as messages name it.
    pub(crate) const fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "nothing",
            Value::Scalar(_) => "a single value",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// The value as JSON. Plain scalars get their types from the core schema of YAML 1.2; numbers that JSON cannot
    /// represent become strings.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Scalar(scalar) => scalar.to_json(),
            Value::List(list) => serde_json::Value::Array(list.iter().map(Self::to_json).collect()),
            Value::Map(entries) => {
                let member = |entry: &Entry| (entry.key.to_string(), entry.value.to_json());
                serde_json::Value::Object(entries.iter().map(member).collect::<Map<_, _>>())
            }
        }
    }
}

impl Scalar {
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let text = || serde_json::Value::String(self.text.to_string());
        if !self.plain {
            return text();
        }
        match &*self.text {
            "true" => true.into(),
            "false" => false.into(),
            written => number(written).map_or_else(text, serde_json::Value::Number),
        }
    }
}

/// Parses a number of YAML's core schema: a decimal, octal (`0o17`) or hexadecimal (`0x1f`) integer, or a decimal fraction.
fn number(text: &str) -> Option<Number> {
    if let Some(parse_digits) = text.strip_prefix("0o") {
        return u64::from_str_radix(parse_digits, 8).ok().map(Number::from);
    }
    if let Some(parse_digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(parse_digits, 16).ok().map(Number::from);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let parse_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !unsigned.is_empty() && parse_digits(unsigned) {
        let text = text.strip_prefix('+').unwrap_or(text);
        let whole = text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from));
        return whole.ok().or_else(|| Number::from_f64(text.parse().ok()?));
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_number = [whole, fraction, exponent].into_iter().all(parse_digits)
        && !exponent.is_empty()
        && !(whole.is_empty() && fraction.is_empty());
    is_number.then(|| Number::from_f64(text.parse().ok()?))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        Scalar { text: text.into(), plain: true }.to_json().to_string()
    }

    #[test]
    fn plain_scalars_are_typed_by_the_core_schema() {
        for (written, meant) in [
            ("1", "1"),
            ("-1", "-1"),
            ("+1", "1"),
            ("00123", "123"),
            ("0x1f", "31"),
            ("0o17", "15"),
            ("1.5", "1.5"),
            (".5", "0.5"),
            ("1e3", "1000.0"),
            ("true", "true"),
            ("yes", "\"yes\""),
            ("1_000", "\"1_000\""),
            ("1-2", "\"1-2\""),
            ("-", "\"-\""),
            (".", "\".\""),
            (".inf", "\".inf\""),
            ("12e4567", "\"12e4567\""),
        ] {
            assert_eq!(json(written), meant, "{written}");
        }
    }

    #[test]
    fn quoted_scalars_are_text() {
        assert_eq!(Scalar { text: "1".into(), plain: false }.to_json(), "1");
    }
}
