//! A call as expectations and rules see it, made from an entry of the journal.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::call::{KeyMatch, decode};
use crate::api::field::without_bom;
use crate::api::operation::Operation;
use crate::api::query::AnsweredPage;
use crate::expect::page::Page;
use crate::fault::effect::Kind;
use crate::fault::request::Request;
use crate::journal::entry::{End, Entry};
use crate::operations::spec::{KeyIn, Spec};
use crate::{api, auth, operations};

/// One HTTP exchange. Times are since the start of the world's run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// Number of arrival in its world, from 1.
    pub(crate) seq: u64,
    /// None where nothing is at the path.
    pub(crate) operation: Option<Operation>,
    pub(crate) method: String,
    /// Without the world's name, percent-encoded as sent.
    pub(crate) path: String,
    /// Query parameters with their values, decoded, in the order sent, without the deprecated `api_key`.
    pub(crate) query: Vec<(String, String)>,
    /// Headers with their values, names in lower case, in the order sent.
    pub(crate) headers: Vec<(String, String)>,
    /// The JSON body. Null if it is empty or no JSON.
    pub(crate) body: Value,
    /// Business numbers that it names anywhere a call can.
    pub(crate) businesses: Vec<u64>,
    /// The key as the journal names it, such as `key:demo`. None without a key.
    pub(crate) key: Option<String>,
    /// The key as it was sent, to compare it. It is never shown.
    pub(crate) sent_key: Option<String>,
    /// Whether a key was sent in the query.
    pub(crate) has_key_in_query: bool,
    pub(crate) fingerprint: u64,
    /// How often the fingerprint was seen, from 1.
    pub(crate) attempt: u32,
    /// Number of the TCP connection.
    pub(crate) connection: u64,
    /// Arrival by real time.
    pub(crate) arrived: Duration,
    /// Arrival by the world's clock.
    pub(crate) arrived_in_world: Duration,
    /// How the exchange ended, by real time. None while it is under way.
    pub(crate) end: Option<CallEnd>,
    /// The status that the client got.
    pub(crate) status: Option<u16>,
    /// Code in the error body.
    pub(crate) code: Option<u32>,
    /// Name of the fault that took effect, else of the last delay.
    pub(crate) fault: Option<String>,
    /// What faults did to the call.
    pub(crate) effect: Option<Kind>,
    /// The `retry-after` of the answer.
    pub(crate) retry_after: Option<Duration>,
    /// The JSON body of the answer, also of one that a fault has lost. Null if it is no JSON, such as one cut by a fault.
    pub(crate) answer: Value,
    /// The page that it asked for, if the operation answers pages.
    pub(crate) page: Option<Page>,
    /// The list of which it asks for a page. None for an operation without pages.
    pub(crate) list: Option<List>,
}

/// The list of which a call asks for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List {
    /// What calls for pages of one list have in common: the path, and query and body without start index and count.
    pub(crate) id: String,
    /// The page that the operation answered, whether or not the client got it.
    pub(crate) page: Option<AnsweredPage>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallEnd {
    /// The whole answer was written, or a fault ended the connection.
    Answered(Duration),
    /// The client closed the connection before it had its whole answer.
    HungUp(Duration),
}

impl CallEnd {
    /// When that was, by real time since the world's start.
    pub(crate) const fn at(self) -> Duration {
        match self {
            Self::Answered(at) | Self::HungUp(at) => at,
        }
    }
}

impl Call {
    pub(crate) fn new(entry: &Entry) -> Self {
        let (facts, sent) = (&entry.facts, entry.call());
        let since_start = |after| facts.reading.elapsed.saturating_add(after);
        let header =
            |name: &str| entry.response_headers().find(|(known, _)| *known == name).map(|(_, value)| value);
        let key = sent_key(entry, &sent);
        let parameter = operations::at(sent.path).map(|(_, parameter)| decode(parameter)).unwrap_or_default();
        let operation = facts.operation().unwrap_or(Operation::new(""));
        let request =
            Request::new((operation, &parameter), &sent, &facts.dialect, (key.as_deref(), facts.key_match))
                .with_path_values(facts.path_values.iter().map(|value| value.as_str().into()).collect());
        let body: Value = serde_json::from_slice(without_bom(sent.bytes())).unwrap_or_default();
        let query: Vec<(String, String)> = sent
            .parameters()
            .filter(|(name, _)| name != "api_key")
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        let seconds = header("retry-after").and_then(|value| std::str::from_utf8(value).ok()?.parse().ok());
        let answer = serde_json::from_slice(entry.decided_response()).unwrap_or_default();
        Self {
            page: Page::of(entry, &body, &answer),
            seq: facts.seq,
            operation: facts.operation(),
            method: sent.method.to_owned(),
            path: sent.path.to_owned(),
            list: list(entry, &query, &body),
            query,
            headers: sent
                .headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), String::from_utf8_lossy(value).into_owned()))
                .collect(),
            body,
            businesses: request.businesses(),
            key: facts.keys.label(facts.key_match).filter(|_| facts.key_match != KeyMatch::None),
            sent_key: key,
            has_key_in_query: sent.parameter("api_key").is_some(),
            fingerprint: facts.fingerprint,
            attempt: facts.attempt,
            connection: sent.connection,
            arrived: facts.reading.elapsed,
            arrived_in_world: facts.reading.since_start(),
            end: entry.ended().map(|end| match end {
                End::Answered(after) => CallEnd::Answered(since_start(after)),
                End::HungUp(after) => CallEnd::HungUp(since_start(after)),
            }),
            status: entry.status(),
            code: facts.code,
            fault: entry.fault().map(str::to_owned),
            effect: facts.effect,
            retry_after: seconds.map(Duration::from_secs),
            answer,
        }
    }

    /// The code in the error body that the client got. A fault may have lost the answer.
    pub(crate) fn received_code(&self) -> Option<u32> {
        self.code.filter(|_| self.status.is_some())
    }
}

/// The key that was sent where the operation takes it.
fn sent_key(entry: &Entry, sent: &api::call::Call<'_>) -> Option<String> {
    let key = match entry.facts.spec {
        Some(Spec { key: KeyIn::Body(read), .. }) => read(sent).ok().flatten(),
        Some(_) | None => auth::sent_key(sent, &entry.facts.dialect).map(Cow::into_owned),
    };
    key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty())
}

fn list(entry: &Entry, query: &[(String, String)], body: &Value) -> Option<List> {
    let facts = &entry.facts;
    let paging = facts.spec?.paging.as_ref()?;
    let mut query: Vec<_> =
        query.iter().filter(|(name, _)| !paging.is_in_query(name, &facts.dialect)).collect();
    query.sort();
    let mut body = body.clone();
    if let Some(members) = body.as_object_mut() {
        for field in paging.fields() {
            members.remove(field);
        }
    }
    // No body asks for the same as an empty one.
    let body = if body.is_null() { json!({}) } else { body };
    Some(List { id: json!([entry.call().path, query, body]).to_string(), page: facts.page })
}
