//! What a well-behaved client does (`scenarios.md`, "Expectations"). Plain values, checked by the loader.

use std::time::Duration;

use crate::api::operation::Operation;
use crate::fault::condition::Condition;

/// One thing expected of the client.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Its name in reports.
    pub name: String,
    /// What is expected.
    pub demand: Demand,
}

/// What is expected.
#[derive(Clone, Debug, PartialEq)]
pub enum Demand {
    /// How the client goes on after an answer.
    After(After),
    /// What contacts are stored in the end.
    Contacts(Contacts),
    /// What requests it makes.
    Requests(Requests),
    /// How it takes its webhooks.
    Deliveries(Deliveries),
}

/// How the client goes on after an answer; `wait` or `retries` or both are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// After which.
    pub answer: Answer,
    /// Of which operations; none means all.
    pub operations: Vec<Operation>,
    /// Where the next request is looked for; none means the default: the request for injected faults, the key for the
    /// real rate limit.
    pub of: Option<Of>,
    /// How long it waits before the next.
    pub wait: Option<Wait>,
    /// How often it tries again.
    pub retries: Option<Amount>,
}

/// An answer that something is expected after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// One with this code in its error body.
    Error(u32),
    /// One with this HTTP status.
    Status(u16),
    /// Whatever the fault of this name does.
    Fault(String),
}

/// Where the next request is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Among those of the same fingerprint.
    Request,
    /// Among those of the same key.
    Key,
}

/// How long a client waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// As long as the answer's `retry-after` says.
    RetryAfter,
    /// At least so long.
    AtLeast(Duration),
}

/// A number of things, both ends included; without an upper end, any number from the lower one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// At least.
    pub least: u64,
    /// At most.
    pub most: Option<u64>,
}

impl Amount {
    /// Whether so many are as expected.
    #[must_use]
    pub fn holds(self, count: u64) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }
}

/// What contacts are stored: how many have all of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contacts {
    /// This id.
    pub id: Option<u64>,
    /// This external id.
    pub external_id: Option<String>,
    /// This email address, compared without case.
    pub email: Option<String>,
    /// This phone number.
    pub phone: Option<String>,
    /// This account.
    pub business: Option<u64>,
    /// How many.
    pub count: Amount,
}

/// What requests are made.
#[derive(Clone, Debug, PartialEq)]
pub struct Requests {
    /// Of these operations; none means all.
    pub operations: Vec<Operation>,
    /// What else holds of them.
    pub condition: Condition,
    /// How many.
    pub count: Amount,
}

/// How webhooks are taken; `count` or `acknowledged` or both are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deliveries {
    /// Of these events; none means all. Never the alias.
    pub events: Vec<String>,
    /// Of these accounts; none means all.
    pub businesses: Vec<u64>,
    /// How many there are.
    pub count: Option<Amount>,
    /// At least this share gets a 2xx, in parts in a million.
    pub acknowledged: Option<u32>,
    /// Each of those within so much real time from the first attempt on.
    pub within: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_include_both_ends() {
        let amount = Amount { least: 2, most: Some(3) };
        assert_eq!([1, 2, 3, 4].map(|count| amount.holds(count)), [false, true, true, false]);
        assert!(Amount { least: 4, most: None }.holds(9));
    }
}
