//! Replaces API keys by their names, such as `key:demo` or `key:2`, wherever they occur in a call.

use serde_json::Value;

use crate::api::call::KeyMatch;
use crate::auth::Keys;

/// Knows the keys of a scenario and of a world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask<'a> {
    keys: &'a Keys,
    minted: Option<&'a str>,
}

impl<'a> Mask<'a> {
    /// `minted` is the key that was minted for the world.
    pub(crate) const fn new(keys: &'a Keys, minted: Option<&'a str>) -> Self {
        Self { keys, minted }
    }
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

    /// The name for a text, if it is one of the keys.
    fn known(&self, text: &str) -> Option<String> {
        let place = self.find(text);
        matches!(place, KeyMatch::Listed(_) | KeyMatch::Minted).then(|| self.keys.label(place)).flatten()
    }

    /// Masks the value of a header.
    pub(crate) fn header(&self, name: &str, value: &[u8]) -> String {
        let value = String::from_utf8_lossy(value);
        if name == "x-api-key" { self.label(&value) } else { self.words(&value) }
    }

    /// Masks the decoded value of a query parameter.
    pub(crate) fn parameter(&self, name: &str, value: &str) -> String {
        if matches!(name, "api_key" | "apiKey" | "x-api-key") { self.label(value) } else { self.words(value) }
    }

    /// Masks a query. What is no key stays as it was sent.
    pub(crate) fn query(&self, query: &str) -> String {
        let masked = |pair: &str| {
            let Some((name, value)) = form_urlencoded::parse(pair.as_bytes()).next() else {
                return pair.to_owned();
            };
            let masked = self.parameter(&name, &value);
            if masked == value { pair.to_owned() } else { format!("{name}={masked}") }
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
            Err(_) => self.words(&String::from_utf8_lossy(body)).into(),
        }
    }

    /// Masks a body as text. Without a key in it, it stays as it was sent.
    pub(crate) fn text(&self, body: &[u8]) -> String {
        let shown = self.body(body);
        match (shown.as_str(), serde_json::from_slice::<Value>(body)) {
            (_, Ok(sent)) if sent == shown => String::from_utf8_lossy(body).into_owned(),
            (Some(text), Err(_)) => text.to_owned(),
            (None, Err(_)) => String::new(),
            (_, Ok(_)) => shown.to_string(),
        }
    }

    fn json(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(label) = self.known(text) {
                    *text = label;
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| self.json(value)),
            Value::Object(members) => members.values_mut().for_each(|value| self.json(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Masks the words of a text that are keys. White space and the punctuation around values separate words.
    fn words(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for part in
            text.split_inclusive(|mark: char| mark.is_whitespace() || "\"'=&,;:{}[]()<>".contains(mark))
        {
            let word =
                part.trim_end_matches(|mark: char| mark.is_whitespace() || "\"'=&,;:{}[]()<>".contains(mark));
            match self.known(word) {
                Some(label) => out.push_str(&label),
                None => out.push_str(word),
            }
            out.push_str(&part[word.len()..]);
        }
        out
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
        let mask = Mask::new(&keys, Some("mint"));
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
    }
}
