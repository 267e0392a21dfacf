//! A call as expectations and rules see it, made from an entry of the journal.

use std::time::Duration;

use serde_json::Value;

use crate::api::call::KeyMatch;
use crate::api::field::without_bom;
use crate::api::operation::Operation;
use crate::expect::page::Page;
use crate::fault::effect::Kind;
use crate::journal::entry::{End, Entry};

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
    /// The JSON body. Null if it is empty or no JSON.
    pub(crate) body: Value,
    /// The key as the journal names it, such as `key:demo`. None without a key.
    pub(crate) key: Option<String>,
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
        let seconds = header("retry-after").and_then(|value| std::str::from_utf8(value).ok()?.parse().ok());
        let body = serde_json::from_slice(without_bom(sent.bytes())).unwrap_or_default();
        let answer = serde_json::from_slice(entry.decided_response()).unwrap_or_default();
        Self {
            page: Page::of(entry, &body, &answer),
            seq: facts.seq,
            operation: facts.operation(),
            method: sent.method.to_owned(),
            path: sent.path.to_owned(),
            query: sent
                .parameters()
                .filter(|(name, _)| name != "api_key")
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
            body,
            key: facts.keys.label(facts.key_match).filter(|_| facts.key_match != KeyMatch::None),
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
}
