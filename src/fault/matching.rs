//! How a value of a request is matched: with a literal, or with one of the words `present`, `matches`, `from` and `to`.

use std::fmt::{self, Formatter};

use regex::Regex;
use serde_json::{Value, json};

/// What one value of a request may be. `T` is the type of literals: text for headers and the query, JSON for the body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Accept<T> {
    Equal(T),
    /// Present, or with false absent. Null and blank text count as absent (`docs/api.md` 3).
    Present(bool),
    Matches(Pattern),
    /// A number from the first to the second. A side that is not given is open.
    Between(Option<f64>, Option<f64>),
}

/// A regular expression. It runs in linear time.
#[derive(Clone)]
pub(crate) struct Pattern(Regex);

/// Maximum size of a compiled pattern, in bytes.
const PATTERN: usize = 1 << 20;

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// Why it cannot be compiled, in one line.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let built = regex::RegexBuilder::new(text).size_limit(PATTERN).dfa_size_limit(PATTERN).build();
        built.map(Self).map_err(|error| {
            if matches!(error, regex::Error::CompiledTooBig(_)) {
                return "it is too large when compiled".to_owned();
            }
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.trim_start_matches("error: ").to_owned()
        })
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.0.as_str())
    }
}

impl From<&str> for Accept<String> {
    fn from(text: &str) -> Self {
        Self::Equal(text.to_owned())
    }
}

/// Whether a text, or its absence, is accepted by one of these.
pub(crate) fn accepts_text(accepted: &[Accept<String>], found: Option<&str>) -> bool {
    let is_present = found.is_some_and(|text| !text.trim().is_empty());
    accepted.iter().any(|accept| match accept {
        Accept::Equal(text) => found == Some(text),
        Accept::Present(wanted) => *wanted == is_present,
        Accept::Matches(pattern) => found.is_some_and(|text| pattern.is_in(text)),
        Accept::Between(from, to) => {
            let number = found.and_then(|text| text.trim().parse().ok());
            number.is_some_and(|number| is_between(number, *from, *to))
        }
    })
}

/// Whether a JSON value, or its absence, is accepted by one of these.
pub(crate) fn accepts_json(accepted: &[Accept<Value>], found: Option<&Value>) -> bool {
    let is_present = match found {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => true,
    };
    accepted.iter().any(|accept| match accept {
        Accept::Equal(value) => found == Some(value),
        Accept::Present(wanted) => *wanted == is_present,
        Accept::Matches(pattern) => match found {
            Some(Value::String(text)) => pattern.is_in(text),
            Some(Value::Number(number)) => pattern.is_in(&number.to_string()),
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => false,
        },
        Accept::Between(from, to) => {
            let number = match found {
                Some(Value::Number(number)) => number.as_f64(),
                Some(Value::String(text)) => text.trim().parse().ok(),
                Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => None,
            };
            number.is_some_and(|number| is_between(number, *from, *to))
        }
    })
}

fn is_between(number: f64, from: Option<f64>, to: Option<f64>) -> bool {
    from.is_none_or(|from| number >= from) && to.is_none_or(|to| number <= to)
}

/// As scenarios write it.
impl<T: Into<Value>> From<Accept<T>> for Value {
    fn from(accept: Accept<T>) -> Self {
        match accept {
            Accept::Equal(value) => value.into(),
            Accept::Present(wanted) => json!({ "present": wanted }),
            Accept::Matches(pattern) => json!({ "matches": pattern.0.as_str() }),
            Accept::Between(from, to) => {
                let sides = [("from", from), ("to", to)];
                sides.into_iter().filter_map(|(name, side)| Some((name.to_owned(), json!(side?)))).collect()
            }
        }
    }
}

/// Whether the first accepts all that the second accepts, as far as that is easily seen.
pub(crate) fn covers<T: PartialEq>(wide: &[Accept<T>], narrow: &[Accept<T>]) -> bool {
    let is_covered = |accept: &Accept<T>| {
        wide.contains(accept)
            || (wide.contains(&Accept::Present(true))
                && matches!(accept, Accept::Between(..) | Accept::Matches(_)))
    };
    wide.is_empty() || (!narrow.is_empty() && narrow.iter().all(is_covered))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_accepts_what_it_says() {
        let pattern = Accept::Matches(Pattern::new("^wait").unwrap());
        let between = Accept::Between(Some(1.0), Some(5.0));
        for (accept, found, holds) in [
            (Accept::from("a"), Some("a"), true),
            (Accept::from("a"), None, false),
            (Accept::Present(true), Some("x"), true),
            (Accept::Present(true), Some("  "), false),
            (Accept::Present(false), None, true),
            (Accept::Present(false), Some("x"), false),
            (pattern.clone(), Some("waiting"), true),
            (pattern, Some("no wait"), false),
            (between.clone(), Some("5"), true),
            (between.clone(), Some("5.1"), false),
            (between, Some("x"), false),
        ] {
            assert_eq!(accepts_text(std::slice::from_ref(&accept), found), holds, "{accept:?} {found:?}");
        }
        assert!(accepts_json(&[Accept::Between(Some(1.0), None)], Some(&json!("7"))));
        assert!(accepts_json(&[Accept::Present(false)], Some(&Value::Null)));
        assert!(!accepts_json(&[Accept::Present(true)], Some(&json!(""))));
        assert!(accepts_json(&[Accept::Equal(json!("a")), Accept::Present(false)], None));
    }

    #[test]
    fn a_pattern_that_explodes_is_refused_or_fast() {
        assert!(Pattern::new("(((a{1000}){1000}){1000})").is_err());
        assert!(Pattern::new("(").is_err());
        let slow_elsewhere = Pattern::new("^(a+)+$").unwrap();
        assert!(!slow_elsewhere.is_in(&("a".repeat(100_000) + "b")));
    }
}
