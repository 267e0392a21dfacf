//! Webhook subscriptions, in the order made.

/// One subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// Its id, from 1.
    pub id: u64,
    /// Number of the account.
    pub business: u64,
    /// Names of the events, in the order asked for.
    pub events: Vec<String>,
    /// Where they go.
    pub endpoint: String,
    /// Whether a web page made it without a key that only its owner knows: any stranger's page could.
    pub by_page: bool,
}

/// The subscriptions of a world.
#[derive(Debug, Default)]
pub struct Subscriptions {
    made: Vec<Subscription>,
}

impl Subscriptions {
    /// Adds one, and tells its id.
    pub fn add(&mut self, business: u64, events: Vec<String>, endpoint: String, by_page: bool) -> u64 {
        let id = self.made.last().map_or(0, |last| last.id) + 1;
        self.made.push(Subscription { id, business, events, endpoint, by_page });
        id
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[Subscription] {
        &self.made
    }
}
