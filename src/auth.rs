//! API keys: what they cover, and who a call is from.

use std::time::Duration;

/// A key of the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key itself.
    pub key: String,
    /// Its name in logs and the journal; the world's name for a key with a world of its own.
    pub name: Option<String>,
    /// Accounts it covers; none means all.
    pub accounts: Option<Vec<u64>>,
    /// How many requests it may make.
    pub rate_limit: Option<RateLimit>,
    /// Whether it is refused.
    pub revoked: bool,
    /// Whether its requests go to a world of its own.
    pub own_world: bool,
}

/// So many requests in each window of world time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// How many pass in a window.
    pub requests: u32,
    /// Length of a window, at least a millisecond.
    pub window: Duration,
}
