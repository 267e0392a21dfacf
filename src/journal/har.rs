//! Entries as an HTTP archive, HAR 1.2 (<http://www.softwareishard.com/blog/har-12-spec/>), which browser tools can open.

use serde_json::{Value, json};

use crate::api::operation::Operation;
use crate::journal::entry::Entry;
use crate::journal::json::{Origin, milliseconds};
use crate::journal::mask::Mask;

/// What stands before and after the entries of an archive.
pub(crate) const AROUND: (&str, &str) = (
    concat!(
        r#"{"log":{"version":"1.2","creator":{"name":"standin","version":""#,
        env!("CARGO_PKG_VERSION"),
        r#""},"entries":["#
    ),
    "]}}",
);

fn pairs<'a>(list: impl Iterator<Item = (String, String)> + 'a) -> Vec<Value> {
    list.map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

/// An entry of an archive with its notes. A call without an answer has status 0, as browsers write it.
pub(crate) fn entry_json(entry: &Entry, notes: &[String], origin: Origin<'_>) -> Value {
    let (facts, call) = (&entry.facts, entry.call());
    let mask = Mask::new(&facts.keys, origin.minted, origin.secrets);
    let host = call.header("host").unwrap_or_default();
    let world = if facts.prefixed { format!("/w/{}", origin.world) } else { String::new() };
    let query = mask.query(call.query);
    let before = if query.is_empty() { "" } else { "?" };
    let sent = call.parameters().map(|(name, value)| {
        let value = mask.parameter(&name, &value);
        (mask.text(&name).into_owned(), value)
    });
    let headers =
        call.headers.iter().map(|(name, value)| (mask.text(name).into_owned(), mask.header(name, value)));
    let took = milliseconds(entry.duration().unwrap_or_default());
    let mut request = json!({
        "method": call.method,
        "url": format!("http://{host}{world}{}{before}{query}", mask.text(call.path)),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": pairs(headers),
        "queryString": pairs(sent),
        "headersSize": -1,
        "bodySize": call.bytes().len() + entry.body_lost(),
    });
    if !call.bytes().is_empty() {
        let kind = call.header("content-type").unwrap_or_default();
        request["postData"] = json!({ "mimeType": kind, "text": mask.body_text(call.bytes()) });
    }
    json!({
        "startedDateTime": facts.reading.now.iso(),
        "time": took,
        "request": request,
        "response": response(entry, &mask),
        "cache": {},
        "timings": { "send": 0, "wait": took, "receive": 0 },
        "comment": mask.text(&notes.join("\n")),
        "_seq": facts.seq,
        "_world": origin.world,
        "_operation": facts.operation().map(Operation::name),
        "_fault": entry.fault(),
    })
}

fn response(entry: &Entry, mask: &Mask<'_>) -> Value {
    let status = entry.status();
    let header = |name: &str| {
        let found = entry.response_headers().find(|(known, _)| *known == name).filter(|_| status.is_some());
        found.map(|(name, value)| mask.header(name, value)).unwrap_or_default()
    };
    let headers = entry
        .response_headers()
        .filter(|_| status.is_some())
        .map(|(name, value)| (name.to_owned(), mask.header(name, value)));
    let size = entry.response().len() + entry.response_lost();
    json!({
        "status": status.unwrap_or_default(),
        "statusText": "",
        "httpVersion": if status.is_some() { "HTTP/1.1" } else { "" },
        "cookies": [],
        "headers": pairs(headers),
        "content": {
            "size": size,
            "mimeType": header("content-type"),
            "text": mask.body_text(entry.response()),
        },
        "redirectURL": header("location"),
        "headersSize": -1,
        "bodySize": size,
    })
}
