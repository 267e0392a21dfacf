//! The marked tree: what YAML, JSON and CSV have in common, every part with its place.

use serde_json::{Map, Number};

use crate::scenario::source::Span;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where.
    pub span: Span,
    /// What.
    pub value: Value,
}

/// What stands there.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing, `null` or `~`; a blank cell.
    Null,
    /// A scalar, not yet understood.
    Scalar(Scalar),
    /// A list.
    List(Vec<Node>),
    /// A map; its keys are distinct, in the order written.
    Map(Vec<Entry>),
}

/// A scalar as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its characters, quotes and escapes undone.
    pub text: Box<str>,
    /// Whether it stood without quotes, and so may be a number or a boolean.
    pub plain: bool,
}

/// A member of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its key.
    pub key: Box<str>,
    /// Where the key stands.
    pub key_span: Span,
    /// Its value.
    pub value: Node,
}

impl Node {
    /// A node.
    #[must_use]
    pub const fn new(span: Span, value: Value) -> Self {
        Self { span, value }
    }

    /// Whether there is nothing.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// The scalar that it is.
    #[must_use]
    pub const fn scalar(&self) -> Option<&Scalar> {
        if let Value::Scalar(scalar) = &self.value { Some(scalar) } else { None }
    }

    /// The members of the map that it is.
    #[must_use]
    pub fn entries(&self) -> Option<&[Entry]> {
        if let Value::Map(entries) = &self.value { Some(entries) } else { None }
    }

    /// The value of a key that is there and not null.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let entry = self.entries()?.iter().find(|entry| *entry.key == *key)?;
        (!entry.value.is_null()).then_some(&entry.value)
    }

    /// Whether it is what an author would call the same: the same values, wherever they stand.
    #[must_use]
    pub fn same_value(&self, other: &Self) -> bool {
        self.to_json() == other.to_json()
    }

    /// What it is called in a problem.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "nothing",
            Value::Scalar(_) => "a single value",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// The value in JSON: plain scalars by the core schema of YAML 1.2, numbers that JSON cannot hold as text.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
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
    /// The value in JSON.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
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

/// A number of YAML's core schema: decimal, octal (`0o17`) or hexadecimal (`0x1f`) integers, and decimal fractions.
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
    let shaped = [whole, fraction, exponent].into_iter().all(parse_digits)
        && !exponent.is_empty()
        && !(whole.is_empty() && fraction.is_empty());
    shaped.then(|| Number::from_f64(text.parse().ok()?))?
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
