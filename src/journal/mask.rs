//! Replaces API keys by their names, such as `key:demo` or `key:2`, wherever they occur in a call.

use std::borrow::Cow;

use serde_json::Value;

use crate::api::call::KeyMatch;
use crate::auth::{FirstBytes, Keys};
use crate::journal::secrets::{Secrets, is_word, minted, replace_encoded};

/// Knows the keys of a scenario and of a world, and the other secrets of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask<'a> {
    keys: &'a Keys,
    minted: Option<&'a str>,
    secrets: &'a Secrets,
    /// The bytes with which any of them begins.
    first: FirstBytes,
}

/// A shorter key is masked in a string of a body only if it is the whole string: it may be a word of a language.
const SHORTEST_WORD: usize = 6;

impl<'a> Mask<'a> {
    /// `minted` is the key that was minted for the world.
    pub(crate) fn new(keys: &'a Keys, minted: Option<&'a str>, secrets: &'a Secrets) -> Self {
        let mut first = secrets.first_bytes();
        first.add_all(keys.finder().first());
        first.add(minted.unwrap_or_default());
        Self { keys, minted, secrets, first }
    }

    /// Whether a text looks like a key that was minted for some world.
    pub(crate) fn is_minted(key: &str) -> bool {
        minted(key) == Some(key.len())
    }

    /// How a text that was sent as a key relates to the keys.
    pub(crate) fn find(&self, key: &str) -> KeyMatch {
        let key = key.trim();
        match self.minted {
            Some(minted) if minted == key => KeyMatch::Minted,
            _ if key.is_empty() => KeyMatch::None,
            _ => self.keys.match_of(Some(key)),
        }
    }

    /// The name for a value that was sent as a key, whether it is one or not.
    fn label(&self, sent: &str) -> String {
        self.keys.label(self.find(sent)).unwrap_or_default()
    }

    /// Masks the secrets in a text, percent-encoded ones too.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        replace_encoded(text, &self.first, &|rest, before| self.find_at(rest, before))
    }

    /// The secret with which a text begins: its length, and the name that is shown for it.
    fn find_at(&self, text: &str, before: Option<char>) -> Option<(usize, String)> {
        let (length, label, _) = self.secret_at(text, before)?;
        Some((length, label))
    }

    /// The secret with which a text begins, if it stands there as a word: its length, and how it relates to the keys.
    /// `before` is the letter before the text.
    pub(crate) fn key_at(&self, text: &str, before: Option<char>) -> Option<(usize, KeyMatch)> {
        if !self.first.may_begin(text) {
            return None;
        }
        let (length, _, found) = self.secret_at(text, before)?;
        Some((length, found))
    }

    /// Likewise in a string of a body.
    pub(crate) fn key_in_string_at(&self, text: &str, before: Option<char>) -> Option<(usize, KeyMatch)> {
        self.key_at(text, before).filter(|(length, _)| *length >= SHORTEST_WORD)
    }

    fn secret_at(&self, text: &str, before: Option<char>) -> Option<(usize, String, KeyMatch)> {
        let mut candidates = self.keys.finder().candidates(text);
        let own = candidates.find_map(|key| {
            let place = self.keys.match_of(Some(key));
            let is_key = matches!(place, KeyMatch::Listed(_)) && is_word(text, key.len(), before);
            Some((key.len(), self.keys.label(place).filter(|_| is_key)?, place))
        });
        let of_world = |length| (length, "key:minted".to_owned(), KeyMatch::Minted);
        own.or_else(|| {
            let length = minted(text)?;
            let is_own = self.minted == text.get(..length);
            let other = || (length, "key:unknown".to_owned(), KeyMatch::Unknown);
            Some(if is_own { of_world(length) } else { other() })
        })
        .or_else(|| {
            let (length, label) = self.secrets.find(text, before)?;
            Some((length, label, KeyMatch::Unknown))
        })
        .or_else(|| {
            let own = self.minted.filter(|own| text.starts_with(own) && is_word(text, own.len(), before))?;
            Some(of_world(own.len()))
        })
    }

    /// Masks the value of a header. Of credentials only the scheme is shown: they may be those of a real service.
    pub(crate) fn header(&self, name: &str, value: &[u8]) -> String {
        let value = String::from_utf8_lossy(value);
        match name {
            "x-api-key" => self.label(&value),
            "authorization" | "proxy-authorization" => {
                let (scheme, sent) = value.trim().split_once(' ').unwrap_or(("", &value));
                let masked = self.text(sent.trim());
                let shown = if masked == sent.trim() { "key:unknown" } else { &masked };
                format!("{scheme} {shown}").trim_start().to_owned()
            }
            _ => self.text(&value).into_owned(),
        }
    }

    /// Masks the decoded value of a query parameter.
    pub(crate) fn parameter(&self, name: &str, value: &str) -> String {
        if matches!(name, "api_key" | "apiKey" | "x-api-key") {
            self.label(value)
        } else {
            self.text(value).into_owned()
        }
    }

    /// Masks a query. What is no key stays as it was sent.
    pub(crate) fn query(&self, query: &str) -> String {
        let masked = |pair: &str| {
            let Some((name, value)) = form_urlencoded::parse(pair.as_bytes()).next() else {
                return pair.to_owned();
            };
            let masked = (self.text(&name), self.parameter(&name, &value));
            if masked == (Cow::Borrowed(&*name), value.into_owned()) {
                return pair.to_owned();
            }
            format!("{}={}", masked.0, masked.1)
        };
        query.split('&').map(masked).collect::<Vec<_>>().join("&")
    }

    /// Masks a body. It is parsed if it is JSON, else it is a string.
    pub(crate) fn body(&self, body: &[u8]) -> Value {
        if body.is_empty() {
            return Value::Null;
        }
        match serde_json::from_slice::<Value>(body) {
            Ok(mut json) => {
                if let Some(key) = json.get_mut("apiKey")
                    && !key.is_null()
                {
                    *key = self.label(key.as_str().unwrap_or(&key.to_string())).into();
                }
                self.json(&mut json);
                json
            }
            Err(_) => self.text(&String::from_utf8_lossy(body)).into(),
        }
    }

    /// Masks a body as text. Without a key in it, it stays as it was sent.
    pub(crate) fn body_text(&self, body: &[u8]) -> String {
        let shown = self.body(body);
        match (shown.as_str(), serde_json::from_slice::<Value>(body)) {
            (_, Ok(sent)) if sent == shown => String::from_utf8_lossy(body).into_owned(),
            (Some(text), Err(_)) => text.to_owned(),
            (None, Err(_)) => String::new(),
            (_, Ok(_)) => shown.to_string(),
        }
    }

    /// Masks a value that was sent as a key, or a list of them.
    pub(crate) fn key(&self, value: &mut Value) {
        match value {
            Value::Array(list) => list.iter_mut().for_each(|value| self.key(value)),
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                *value = self.label(value.as_str().unwrap_or(&value.to_string())).into();
            }
        }
    }

    /// Masks the strings of a value, and the names of its members.
    pub(crate) fn json(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(masked) = self.string(text) {
                    *text = masked;
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| self.json(value)),
            Value::Object(members) => {
                members.values_mut().for_each(|value| self.json(value));
                if members.keys().any(|name| self.string(name).is_some()) {
                    let named = std::mem::take(members).into_iter();
                    *members =
                        named.map(|(name, value)| (self.string(&name).unwrap_or(name), value)).collect();
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// A string of a body with its secrets masked; none if it has none.
    fn string(&self, text: &str) -> Option<String> {
        if let Some((length, label)) = self.find_at(text.trim(), None)
            && length == text.trim().len()
        {
            return Some(label);
        }
        let words =
            |rest: &str, before| self.find_at(rest, before).filter(|(length, _)| *length >= SHORTEST_WORD);
        match replace_encoded(text, &self.first, &words) {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some(masked),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Key;

    #[test]
    fn a_key_is_masked_wherever_it_stands() {
        let key = |key: &str, name: Option<&str>| Key {
            key: key.to_owned(),
            name: name.map(str::to_owned),
            accounts: None,
            rate_limit: None,
            revoked: false,
            own_world: false,
        };
        let keys = Keys::new(vec![key("demo-key", Some("demo")), key("two", None)]);
        let secrets = Secrets::new(Some("token-of-admin".to_owned()));
        let others = Keys::new(vec![key("elsewhere", Some("other"))]);
        secrets.set_keys([&others].into_iter());
        let mask = Mask::new(&keys, Some("mint"), &secrets);
        assert_eq!(mask.header("x-api-key", b" demo-key "), "key:demo");
        assert_eq!(mask.header("x-api-key", b"guessed"), "key:unknown");
        assert_eq!(mask.header("authorization", b"Bearer two"), "Bearer key:2");
        assert_eq!(mask.header("cookie", b"a=mint; b=twofold"), "a=key:minted; b=twofold");
        assert_eq!(
            mask.query("api_key=secret&count=2&x=demo%2Dkey"),
            "api_key=key:unknown&count=2&x=key:demo"
        );
        let body = mask.body(br#"{"apiKey":"other","a":["two",{"b":"demo-key"}]}"#);
        assert_eq!(body.to_string(), r#"{"a":["key:2",{"b":"key:demo"}],"apiKey":"key:unknown"}"#);
        assert_eq!(mask.body(br#"{"apiKey":"demo-key""#), r#"{"apiKey":"key:demo""#);
        assert_eq!(mask.body(b""), Value::Null);
        assert_eq!(mask.header("authorization", b"Bearer token-of-admin"), "Bearer key:admin");
        assert_eq!(mask.header("authorization", b"Basic dXNlcjpwYXNz"), "Basic key:unknown");
        assert_eq!(mask.header("authorization", b"secret"), "key:unknown");
        assert_eq!(
            mask.header("referer", b"http://h.test/demo-key/x?a=elsewhere#x"),
            "http://h.test/key:demo/x?a=key:other#x"
        );
        let minted = "standin-0123456789abcdef0123456789ab";
        assert_eq!(mask.header("x", minted.as_bytes()), "key:unknown");
        assert_eq!(mask.text("/v1/%64emo-key/x"), "/v1/key:demo/x");
        assert_eq!(mask.query("demo-key&x=1&elsewhere=2"), "key:demo=&x=1&key:other=2");
        let body = mask.body(br#"{"demo-key":1,"a":"say demo-key, two","b":" two "}"#);
        assert_eq!(body.to_string(), r#"{"a":"say key:demo, two","b":"key:2","key:demo":1}"#);
    }
}
