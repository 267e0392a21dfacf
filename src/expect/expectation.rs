//! Expectations as plain values, validated by the loader.

use std::time::Duration;

use crate::api::operation::Operation;
use crate::fault::condition::Condition;

/// One thing expected of the client.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Its name in reports.
    pub name: String,
    pub requirement: Requirement,
}

/// What is expected.
#[derive(Clone, Debug, PartialEq)]
pub enum Requirement {
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
pub struct After {
    pub answer: Answer,
    /// Operations whose answers count. Empty means all.
    pub operations: Vec<Operation>,
    /// Which requests count as retries. None means the default: by request for injected faults, by key for the real rate
    /// limit.
    pub scope: Option<RetryScope>,
    /// How long the client waits before the next request.
    pub wait: Option<Wait>,
    /// How often the client retries.
    pub retries: Option<CountRange>,
}

/// An answer after which something is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// An answer with this code in its error body.
    Error(u32),
    /// An answer with this HTTP status.
    Status(u16),
    /// Any effect of the fault with this name.
    Fault(String),
}

/// Which requests count as retries of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryScope {
    /// Requests with the same fingerprint.
    Request,
    /// Requests with the same API key.
    Key,
}

/// How long a client waits before it retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// At least as long as the answer's `retry-after` header says.
    RetryAfter,
    AtLeast(Duration),
}

/// A range of counts, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountRange {
    pub min: u64,
    /// None means no upper limit.
    pub max: Option<u64>,
}

impl CountRange {
    pub fn contains(self, count: u64) -> bool {
        count >= self.min && self.max.is_none_or(|max| count <= max)
    }
}

/// How many stored contacts have all of the given values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contacts {
    pub id: Option<u64>,
    pub external_id: Option<String>,
    /// Email address, compared without case.
    pub email: Option<String>,
    pub phone: Option<String>,
    /// Number of the account.
    pub business: Option<u64>,
    pub count: CountRange,
}

/// How many requests match.
#[derive(Clone, Debug, PartialEq)]
pub struct Requests {
    /// Operations that are called. Empty means all.
    pub operations: Vec<Operation>,
    pub condition: Condition,
    pub count: CountRange,
}

/// How webhooks are accepted. At least one of `count` and `acknowledged` is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deliveries {
    /// Names of the events, never the alias. Empty means all.
    pub events: Vec<String>,
    /// Numbers of the accounts. Empty means all.
    pub businesses: Vec<u64>,
    pub count: Option<CountRange>,
    /// Minimum share of deliveries that get a 2xx, in parts per million.
    pub acknowledged: Option<u32>,
    /// Real time from the first attempt within which the 2xx must arrive.
    pub within: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_range_includes_both_ends() {
        let range = CountRange { min: 2, max: Some(3) };
        assert_eq!([1, 2, 3, 4].map(|count| range.contains(count)), [false, true, true, false]);
        assert!(CountRange { min: 4, max: None }.contains(9));
    }
}
