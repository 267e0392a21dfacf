//! Compares an answer with that of the run, and says in which parts they differ.

use std::fmt::Write;

use serde_json::Value;

use crate::bundle::format::{AnswerLine, How, Sent};
use crate::bundle::hide::Keyring;
use crate::pipeline::record::Outcome;

/// A part of an answer that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Such as `status`, `header retry-after` or `body /0/comments`.
    pub(crate) what: String,
    /// None where the answer does not have the part.
    pub(crate) expected: Option<String>,
    pub(crate) received: Option<String>,
}

/// How two answers differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) parts: Vec<Part>,
    /// Number of further members of the body that differ.
    pub(crate) more: usize,
}

/// Most members of a body that are listed.
const MOST_PARTS: usize = 8;
/// Most letters of a value that are shown.
const LONGEST: usize = 160;

impl Comparison {
    /// Compares an answer with the recorded one, as far as that was kept.
    pub(super) fn new(recorded: &AnswerLine, outcome: &Outcome, keys: &Keyring<'_>) -> Self {
        let mut comparison = Self::default();
        let mut compare = |what: &str, expected: Option<String>, received: Option<String>| {
            if expected != received {
                comparison.parts.push(Part { what: what.to_owned(), expected, received });
            }
        };
        let (reply, sent) = (&outcome.reply, Sent::of(&outcome.send_plan));
        compare("status", Some(recorded.status.to_string()), Some(reply.status.to_string()));
        compare("sent", Some(show_sent(&recorded.sent)), Some(show_sent(&sent)));
        let expected: Vec<(String, String)> = recorded
            .headers
            .iter()
            .map(|(name, value)| (keys.fill_text(name), keys.fill_text(value)))
            .collect();
        let received: Vec<(String, String)> =
            reply.headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        if expected != received {
            let mut names: Vec<&String> = expected.iter().chain(&received).map(|(name, _)| name).collect();
            names.sort();
            names.dedup();
            let values = |headers: &[(String, String)], name: &str| {
                let values =
                    headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
                let values: Vec<&str> = values.collect();
                (!values.is_empty()).then(|| values.join(", "))
            };
            for name in names {
                compare(&format!("header {name}"), values(&expected, name), values(&received, name));
            }
        }
        if let Some(body) = &recorded.body {
            comparison.compare_bodies(&keys.fill(body), recorded.body_bytes_not_kept, &reply.body);
        }
        comparison
    }

    pub(super) fn is_same(&self) -> bool {
        self.parts.is_empty()
    }

    /// Compares the bodies, of which `missing` bytes of the first were not kept.
    fn compare_bodies(&mut self, expected: &[u8], missing: usize, received: &[u8]) {
        let kept = received.get(..expected.len()).filter(|_| missing > 0).unwrap_or(received);
        let lengths = (expected.len() + missing, received.len());
        if expected == kept && lengths.0 == lengths.1 {
            return;
        }
        let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok().filter(|_| missing == 0);
        if let (Some(expected), Some(received)) = (json(expected), json(received)) {
            let before = self.parts.len();
            self.compare_values(&mut String::new(), (&expected, &received), "");
            if self.parts.len() > before {
                return;
            }
        }
        let at = expected.iter().zip(kept).take_while(|(one, other)| one == other).count();
        let what = format!("body, byte {at}");
        let rest = |bytes: &[u8], length: usize| {
            let rest = String::from_utf8_lossy(bytes.get(at..).unwrap_or_default()).into_owned();
            Some(if rest.is_empty() { format!("the end, after {length} bytes") } else { shortened(&rest) })
        };
        let (expected, received) = (rest(expected, lengths.0), rest(received, lengths.1));
        self.parts.push(Part { what, expected, received });
    }

    /// Lists the members in which two values differ. `record` names the record that has them.
    fn compare_values(&mut self, pointer: &mut String, (expected, received): (&Value, &Value), record: &str) {
        if expected == received {
            return;
        }
        let id = id_of(expected).filter(|id| id_of(received).as_ref() == Some(id));
        let record = id.unwrap_or_else(|| record.to_owned());
        let length = pointer.len();
        let mut child = |name: &str, expected: Option<&Value>, received: Option<&Value>| {
            let _ = write!(pointer, "/{}", name.replace('~', "~0").replace('/', "~1"));
            match (expected, received) {
                (Some(expected), Some(received)) => {
                    self.compare_values(pointer, (expected, received), &record);
                }
                (expected, received) => self.add(pointer, (expected, received), &record),
            }
            pointer.truncate(length);
        };
        match (expected, received) {
            (Value::Object(expected), Value::Object(received)) => {
                for (name, value) in expected {
                    child(name, Some(value), received.get(name));
                }
                for (name, value) in received.iter().filter(|(name, _)| !expected.contains_key(*name)) {
                    child(name, None, Some(value));
                }
            }
            (Value::Array(expected), Value::Array(received)) => {
                for index in 0..expected.len().max(received.len()) {
                    child(&index.to_string(), expected.get(index), received.get(index));
                }
            }
            _ => self.add(pointer, (Some(expected), Some(received)), &record),
        }
    }

    fn add(&mut self, pointer: &str, (expected, received): (Option<&Value>, Option<&Value>), record: &str) {
        if self.parts.len() >= MOST_PARTS {
            self.more += 1;
            return;
        }
        let shown = |value: Option<&Value>| value.map(|value| shortened(&value.to_string()));
        let mut what = format!("body {pointer}");
        if !record.is_empty() {
            let _ = write!(what, " ({record})");
        }
        self.parts.push(Part { what, expected: shown(expected), received: shown(received) });
    }
}

/// The id by which a record is known, such as `reviewId 12`.
fn id_of(value: &Value) -> Option<String> {
    let members = value.as_object()?;
    let name = ["reviewId", "questionId", "id"].into_iter().find(|name| members.contains_key(*name))?;
    let id = members.get(name)?;
    Some(format!("{name} {}", id.as_str().map_or_else(|| id.to_string(), str::to_owned)))
}

/// A text without its end, if it is long.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// How an answer was sent, in words.
fn show_sent(Sent { how, delay_ms }: &Sent) -> String {
    let how = match how {
        How::Whole => "whole".to_owned(),
        How::Reset => "reset of the connection".to_owned(),
        How::Close => "close of the connection".to_owned(),
        How::Stall { ms: None } => "stall".to_owned(),
        How::Stall { ms: Some(ms) } => format!("stall of {ms} ms"),
        How::Garbage { base64 } => format!("garbage {base64}"),
        How::Truncate { share } => format!("truncated to {}.{:04} %", share / 10_000, share % 10_000),
        How::Drip { bytes, every_ms } => format!("{bytes} bytes every {every_ms} ms"),
    };
    delay_ms.map_or_else(|| how.clone(), |ms| format!("{how}, after {ms} ms"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(expected: &str, missing: usize, received: &str) -> Vec<String> {
        let mut comparison = Comparison::default();
        comparison.compare_bodies(expected.as_bytes(), missing, received.as_bytes());
        let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let line = |part: Part| format!("{}: {} | {}", part.what, shown(part.expected), shown(part.received));
        let mut lines: Vec<String> = comparison.parts.into_iter().map(line).collect();
        lines.extend((comparison.more > 0).then(|| format!("and {} more", comparison.more)));
        lines
    }

    #[test]
    fn members_that_differ_are_named_by_pointer_and_record() {
        let (one, other) = (
            r#"[{"reviewId":"7","a/b":1,"c":{"d":"x"}},{"e":1}]"#,
            r#"[{"reviewId":"7","a/b":2,"c":{"d":"y"},"f":null}]"#,
        );
        assert_eq!(
            compared(one, 0, other),
            [
                "body /0/a~1b (reviewId 7): 1 | 2",
                "body /0/c/d (reviewId 7): \"x\" | \"y\"",
                "body /0/f (reviewId 7): - | null",
                "body /1: {\"e\":1} | -",
            ]
        );
        let list = |add: usize| format!("{:?}", (add..add + 20).collect::<Vec<_>>());
        assert_eq!(compared(&list(0), 0, &list(1)).last().unwrap(), "and 12 more");
    }

    #[test]
    fn bodies_that_are_no_json_or_the_same_json_are_told_by_their_bytes() {
        assert_eq!(compared("{\"a\":1}", 0, "{\"a\":1}"), [""; 0]);
        assert_eq!(compared("{\"a\":1}", 0, "{\"a\": 1}"), ["body, byte 5: 1} |  1}"]);
        assert_eq!(compared("abc", 0, "ab"), ["body, byte 2: c | the end, after 2 bytes"]);
    }

    #[test]
    fn a_body_that_was_cut_is_compared_as_far_as_it_was_kept_and_by_its_length() {
        assert_eq!(compared("[1,", 4, "[1,2,3]"), [""; 0]);
        assert_eq!(compared("[1,", 4, "[1,2,33]").len(), 1);
        assert_eq!(compared("[1,", 4, "[2,2,3]"), ["body, byte 1: 1, | 2,2,3]"]);
        assert_eq!(compared("[1,", 4, "[1").len(), 1);
    }
}
