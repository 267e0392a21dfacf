//! Keys are shown by name or place: in headers, query and body alike, where they belong and where they do not.

use serde_json::Value;

use crate::api::call::KeyMatch;
use crate::auth::Keys;

/// What stands for a key in all that is shown.
#[derive(Clone, Copy, Debug)]
pub struct Mask<'a> {
    keys: &'a Keys,
    minted: Option<&'a str>,
}

impl<'a> Mask<'a> {
    /// For the keys of a scenario, and the one that was made with a world.
    #[must_use]
    pub const fn new(keys: &'a Keys, minted: Option<&'a str>) -> Self {
        Self { keys, minted }
    }

    /// Where a key stands.
    #[must_use]
    pub fn place(&self, key: &str) -> KeyMatch {
        let key = key.trim();
        match self.minted {
            Some(minted) if minted == key => KeyMatch::Minted,
            _ if key.is_empty() => KeyMatch::None,
            _ => self.keys.place(Some(key)),
        }
    }

    /// What stands for whatever was sent as a key.
    fn label(&self, sent: &str) -> String {
        self.keys.label(self.place(sent)).unwrap_or_default()
    }

    /// What stands for a text, if that is one of the keys.
    fn known(&self, text: &str) -> Option<String> {
        let place = self.place(text);
        matches!(place, KeyMatch::Listed(_) | KeyMatch::Minted).then(|| self.keys.label(place)).flatten()
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str, value: &[u8]) -> String {
        let value = String::from_utf8_lossy(value);
        if name == "x-api-key" { self.label(&value) } else { self.words(&value) }
    }

    /// The value of a query parameter, decoded.
    #[must_use]
    pub fn parameter(&self, name: &str, value: &str) -> String {
        if matches!(name, "api_key" | "apiKey" | "x-api-key") { self.label(value) } else { self.words(value) }
    }

    /// A query, as sent but for the keys in it.
    #[must_use]
    pub fn query(&self, query: &str) -> String {
        let masked = |pair: &str| {
            let Some((name, value)) = form_urlencoded::parse(pair.as_bytes()).next() else {
                return pair.to_owned();
            };
            let masked = self.parameter(&name, &value);
            if masked == value { pair.to_owned() } else { format!("{name}={masked}") }
        };
        query.split('&').map(masked).collect::<Vec<_>>().join("&")
    }

    /// A body: JSON where it is JSON, else its text.
    #[must_use]
    pub fn body(&self, body: &[u8]) -> Value {
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

    /// A body as text: as it was sent, unless there is a key in it.
    #[must_use]
    pub fn text(&self, body: &[u8]) -> String {
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

    /// A text whose words, told apart by white space and the marks around values, may be keys.
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
