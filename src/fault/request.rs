//! A request as faults see it: what conditions look at, and the fingerprint that a request and its retries have in common
//! (`docs/api.md` 6). The JSON and the fingerprint are computed when they are first needed.

use std::borrow::Cow;
use std::cell::OnceCell;

use serde_json::Value;

use crate::api::call::{Call, KeyMatch};
use crate::api::dialect::Dialect;
use crate::api::field::without_bom;
use crate::api::operation::Operation;
use crate::draw::{Draw, Seed};
use crate::fault::condition::Condition;
use crate::fault::matching::{Accept, accepts_json, accepts_text};
use crate::fault::prefer;

#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) operation: Operation,
    /// The path parameter, decoded, and empty where the path has none.
    pub(crate) parameter: &'a str,
    pub(crate) call: &'a Call<'a>,
    pub(crate) dialect: &'a Dialect,
    pub(crate) key: Option<&'a str>,
    pub(crate) key_match: KeyMatch,
    /// Values of the parameters in the path of a route.
    path_values: Vec<Cow<'a, str>>,
    json: OnceCell<Option<Value>>,
    fingerprint: OnceCell<u64>,
}

impl<'a> Request<'a> {
    pub(crate) fn new(
        (operation, parameter): (Operation, &'a str),
        call: &'a Call<'a>,
        dialect: &'a Dialect,
        (key, key_match): (Option<&'a str>, KeyMatch),
    ) -> Self {
        let (json, fingerprint) = (OnceCell::new(), OnceCell::new());
        let path_values = Vec::new();
        Self { operation, parameter, call, dialect, key, key_match, path_values, json, fingerprint }
    }

    /// The same with the values of the parameters in the path of a route.
    pub(crate) fn with_path_values(self, path_values: Vec<Cow<'a, str>>) -> Self {
        Self { path_values, ..self }
    }

    pub(crate) fn json(&self) -> Option<&Value> {
        self.json.get_or_init(|| serde_json::from_slice(without_bom(self.call.bytes())).ok()).as_ref()
    }

    /// Whether the body says that it is JSON, and is not.
    pub(crate) fn is_malformed(&self) -> bool {
        let kind = self.call.media_type();
        let says_json = matches!(kind.as_str(), "application/json" | "text/json") || kind.ends_with("+json");
        says_json && !self.call.bytes().is_empty() && self.json().is_none()
    }

    pub(crate) fn meets(&self, condition: &Condition) -> bool {
        let Condition { keys, businesses, headers, query, body, fingerprints } = condition;
        let key = || self.key.is_some_and(|sent| keys.iter().any(|key| key == sent));
        let sent = |name: &str, accepted: &[Accept<String>]| {
            accepts_text(accepted, self.call.header(name).as_deref())
        };
        let asked = |name: &str, accepted: &[Accept<String>]| {
            accepts_text(accepted, self.call.parameter(name).as_deref())
        };
        (keys.is_empty() || key())
            && headers.iter().all(|(name, values)| sent(name, values))
            && query.iter().all(|(name, values)| asked(name, values))
            && (businesses.is_empty() || self.businesses().iter().any(|named| businesses.contains(named)))
            && body.iter().all(|(pointer, accepted)| {
                accepts_json(accepted, self.json().and_then(|json| pointer.find(json)))
            })
            && (fingerprints.is_empty() || fingerprints.iter().any(|known| known.begins(self.fingerprint())))
    }

    /// The business numbers that it names anywhere a request can.
    pub(crate) fn businesses(&self) -> Vec<u64> {
        let number = |text: &str| {
            let text = text.trim();
            text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
        };
        let value = |value: &Value| match value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => number(text),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        let mut numbers = Vec::new();
        numbers.extend(number(self.parameter));
        numbers.extend(self.path_values.iter().filter_map(|value| number(value)));
        let names = [self.dialect.names.business.as_str(), "businessId", "bid", "pid"];
        // The six operations have one name for it, other operations of the platform several.
        let names = if self.operation.is_route() { &names[..] } else { &names[..1] };
        numbers.extend(names.iter().filter_map(|name| number(&self.call.parameter(name)?)));
        numbers.extend(self.call.header("x-business-number").and_then(|sent| number(&sent)));
        if let Some(json) = self.json() {
            numbers.extend(json.get("businessNumber").and_then(value));
            let list = json.get("businessNumbers").and_then(Value::as_array);
            numbers.extend(list.into_iter().flatten().filter_map(value));
        }
        numbers
    }

    /// Whether it asks for this fault with `Prefer: fault=<name>`. Several headers are one list.
    pub(crate) fn prefers(&self, fault: &str) -> bool {
        let mut values = self.call.headers.iter().filter(|(name, _)| *name == "prefer");
        let named = |value: &[u8]| {
            prefer::preferred(&String::from_utf8_lossy(value)).map(|preferred| preferred == fault)
        };
        values.find_map(|(_, value)| named(value)).unwrap_or(false)
    }

    /// Hash of operation, path, method (unless it is POST), sorted query, canonical body and the place of the key among the scenario's keys.
    pub(crate) fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let mut draw =
                Draw::new(Seed(0), "fingerprint").with_text(self.operation.name()).with_text(self.path());
            if self.call.method != "POST" {
                draw = draw.with_text(self.call.method);
            }
            let mut query: Vec<_> = self.call.parameters().filter(|(name, _)| name != "api_key").collect();
            query.sort();
            draw = draw.with(query.len() as u64);
            for (name, value) in query {
                draw = draw.with_text(&name).with_text(&value);
            }
            draw = match self.json() {
                Some(json) => canonical(&draw.with(1), json, true),
                None => bytes(&draw.with(2), without_bom(self.call.bytes())),
            };
            draw = match self.key_match {
                KeyMatch::Listed(place) => draw.with(3).with(place as u64),
                KeyMatch::Any => draw.with(4),
                KeyMatch::Minted => draw.with(7),
                KeyMatch::Unknown => draw.with(5),
                KeyMatch::None => draw.with(6),
            };
            draw.number()
        })
    }

    fn path(&self) -> &str {
        let path = self.call.path.strip_prefix("/resources").unwrap_or(self.call.path);
        path.strip_suffix('/').unwrap_or(path)
    }
}

fn bytes(draw: &Draw, bytes: &[u8]) -> Draw {
    let draw = draw.with(bytes.len() as u64);
    bytes.chunks(8).fold(draw, |draw, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        draw.with(u64::from_le_bytes(word))
    })
}

/// Hashes a JSON value with sorted members. `apiKey` at the top level is left out.
fn canonical(draw: &Draw, value: &Value, top: bool) -> Draw {
    match value {
        Value::Null => draw.with(0),
        Value::Bool(flag) => draw.with(1).with((*flag).into()),
        Value::Number(number) => draw.with(2).with_text(&number.to_string()),
        Value::String(text) => draw.with(3).with_text(text),
        Value::Array(list) => list
            .iter()
            .fold(draw.with(4).with(list.len() as u64), |draw, value| canonical(&draw, value, false)),
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().filter(|(name, _)| !(top && *name == "apiKey")).collect();
            members.sort_by_key(|(name, _)| *name);
            members
                .into_iter()
                .fold(draw.with(5), |draw, (name, value)| canonical(&draw.with_text(name), value, false))
                .with(6)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::call::Body;

    fn call<'a>(path: &'a str, query: &'a str, body: &'a str) -> Call<'a> {
        Call {
            method: "POST",
            path,
            query,
            headers: vec![
                ("x-business-number", b"900"),
                ("prefer", b"respond-async"),
                ("prefer", b"x=1, fault=\"b\", fault=c"),
                ("prefer", b"Fault=a; x=1"),
            ],
            body: Body::Whole(body.as_bytes()),
            connection: 0,
        }
    }

    fn print(path: &str, query: &str, body: &str, place: KeyMatch) -> u64 {
        let (call, dialect) = (call(path, query, body), Dialect::default());
        Request::new((Operation::new("qna"), ""), &call, &dialect, (None, place)).fingerprint()
    }

    #[test]
    fn ways_of_writing_one_request_have_one_fingerprint() {
        let one = print("/v1/qna/unanswered/get", "a=1&b=%20x", r#"{"a":1,"b":[1,2]}"#, KeyMatch::None);
        for (path, query, body) in [
            ("/resources/v1/qna/unanswered/get/", "b=+x&a=1", r#"{ "b":[1,2], "a":1 }"#),
            ("/v1/qna/unanswered/get", "api_key=k&a=1&b=%20x", r#"{"apiKey":"k","a":1,"b":[1,2]}"#),
            ("/v1/qna/unanswered/get", "a=1&b=%20x", "\u{feff}{\"a\":1,\"b\":[1,2]}"),
        ] {
            assert_eq!(print(path, query, body, KeyMatch::None), one);
        }
        for (query, body, place) in [
            ("a=1", r#"{"a":1,"b":[1,2]}"#, KeyMatch::None),
            ("a=1&b=%20x", r#"{"a":1,"b":[2,1]}"#, KeyMatch::None),
            ("a=1&b=%20x", r#"{"a":"1","b":[1,2]}"#, KeyMatch::None),
            ("a=1&b=%20x", r#"{"a":1,"b":[1,2]"#, KeyMatch::None),
            ("a=1&b=%20x", r#"{"a":1,"b":[1,2]}"#, KeyMatch::Listed(0)),
        ] {
            assert_ne!(print("/v1/qna/unanswered/get", query, body, place), one, "{query} {body}");
        }
    }

    #[test]
    fn a_business_is_seen_wherever_it_stands() {
        let dialect = Dialect::default();
        for (parameter, query, body, number) in [
            ("200", "", "", 200),
            ("", "businessId=201", "", 201),
            ("", "", r#"{"businessNumber":"202"}"#, 202),
            ("", "", r#"{"businessNumbers":[1,"203"]}"#, 203),
            ("", "", "", 900),
            (" 0204 ", "", "", 204),
        ] {
            let call = call("/", query, body);
            let request =
                Request::new((Operation::new("qna"), parameter), &call, &dialect, (None, KeyMatch::None));
            let on = |number| Condition { businesses: vec![7, number], ..Condition::default() };
            assert!(request.meets(&on(number)) && !request.meets(&on(5)), "{number}");
        }
    }

    #[test]
    fn of_the_preferences_in_all_headers_the_first_counts() {
        let (call, dialect) = (call("/", "", ""), Dialect::default());
        let request = Request::new((Operation::new("qna"), ""), &call, &dialect, (None, KeyMatch::None));
        assert!(request.prefers("b"));
        assert!(!request.prefers("a") && !request.prefers("c") && !request.prefers("respond-async"));
    }
}
