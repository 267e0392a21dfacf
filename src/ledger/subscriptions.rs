//! Webhook subscriptions, in the order in which they were created.

use serde::{Deserialize, Serialize};

/// Most subscriptions of a world. Each event is matched with all of them.
pub(crate) const MOST_SUBSCRIPTIONS: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Subscription {
    /// From 1.
    pub(crate) id: u64,
    /// The number of the account.
    pub(crate) business: u64,
    /// Names of the events, in the order of the request.
    pub(crate) events: Vec<String>,
    pub(crate) endpoint: String,
    /// Whether a foreign web page created it. Any page that the user visits can do so, and nothing is delivered to it.
    pub(crate) by_page: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    subscriptions: Vec<Subscription>,
}

impl Subscriptions {
    /// Adds a subscription, and returns its id.
    pub(super) fn add(&mut self, business: u64, events: Vec<String>, endpoint: String, by_page: bool) -> u64 {
        let id = self.subscriptions.last().map_or(0, |last| last.id) + 1;
        self.subscriptions.push(Subscription { id, business, events, endpoint, by_page });
        id
    }

    pub(crate) fn all(&self) -> &[Subscription] {
        &self.subscriptions
    }
}
