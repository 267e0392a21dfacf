//! Webhook subscriptions, in the order in which they were created.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// From 1.
    pub id: u64,
    /// The number of the account.
    pub business: u64,
    /// Names of the events, in the order of the request.
    pub events: Vec<String>,
    pub endpoint: String,
    /// Whether a web page created it where any key is accepted. Any page that the user visits could have done so.
    pub by_page: bool,
}

#[derive(Debug, Default)]
pub struct Subscriptions {
    subscriptions: Vec<Subscription>,
}

impl Subscriptions {
    /// Adds a subscription, and returns its id.
    pub fn add(&mut self, business: u64, events: Vec<String>, endpoint: String, by_page: bool) -> u64 {
        let id = self.subscriptions.last().map_or(0, |last| last.id) + 1;
        self.subscriptions.push(Subscription { id, business, events, endpoint, by_page });
        id
    }

    pub fn all(&self) -> &[Subscription] {
        &self.subscriptions
    }
}
