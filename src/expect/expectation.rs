//! Expectations as plain values, validated by the loader.

use std::time::Duration;

use crate::api::operation::Operation;
use crate::fault::condition::Condition;

/// One thing expected of the client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expectation {
    /// Its name in reports.
    pub(crate) name: String,
    pub(crate) requirement: Requirement,
}

/// What is expected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Requirement {
    /// How the client continues after a certain answer.
    After(After),
    /// Which contacts are stored in the end.
    Contacts(Contacts),
    /// Which requests the client makes.
    Requests(Requests),
    /// How the client accepts its webhooks.
    Deliveries(Deliveries),
}

/// How the client continues after a certain answer. At least one of `wait` and `retries` is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct After {
    pub(crate) answer: Answer,
    /// Operations whose answers count. Empty means all.
    pub(crate) operations: Vec<Operation>,
    /// Which requests count as retries. None means the default: by request for injected faults, by key for the real rate
    /// limit.
    pub(crate) scope: Option<RetryScope>,
    /// How long the client waits before the next request.
    pub(crate) wait: Option<Wait>,
    /// How often the client retries.
    pub(crate) retries: Option<CountRange>,
}

/// An answer after which something is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// An answer with this code in its error body.
    Error(u32),
    /// An answer with this HTTP status.
    Status(u16),
    /// Any effect of the fault with this name.
    Fault(String),
}

/// Which requests count as retries of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryScope {
    /// Requests with the same fingerprint.
    Request,
    /// Requests with the same API key.
    Key,
}

/// How long a client waits before it retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// At least as long as the answer's `retry-after` header says.
    RetryAfter,
    AtLeast(Duration),
}

/// A range of counts, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountRange {
    pub(crate) min: u64,
    /// None means no upper limit.
    pub(crate) max: Option<u64>,
}

/// How many stored contacts have all of the given values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contacts {
    pub(crate) id: Option<u64>,
    pub(crate) external_id: Option<String>,
    /// Email address, compared without case.
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    /// Number of the account.
    pub(crate) business: Option<u64>,
    pub(crate) count: CountRange,
}

/// How many requests match.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Requests {
    /// Operations that are called. Empty means all.
    pub(crate) operations: Vec<Operation>,
    pub(crate) condition: Condition,
    pub(crate) count: CountRange,
}

/// How webhooks are accepted. At least one of `count` and `acknowledged` is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deliveries {
    /// Names of the events, never the alias. Empty means all.
    pub(crate) events: Vec<String>,
    /// Numbers of the accounts. Empty means all.
    pub(crate) businesses: Vec<u64>,
    pub(crate) count: Option<CountRange>,
    /// Minimum share of deliveries that get a 2xx, in parts per million.
    pub(crate) acknowledged: Option<u32>,
    /// Real time from the first attempt within which the 2xx must arrive.
    pub(crate) within: Option<Duration>,
}
