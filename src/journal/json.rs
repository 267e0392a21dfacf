//! Entries as JSON, as the admin API shows them.

use serde_json::{Map, Value, json};

use crate::api::operation::Operation;
use crate::journal::entry::{End, Entry};
use crate::journal::mask::Mask;
use crate::journal::secrets::Secrets;

/// The world that entries come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    pub(crate) world: &'a str,
    /// The key that was minted for it.
    pub(crate) minted: Option<&'a str>,
    pub(crate) secrets: &'a Secrets,
}

/// How the faults decided on a call; null if none counted it.
pub(crate) fn decision_json(entry: &Entry) -> Value {
    entry.facts.decision.as_ref().map_or(Value::Null, |decision| {
        json!({
            "attempt": decision.attempt,
            "draw": decision.draw,
            "threshold": decision.threshold,
            "generation": decision.generation,
        })
    })
}

/// An entry with its notes. Keys are replaced by their names, and bodies are parsed if they are JSON.
pub(crate) fn entry_json(entry: &Entry, notes: &[String], origin: Origin<'_>) -> Value {
    let call = entry.call();
    let mask = Mask::new(&entry.facts.keys, origin.minted, origin.secrets);
    let mut headers = Map::new();
    for (name, value) in &call.headers {
        put(&mut headers, &mask.text(name), mask.header(name, value));
    }
    let mut json = brief_json(entry, notes, origin);
    json["headers"] = headers.into();
    json["body"] = mask.body(call.bytes());
    json["response"] = response(entry, &mask);
    if entry.body_lost() > 0 {
        json["bodyBytesNotKept"] = entry.body_lost().into();
    }
    json
}

/// An entry with its notes, without headers and bodies.
pub(crate) fn brief_json(entry: &Entry, notes: &[String], origin: Origin<'_>) -> Value {
    let (facts, call) = (&entry.facts, entry.call());
    let mask = Mask::new(&facts.keys, origin.minted, origin.secrets);
    let mut query = Map::new();
    for (name, value) in call.parameters() {
        put(&mut query, &mask.text(&name), mask.parameter(&name, &value));
    }
    let since_start = |after| milliseconds(facts.reading.elapsed + after);
    let (answered, hung_up) = match entry.ended() {
        None => (None, None),
        Some(End::Answered(after)) => (Some(since_start(after)), None),
        Some(End::HungUp(after)) => (None, Some(since_start(after))),
    };
    json!({
        "seq": facts.seq,
        "at": facts.reading.now.iso(),
        "elapsedMs": milliseconds(facts.reading.elapsed),
        "world": origin.world,
        "operation": facts.operation().map(Operation::name),
        "key": facts.keys.label(facts.key_match),
        "fingerprint": format!("{:016x}", facts.fingerprint),
        "attempt": facts.attempt,
        "connection": call.connection,
        "method": call.method,
        "path": mask.text(call.path),
        "query": query,
        "status": entry.status(),
        "code": facts.code,
        "fault": entry.fault(),
        "decision": decision_json(entry),
        "durationMs": entry.duration().map(milliseconds),
        "answeredMs": answered,
        "hungUpMs": hung_up,
        "notes": notes.iter().map(|note| mask.text(note)).collect::<Vec<_>>(),
    })
}

fn response(entry: &Entry, mask: &Mask<'_>) -> Value {
    if entry.status().is_none() {
        return Value::Null;
    }
    let mut headers = Map::new();
    for (name, value) in entry.response_headers() {
        put(&mut headers, name, mask.header(name, value));
    }
    let body = mask.body(entry.response());
    let mut json = json!({ "headers": headers, "body": body });
    if entry.response_lost() > 0 {
        json["bodyBytesNotKept"] = entry.response_lost().into();
    }
    json
}

/// Adds a member. A repeated name gets a list of values.
fn put(members: &mut Map<String, Value>, name: &str, value: String) {
    match members.get_mut(name) {
        None => {
            members.insert(name.to_owned(), value.into());
        }
        Some(Value::Array(list)) => list.push(value.into()),
        Some(first) => *first = json!([first.take(), value]),
    }
}

/// Milliseconds, rounded to the microsecond.
pub(crate) fn milliseconds(span: std::time::Duration) -> f64 {
    (span.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}
