//! Webhook subscriptions, in the order in which they were created.

use serde::{Deserialize, Serialize};

use crate::clock::Moment;

/// Most subscriptions of a world. Each event is matched with all of them.
pub(crate) const MOST_SUBSCRIPTIONS: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Subscription {
    /// From 1. The ledger sets it.
    pub(crate) id: u64,
    /// The number of the account.
    pub(crate) business: u64,
    /// Names of the events, in the order of the request.
    pub(crate) events: Vec<String>,
    pub(crate) endpoint: String,
    /// Whether a foreign web page created it. Any page that the user visits can do so, and nothing is delivered to it.
    pub(crate) by_page: bool,
    /// By the world's clock.
    pub(crate) created: Moment,
}

#[cfg(test)]
impl Subscription {
    /// One of account 1.
    pub(crate) fn of(events: &[&str], endpoint: &str) -> Self {
        let events = events.iter().map(|event| (*event).to_owned()).collect();
        Self { id: 0, business: 1, events, endpoint: endpoint.to_owned(), by_page: false, created: Moment(0) }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    subscriptions: Vec<Subscription>,
    last: u64,
}

impl Subscriptions {
    /// Adds a subscription under the next id, and returns that.
    pub(super) fn add(&mut self, subscription: Subscription) -> u64 {
        self.last += 1;
        self.subscriptions.push(Subscription { id: self.last, ..subscription });
        self.last
    }

    /// Removes a subscription, and returns it with its place in the list. Its id is not given again.
    pub(super) fn remove(&mut self, id: u64) -> Option<(usize, Subscription)> {
        let at = self.subscriptions.iter().position(|known| known.id == id)?;
        Some((at, self.subscriptions.remove(at)))
    }

    /// Puts a removed subscription back.
    pub(super) fn put_back(&mut self, at: usize, subscription: Subscription) {
        self.subscriptions.insert(at.min(self.subscriptions.len()), subscription);
    }

    /// The last id that was given.
    pub(super) const fn last(&self) -> u64 {
        self.last
    }

    /// Lets the next subscription have an id that is larger than those given.
    pub(super) const fn give_next(&mut self, id: u64) {
        self.last = id.saturating_sub(1);
    }

    pub(crate) fn all(&self) -> &[Subscription] {
        &self.subscriptions
    }
}
