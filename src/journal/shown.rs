//! Entries as JSON, for the admin side.

use serde_json::{Map, Value, json};

use crate::api::operation::Operation;
use crate::journal::entry::Entry;
use crate::journal::mask::Mask;

/// Where entries come from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Name of the world.
    pub world: &'a str,
    /// The key made with it.
    pub minted: Option<&'a str>,
}

/// An entry with its notes, as `control.md` has it: keys by name or place, bodies as JSON where they are.
#[must_use]
pub fn json(entry: &Entry, notes: &[String], origin: Origin<'_>) -> Value {
    let (facts, call) = (&entry.facts, entry.call());
    let mask = Mask::new(&facts.keys, origin.minted);
    let mut query = Map::new();
    for (name, value) in call.parameters() {
        put(&mut query, &name, mask.parameter(&name, &value));
    }
    let mut headers = Map::new();
    for (name, value) in &call.headers {
        put(&mut headers, name, mask.header(name, value));
    }
    let mut shown = json!({
        "seq": facts.seq,
        "at": facts.reading.now.iso(),
        "elapsedMs": milliseconds(facts.reading.elapsed),
        "world": origin.world,
        "operation": facts.operation().map(Operation::name),
        "key": facts.keys.label(facts.place),
        "method": call.method,
        "path": call.path,
        "query": query,
        "headers": headers,
        "body": mask.body(call.bytes()),
        "status": entry.status(),
        "code": facts.code,
        "response": response(entry),
        "fault": entry.fault(),
        "decision": facts.decision.as_ref().map(|decision| json!({
            "attempt": decision.attempt,
            "draw": decision.draw,
            "threshold": decision.threshold,
            "generation": decision.generation,
        })),
        "durationMs": entry.took().map(milliseconds),
        "notes": notes,
    });
    if entry.body_lost() > 0 {
        shown["bodyBytesNotKept"] = entry.body_lost().into();
    }
    shown
}

fn response(entry: &Entry) -> Value {
    if entry.status().is_none() {
        return Value::Null;
    }
    let mut headers = Map::new();
    for (name, value) in entry.response_headers() {
        put(&mut headers, name, String::from_utf8_lossy(value).into_owned());
    }
    let body = entry.response();
    let text = || Value::from(String::from_utf8_lossy(body));
    let body =
        if body.is_empty() { Value::Null } else { serde_json::from_slice(body).unwrap_or_else(|_| text()) };
    let mut shown = json!({ "headers": headers, "body": body });
    if entry.response_lost() > 0 {
        shown["bodyBytesNotKept"] = entry.response_lost().into();
    }
    shown
}

/// A name that comes again has a list of values.
fn put(members: &mut Map<String, Value>, name: &str, value: String) {
    match members.get_mut(name) {
        None => {
            members.insert(name.to_owned(), value.into());
        }
        Some(Value::Array(list)) => list.push(value.into()),
        Some(first) => *first = json!([first.take(), value]),
    }
}

/// Milliseconds, to the microsecond.
#[must_use]
pub fn milliseconds(span: std::time::Duration) -> f64 {
    (span.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}
