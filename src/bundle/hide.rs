//! API keys by place: takes the keys out of what was sent and answered, and puts those of a replay into their places.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use serde::de::IgnoredAny;

use crate::api::call::KeyMatch;
use crate::auth::Keys;
use crate::bundle::decoded::Decoded;
use crate::bundle::format::{Encoding, KeyPlace, Part, Text};
use crate::journal::mask::Mask;

/// Keys that are none of the scenario's, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Others {
    foreign: Vec<String>,
    unknown: Vec<String>,
}

/// Takes the keys out of the texts of one call.
#[derive(Debug)]
pub(super) struct Hider<'a> {
    pub(super) mask: Mask<'a>,
    pub(super) keys: &'a Keys,
    /// Whether the call had the key of another world.
    pub(super) has_foreign_key: bool,
    pub(super) others: &'a mut Others,
}

/// Finds a key at the beginning of a text, whose letter before is given.
type KeyAt<'a> = &'a dyn Fn(&str, Option<char>) -> Option<(usize, KeyMatch)>;

/// A key in some bytes.
struct Found {
    at: Range<usize>,
    key: KeyPlace,
    encoding: Encoding,
}

impl Hider<'_> {
    /// Takes the keys out of a header. Credentials may be those of a real service, so only their scheme is kept.
    pub(super) fn header(&mut self, name: &str, value: &[u8]) -> Text {
        match name {
            "x-api-key" => self.key(value, Encoding::Plain),
            "authorization" | "proxy-authorization" => {
                let sent = value.iter().position(|byte| *byte == b' ').map_or(0, |scheme| scheme + 1);
                match self.text(&value[sent..]) {
                    Text::Plain(_) => {
                        let found = self.whole(&value[sent..], Encoding::Plain);
                        let found = found.map(|found| shifted(found, sent));
                        text_of(value, found.into_iter().collect())
                    }
                    Text::Parts(_) => self.text(value),
                }
            }
            _ => self.text(value),
        }
    }

    /// A value that was sent as a key, whether it is one or not.
    fn key(&mut self, value: &[u8], encoding: Encoding) -> Text {
        let found = self.whole(value, encoding);
        text_of(value, found.into_iter().collect())
    }

    fn whole(&mut self, value: &[u8], encoding: Encoding) -> Option<Found> {
        let decoded = match encoding {
            Encoding::Percent => Decoded::plain(value).of_form(),
            Encoding::Plain | Encoding::Json => Decoded::plain(value),
        };
        let trimmed = decoded.text.trim();
        let start = decoded.text.len() - decoded.text.trim_start().len();
        let key = self.place(self.mask.find(trimmed), trimmed);
        (!trimmed.is_empty()).then(|| Found { at: decoded.raw(start..start + trimmed.len()), key, encoding })
    }

    /// Takes the keys out of a text, percent-encoded ones too.
    pub(super) fn text(&mut self, raw: &[u8]) -> Text {
        let mask = self.mask;
        let found = self.find_encoded(
            &Decoded::plain(raw),
            &|text, before| mask.key_at(text, before),
            Encoding::Plain,
        );
        text_of(raw, found)
    }

    /// Takes the keys out of a query.
    pub(super) fn query(&mut self, query: &str) -> Text {
        let mut found = Vec::new();
        let mut start = 0;
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = Decoded::plain(name.as_bytes()).of_form();
            let value_start = start + pair.len() - value.len();
            if matches!(decoded.text.as_str(), "api_key" | "apiKey" | "x-api-key") {
                let key = self.whole(value.as_bytes(), Encoding::Percent);
                found.extend(key.map(|key| shifted(key, value_start)));
            } else {
                let mask = self.mask;
                let plain = Decoded::plain(pair.as_bytes());
                let key_at: KeyAt<'_> = &|text, before| mask.key_at(text, before);
                let keys = self.find_both(&plain, &plain.of_form(), key_at, Encoding::Plain);
                found.extend(keys.into_iter().map(|key| shifted(key, start)));
            }
            start += pair.len() + 1;
        }
        text_of(query.as_bytes(), found)
    }

    /// Takes the keys out of a body.
    pub(super) fn body(&mut self, raw: &[u8]) -> Text {
        let json = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw);
        if serde_json::from_slice::<IgnoredAny>(json).is_err() {
            return self.text(raw);
        }
        let mut found = Vec::new();
        let mut scan = Scan { raw, at: raw.len() - json.len(), depth: 0, name: None };
        while let Some(Token { at, is_key, is_string }) = scan.next() {
            let bytes = &raw[at.clone()];
            if !is_string {
                // A number or the like as a key.
                if is_key && let KeyMatch::Listed(_) = self.mask.find(&String::from_utf8_lossy(bytes)) {
                    found.extend(self.whole(bytes, Encoding::Plain).map(|key| shifted(key, at.start)));
                }
                continue;
            }
            let decoded = Decoded::of_json(bytes);
            let trimmed = decoded.text.trim();
            let start = decoded.text.len() - decoded.text.trim_start().len();
            let mask = self.mask;
            let whole = match mask.key_at(trimmed, None) {
                Some((length, matched)) if length == trimmed.len() => Some(matched),
                Some(_) | None => (is_key && !trimmed.is_empty()).then(|| mask.find(trimmed)),
            };
            if let Some(matched) = whole {
                let range = decoded.raw(start..start + trimmed.len());
                let key = self.place(matched, trimmed);
                found.push(shifted(Found { at: range, key, encoding: Encoding::Json }, at.start));
                continue;
            }
            let in_string = |text: &str, before: Option<char>| mask.key_in_string_at(text, before);
            let keys = self.find_encoded(&decoded, &in_string, Encoding::Json);
            found.extend(keys.into_iter().map(|key| shifted(key, at.start)));
        }
        text_of(raw, found)
    }

    /// Finds the keys in a text as it stands, and in the text that it encodes with percent signs.
    fn find_encoded(&mut self, decoded: &Decoded, key_at: KeyAt<'_>, encoding: Encoding) -> Vec<Found> {
        if decoded.text.contains('%') {
            self.find_both(decoded, &decoded.of_url(), key_at, encoding)
        } else {
            self.find(decoded, key_at, encoding)
        }
    }

    /// Finds the keys in a text and in what it encodes; none twice.
    fn find_both(
        &mut self,
        decoded: &Decoded,
        encoded: &Decoded,
        key_at: KeyAt<'_>,
        encoding: Encoding,
    ) -> Vec<Found> {
        let mut found = self.find(decoded, key_at, encoding);
        let overlaps =
            |key: &Found, other: &Found| key.at.start < other.at.end && other.at.start < key.at.end;
        let mut more = self.find(encoded, key_at, Encoding::Percent);
        more.retain(|key| !found.iter().any(|other| overlaps(key, other)));
        found.extend(more);
        found.sort_by_key(|key| key.at.start);
        found
    }

    fn find(&mut self, decoded: &Decoded, key_at: KeyAt<'_>, encoding: Encoding) -> Vec<Found> {
        let (mut found, mut end, mut before) = (Vec::new(), 0, None);
        for (at, letter) in decoded.text.char_indices() {
            if at >= end
                && let Some((length, matched)) = key_at(&decoded.text[at..], before)
            {
                end = at + length;
                let key = self.place(matched, &decoded.text[at..end]);
                found.push(Found { at: decoded.raw(at..end), key, encoding });
            }
            before = Some(letter);
        }
        found
    }

    fn place(&mut self, matched: KeyMatch, key: &str) -> KeyPlace {
        let number = |list: &mut Vec<String>| {
            let known = list.iter().position(|known| known == key);
            1 + known.unwrap_or_else(|| {
                list.push(key.to_owned());
                list.len() - 1
            })
        };
        match matched {
            KeyMatch::Minted => KeyPlace::Minted,
            KeyMatch::Listed(index) => match self.keys.all().get(index).and_then(|key| key.name.clone()) {
                Some(name) => KeyPlace::Name(name),
                None => KeyPlace::Place(index + 1),
            },
            KeyMatch::Any | KeyMatch::Unknown | KeyMatch::None => {
                if self.has_foreign_key && Mask::is_minted(key) {
                    KeyPlace::Foreign(number(&mut self.others.foreign))
                } else {
                    KeyPlace::Unknown(number(&mut self.others.unknown))
                }
            }
        }
    }
}

fn shifted(found: Found, by: usize) -> Found {
    Found { at: found.at.start + by..found.at.end + by, ..found }
}

/// The text of some bytes with keys in some places, which are in order.
fn text_of(raw: &[u8], found: Vec<Found>) -> Text {
    let mut parts = Vec::new();
    let push = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok("") => None,
        Ok(text) => Some(Part::Plain(text.to_owned())),
        Err(_) => Some(Part::Bytes { base64: STANDARD.encode(bytes) }),
    };
    let mut end = 0;
    for Found { at, key, encoding } in found {
        parts.extend(push(&raw[end..at.start]));
        parts.push(Part::Key { key, encoding });
        end = at.end;
    }
    parts.extend(push(&raw[end..]));
    match &mut parts[..] {
        [] => Text::Plain(String::new()),
        [Part::Plain(text)] => Text::Plain(std::mem::take(text)),
        _ => Text::Parts(parts),
    }
}

/// The strings of a JSON text, and the scalar that is its member `apiKey`.
struct Scan<'a> {
    raw: &'a [u8],
    at: usize,
    depth: usize,
    /// Whether the value that comes next is that of the member `apiKey`.
    name: Option<bool>,
}

/// A scalar of a JSON text.
struct Token {
    /// Its bytes, of a string those between the quotes.
    at: Range<usize>,
    is_key: bool,
    is_string: bool,
}

impl Scan<'_> {
    /// The next scalar. The text is valid JSON.
    fn next(&mut self) -> Option<Token> {
        loop {
            let start = self.at;
            let byte = *self.raw.get(start)?;
            self.at += 1;
            match byte {
                b'{' | b'[' => (self.depth, self.name) = (self.depth + 1, None),
                b'}' | b']' => (self.depth, self.name) = (self.depth.saturating_sub(1), None),
                b',' => self.name = None,
                b'"' => {
                    while let Some(byte) = self.raw.get(self.at).filter(|byte| **byte != b'"') {
                        self.at += if *byte == b'\\' { 2 } else { 1 };
                    }
                    let at = start + 1..self.at.min(self.raw.len());
                    self.at += 1;
                    let is_key = self.name.take().unwrap_or_default();
                    let rest = self.raw.get(self.at..).unwrap_or_default();
                    if rest.trim_ascii_start().first() == Some(&b':') {
                        let is_api_key = Decoded::of_json(&self.raw[at.clone()]).text == "apiKey";
                        self.name = Some(self.depth == 1 && is_api_key);
                    }
                    return Some(Token { at, is_key, is_string: true });
                }
                b'0'..=b'9' | b'-' | b't' | b'f' | b'n' => {
                    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(*byte);
                    self.at += self.raw[self.at..].iter().take_while(is_part).count();
                    let is_key = self.name.take().unwrap_or_default();
                    return Some(Token { at: start..self.at, is_key, is_string: false });
                }
                _ => {}
            }
        }
    }
}

/// The keys of a replay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keyring<'a> {
    pub(super) keys: &'a Keys,
    pub(super) minted: &'a str,
    /// The key of another world.
    pub(super) foreign: &'a str,
}

impl Keyring<'_> {
    /// A text with the keys in their places.
    pub(super) fn fill(&self, text: &Text) -> Vec<u8> {
        let parts = match text {
            Text::Plain(text) => return text.clone().into_bytes(),
            Text::Parts(parts) => parts,
        };
        let mut out = Vec::new();
        for part in parts {
            match part {
                Part::Plain(text) => out.extend_from_slice(text.as_bytes()),
                Part::Bytes { base64 } => out.extend(STANDARD.decode(base64).unwrap_or_default()),
                Part::Key { key, encoding } => {
                    let key = self.key(key);
                    out.extend(match encoding {
                        Encoding::Plain => key.into_bytes(),
                        Encoding::Percent => {
                            percent_encode(key.as_bytes(), NON_ALPHANUMERIC).to_string().into_bytes()
                        }
                        Encoding::Json => {
                            let quoted = serde_json::Value::from(key).to_string();
                            quoted.as_bytes()[1..quoted.len() - 1].to_vec()
                        }
                    });
                }
            }
        }
        out
    }

    pub(super) fn fill_text(&self, text: &Text) -> String {
        String::from_utf8_lossy(&self.fill(text)).into_owned()
    }

    fn key(&self, place: &KeyPlace) -> String {
        let named = |name: &String| self.keys.all().iter().find(|key| key.name.as_ref() == Some(name));
        let at = |place: &usize| self.keys.all().get(place.checked_sub(1)?);
        match place {
            KeyPlace::Minted => self.minted.to_owned(),
            KeyPlace::Foreign(_) => self.foreign.to_owned(),
            KeyPlace::Name(name) => named(name).map_or_else(|| self.unknown(name), |key| key.key.clone()),
            KeyPlace::Place(place) => {
                at(place).map_or_else(|| self.unknown(&place.to_string()), |key| key.key.clone())
            }
            KeyPlace::Unknown(number) => self.unknown(&number.to_string()),
        }
    }

    /// A key that is none of the scenario's.
    fn unknown(&self, name: &str) -> String {
        let mut key = format!("unknown-key-{name}");
        while self.keys.find(&key).is_some() {
            key.push('x');
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;
    use serde_json::Value;

    use super::*;
    use crate::auth::Key;
    use crate::journal::secrets::Secrets;

    const KEYS: [&str; 3] = ["demo-key-of-one", "second\"k/2%", "schlüssel-3"];
    const MINTED: &str = "standin-0123456789abcdef0123456789ab";

    fn keys() -> Keys {
        let key = |key: &&str| Key {
            key: (*key).to_owned(),
            name: key.starts_with("demo").then(|| "demo".to_owned()),
            accounts: None,
            rate_limit: None,
            revoked: false,
            own_world: false,
        };
        Keys::new(KEYS.iter().map(key).collect())
    }

    /// Takes the keys out, shows what is written, and puts them back.
    fn hidden(hide: impl FnOnce(&mut Hider<'_>) -> Text) -> (String, Vec<u8>) {
        let (keys, secrets) = (keys(), Secrets::default());
        let mask = Mask::new(&keys, Some(MINTED), &secrets);
        let mut hider = Hider { mask, keys: &keys, has_foreign_key: false, others: &mut Others::default() };
        let text = hide(&mut hider);
        let written = serde_json::to_string(&text).unwrap();
        let read: Text = serde_json::from_str(&written).unwrap();
        let foreign = "";
        (written, Keyring { keys: &keys, minted: MINTED, foreign }.fill(&read))
    }

    #[test]
    fn a_key_is_written_by_its_place() {
        let written = |text: &str| hidden(|hide| hide.text(text.as_bytes())).0;
        assert_eq!(written("plain"), r#""plain""#);
        assert_eq!(written("a demo-key-of-one, b"), r#"["a ",{"key":{"name":"demo"}},", b"]"#);
        assert_eq!(written("schl%C3%BCssel-3"), r#"[{"key":{"place":3},"encoding":"percent"}]"#);
        assert_eq!(written(MINTED), r#"[{"key":"minted"}]"#);
        let header = |name: &str, value: &[u8]| hidden(|hide| hide.header(name, value));
        assert_eq!(header("authorization", b"Bearer x y").0, r#"["Bearer ",{"key":{"unknown":1}}]"#);
        assert_eq!(header("x-api-key", b" guess ").1, b" unknown-key-1 ");
        assert_eq!(header("x", b"\xff").0, r#"[{"base64":"/w=="}]"#);
        let body = hidden(|hide| hide.body(br#"{"a":{"apiKey":"x"},"apiKey":"x","b":1,"apiKey":7}"#));
        assert_eq!(body.1, br#"{"a":{"apiKey":"x"},"apiKey":"unknown-key-1","b":1,"apiKey":7}"#);
    }

    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            3 => proptest::sample::select(KEYS.to_vec()).prop_map(str::to_owned),
            1 => Just(MINTED.to_owned()),
            4 => "[ -~é\\u{1f600}]{0,3}",
            1 => proptest::sample::select(vec!["&", "=", "%", "%zz", "+", "\\", "\"", "%20"]).prop_map(str::to_owned),
        ];
        let end = proptest::sample::select(vec!["", " ", "%", ",", "&"]);
        let pieces = proptest::collection::vec((piece, end), 0..6);
        pieces
            .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, end)| [piece, end.to_owned()]).collect())
    }

    /// A JSON value whose texts are percent-decoded.
    fn without_percent(value: Value) -> Value {
        let text = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        match value {
            Value::String(string) => text(&string).into(),
            Value::Array(list) => list.into_iter().map(without_percent).collect(),
            Value::Object(members) => {
                members.into_iter().map(|(name, value)| (text(&name), without_percent(value))).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    /// Whether a key stands in what is written as a word, beside which there was no other key.
    fn has_key(written: &str) -> bool {
        let joins = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
        let beside = |at: usize, end: usize| {
            let is_joined = written[..at].ends_with(joins) || written[end..].starts_with(joins);
            is_joined || written[..at].ends_with("},\"") || written[end..].starts_with("\",{")
        };
        let mut found = [KEYS[0], MINTED].into_iter().flat_map(|key| written.match_indices(key));
        found.any(|(at, key)| !beside(at, at + key.len()))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, rng_seed: RngSeed::Fixed(42), ..ProptestConfig::default() })]

        #[test]
        fn what_is_taken_out_comes_back(text in pieces(), other in pieces()) {
            let (written, filled) = hidden(|hide| hide.text(text.as_bytes()));
            let decoded = |text: &[u8]| percent_encoding::percent_decode(text).collect::<Vec<u8>>();
            prop_assert_eq!(decoded(&filled), decoded(text.as_bytes()));
            prop_assert!(!has_key(&written), "{}", written);

            let query = format!("a={text}&api_key={other}&b");
            let (written, filled) = hidden(|hide| hide.query(&query));
            let names = |query: &[u8]| form_urlencoded::parse(query).filter(|(name, _)| name != "api_key").map(|(name, value)| (name.into_owned(), value.into_owned())).collect::<Vec<_>>();
            prop_assert_eq!(names(&filled), names(query.as_bytes()));
            prop_assert!(!has_key(&written), "{}", written);

            let json = serde_json::json!({ "apiKey": KEYS[1], "a": [text, { &other: 1.5 }], "b": "demo-key-of-one" });
            for json in [json.to_string(), serde_json::to_string_pretty(&json).unwrap(), json.to_string().replace('k', "\\u006b")] {
                let (written, filled) = hidden(|hide| hide.body(json.as_bytes()));
                let value = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
                prop_assert_eq!(without_percent(value(&filled)), without_percent(value(json.as_bytes())));
                prop_assert!(!has_key(&written), "{}", written);
            }
        }
    }
}
