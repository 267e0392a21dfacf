//! Expectations as plain values, validated by the loader.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use serde_json::Value;

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
    /// How many calls the client makes.
    Requests(Requests),
    /// Calls that the client makes in this order, one for each step.
    Order(Vec<CallPattern>),
    /// The calls that read a list to its end.
    Pages(CallPattern),
    /// Which contacts or subscriptions are stored in the end.
    Stored(Stored),
    /// How the client accepts its webhooks.
    Deliveries(Deliveries),
}

/// How the client continues after a certain answer. At least one of `wait`, `retries` and `grows` is given.
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
    /// How many times longer than the one before each wait is at least, in hundredths.
    pub(crate) grows: Option<u32>,
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
    /// From the first to the second.
    Between(Duration, Duration),
}

/// A range of counts, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountRange {
    pub(crate) min: u64,
    /// None means no upper limit.
    pub(crate) max: Option<u64>,
}

impl CountRange {
    pub(crate) fn contains(self, count: u64) -> bool {
        count >= self.min && self.max.is_none_or(|max| count <= max)
    }
}

impl Display for CountRange {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self.max {
            Some(max) if max == self.min => write!(out, "{max}"),
            Some(max) => write!(out, "{} to {max}", self.min),
            None => write!(out, "{} or more", self.min),
        }
    }
}

/// A condition on a call and its answer. A part holds if one of its values does, or if it has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CallPattern {
    /// Operations that are called.
    pub(crate) operations: Vec<Operation>,
    pub(crate) condition: Condition,
    /// Statuses of the answer.
    pub(crate) statuses: Vec<u16>,
    /// Codes in the error body of the answer.
    pub(crate) codes: Vec<u32>,
    /// Names of faults that took effect.
    pub(crate) faults: Vec<String>,
}

/// How many calls match.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Requests {
    pub(crate) calls: CallPattern,
    pub(crate) count: CountRange,
}

/// How many stored contacts or subscriptions have all of the given members.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stored {
    pub(crate) kind: StoredKind,
    /// By name, as the admin API has it.
    pub(crate) members: Vec<(&'static str, Vec<StoredValue>)>,
    /// Numbers of the account and of its locations, one of which the record must name. Empty means any.
    pub(crate) businesses: Vec<u64>,
    pub(crate) count: CountRange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredKind {
    Contact,
    Subscription,
}

/// A value that a member of a stored record may have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StoredValue {
    /// A text, a number or a flag.
    Is(Value),
    /// An object that has these members at least.
    Members(Vec<(&'static str, Vec<StoredValue>)>),
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
    /// Time from the first attempt within which the 2xx must arrive.
    pub(crate) within: Option<Duration>,
}
