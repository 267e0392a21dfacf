//! Remarks on what the client did, as a reviewer would make them (`docs/api.md` 8). They are derived from the entries that
//! the journal holds when it is read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::api::call::{Call, KeyMatch};
use crate::api::dates::Day;
use crate::api::dialect::ToDate;
use crate::api::error::Code;
use crate::api::sources;
use crate::journal::entry::Entry;
use crate::operations::reviews::NOTHING_FROM;
use crate::operations::spec::StartIndex;

/// The notes of each entry, in the order of the entries.
pub(crate) fn of(entries: &[Arc<Entry>]) -> Vec<Vec<String>> {
    let mut before = Before::default();
    entries
        .iter()
        .map(|entry| {
            let call = entry.call();
            let mut notes = entry.facts.notes.clone();
            notes.extend(about_key(entry, &call));
            notes.extend(unknown_names(entry, &call));
            let reasons = empty_filters(entry, &call);
            if !reasons.is_empty() {
                notes.retain(|note| note != NOTHING_FROM);
            }
            notes.extend(reasons);
            notes.extend(before.remark(entry));
            notes.extend(past_the_end(entry, &call));
            notes
        })
        .collect()
}

fn about_key(entry: &Entry, call: &Call<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if call.parameter("api_key").is_some() {
        let beside = call.header("x-api-key").is_some_and(|key| !key.is_empty());
        let fate = if beside { "; the header's counted" } else { "" };
        notes.push(format!("the key was sent in the query, where logs and proxies see it{fate}"));
    }
    // The fetch of Node sends `sec-fetch-mode`, too.
    let from_page = ["origin", "sec-fetch-site"].iter().any(|name| call.header(name).is_some());
    if from_page && entry.facts.key_match != KeyMatch::None {
        notes.push("the key was used from a browser, where anybody can read it".to_owned());
    }
    notes
}

/// The note on a query parameter that an operation or a route does not have.
pub(crate) fn unknown_parameter(name: &str) -> String {
    format!("the query parameter {name} is unknown and was ignored")
}

/// Query parameters and body fields that the operation does not have.
fn unknown_names(entry: &Entry, call: &Call<'_>) -> Vec<String> {
    let Some(spec) = entry.facts.spec else { return Vec::new() };
    let known: Vec<_> = spec.parameters(&entry.facts.dialect).collect();
    let mut names: Vec<_> = call
        .parameters()
        .map(|(name, _)| name)
        .filter(|name| name != "api_key" && !known.contains(&name.as_ref()))
        .map(|name| unknown_parameter(&name))
        .collect();
    if let Ok(Value::Object(members)) = serde_json::from_slice(call.bytes()) {
        let unknown = members.keys().filter(|name| !spec.fields().any(|field| field == *name));
        names.extend(unknown.map(|name| format!("the field {name} is unknown and was ignored")));
    }
    names
}

/// Filters of a review list or of an insight that can match nothing: a range of days that ends before it begins or lies after
/// today, and sources that do not exist.
fn empty_filters(entry: &Entry, call: &Call<'_>) -> Vec<String> {
    let Some(spec) = entry.facts.spec else { return Vec::new() };
    let Ok(Value::Object(body)) = serde_json::from_slice(call.bytes()) else { return Vec::new() };
    let has = |field: &str| spec.fields().any(|known| known == field);
    let mut notes = Vec::new();
    let dialect = &entry.facts.dialect;
    let is_competitor =
        call.parameter(&dialect.names.competitor).is_some_and(|it| it.eq_ignore_ascii_case("true"));
    let ends_before = match dialect.to_date {
        ToDate::Inclusive => false,
        ToDate::Exclusive => true,
        ToDate::ExclusiveForOwn => !is_competitor,
    };
    let day = |field: &str| {
        let given = body.get(field).filter(|_| has(field));
        Day::from_request(given?.as_str()?)
    };
    let today = entry.facts.reading.now.day();
    for field in ["fromDate", "updateFromDate", "startDate"] {
        if day(field).is_some_and(|first| first > today) {
            notes.push(format!(
                "{field} is after the world's day, {}, so that nothing but records of the future can match",
                today.iso()
            ));
        }
    }
    if let (Some(written), Some(updated)) = (day("fromDate"), day("updateToDate"))
        && updated < written
    {
        notes.push("updateToDate is before fromDate, so that nothing can match".to_owned());
    }
    for (from, to) in [("fromDate", "toDate"), ("updateFromDate", "updateToDate")] {
        if let (Some(first), Some(last)) = (day(from), day(to)) {
            if first > last {
                notes.push(format!("{from} is after {to}, so that nothing can match"));
            } else if first == last && ends_before {
                notes.push(format!("{to} is not included, so that from {from} on nothing can match"));
            }
        }
    }
    for field in ["sources", "reviewSources"] {
        let listed: Vec<&str> = body
            .get(field)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let unknown: Vec<&str> =
            listed.iter().copied().filter(|name| sources::find(&dialect.sources, name).is_none()).collect();
        if has(field) && !unknown.is_empty() {
            let all = if unknown.len() == listed.len() { ", so that nothing can match" } else { "" };
            let names: Vec<String> = unknown.iter().take(5).map(|name| cut(name)).collect();
            let are = if unknown.len() == 1 { "is no source" } else { "are no sources" };
            notes.push(format!("{field}: {} {are} of this scenario{all}", names.join(", ")));
        }
    }
    notes
}

/// A text of a client, cut if it is long.
fn cut(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The answers to earlier calls.
#[derive(Default)]
struct Before {
    /// The last answer by fingerprint.
    by_call: BTreeMap<u64, Last>,
    /// The last 89 of the rate limit by key. An injected 89 does not count.
    by_key: BTreeMap<String, Last>,
}

#[derive(Clone)]
struct Last {
    seq: u64,
    code: Option<u32>,
    status: Option<u16>,
    /// Time since the world's start, by the world's clock and by real time.
    at: [Duration; 2],
    /// The `Retry-After` of the answer.
    wait: Option<Duration>,
}

impl Before {
    fn remark(&mut self, entry: &Entry) -> Vec<String> {
        let facts = &entry.facts;
        if facts.operation.is_none() {
            return Vec::new();
        }
        let (print, key) = (facts.fingerprint, facts.keys.label(facts.key_match).unwrap_or_default());
        let mut notes = Vec::new();
        let last = self.by_call.get(&print);
        let soon = last
            .filter(|last| too_soon(last, entry))
            .or_else(|| self.by_key.get(&key).filter(|last| too_soon(last, entry)));
        if let Some(last) = soon {
            let wait = last.wait.unwrap_or_default().as_secs();
            notes.push(format!(
                "sent sooner than the Retry-After of {wait} s that call {} was answered",
                last.seq
            ));
        }
        if let Some(last) = last.filter(|last| is_final(last)) {
            let why = last.code.or(last.status.map(u32::from)).unwrap_or_default();
            notes.push(format!(
                "call {} was the same and was answered {why}, which no repetition mends",
                last.seq
            ));
        }
        let header =
            |name: &str| entry.response_headers().find(|(known, _)| *known == name).map(|(_, value)| value);
        let seconds = header("retry-after").and_then(|value| std::str::from_utf8(value).ok()?.parse().ok());
        let now = Last {
            seq: facts.seq,
            code: facts.code,
            status: entry.status(),
            at: moment(entry),
            wait: seconds.map(Duration::from_secs),
        };
        if facts.code == Some(Code::RateLimited.row().number) && entry.fault().is_none() {
            self.by_key.insert(key, now.clone());
        }
        self.by_call.insert(print, now);
        notes
    }
}

fn moment(entry: &Entry) -> [Duration; 2] {
    [entry.facts.reading.since_start(), entry.facts.reading.elapsed]
}

/// Whether by neither clock the client waited as long as it was asked to.
fn too_soon(last: &Last, entry: &Entry) -> bool {
    let waited = |now: Duration, then: Duration| now.saturating_sub(then);
    let [world, real] = moment(entry);
    last.wait.is_some_and(|wait| waited(world, last.at[0]) < wait && waited(real, last.at[1]) < wait)
}

/// Whether repeating the call can only get the same answer.
fn is_final(last: &Last) -> bool {
    last.status.is_some_and(|status| (400..500).contains(&status) && !matches!(status, 408 | 425 | 429))
}

/// A remark where the page asked for begins behind the last element.
fn past_the_end(entry: &Entry, call: &Call<'_>) -> Option<String> {
    let spec = entry.facts.spec.filter(|_| entry.status() == Some(200))?;
    let paging = spec.paging.as_ref()?;
    let dialect = &entry.facts.dialect;
    let start = match &paging.start {
        StartIndex::Query(name) => number(&call.parameter(name.get(dialect))?)?,
        StartIndex::Body(name) => {
            let body: Value = serde_json::from_slice(call.bytes()).ok()?;
            let start = body.get(name)?;
            start.as_u64().or_else(|| number(start.as_str()?))?
        }
    };
    let answer: Value = serde_json::from_slice(entry.response()).ok()?;
    if let Some(member) = paging.total {
        let total = answer.get(member)?.as_u64()?;
        return (start > 0 && start >= total)
            .then(|| format!("the page from {start} is behind the last of {total}"));
    }
    let count = paging.count.and_then(|name| number(&call.parameter(name.get(dialect))?));
    (start > 0 && count != Some(0) && answer.as_array()?.is_empty())
        .then(|| format!("the page from {start} is behind the last {}", paging.element))
}

fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}
