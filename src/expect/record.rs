//! All that a client did in a world up to one moment, and what is stored there. What is said of the client is a function of
//! this alone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::auth::{Keys, RateLimit};
use crate::expect::call::Call;
use crate::expect::scorecard::settings::Settings;
use crate::webhook::delivery::Delivery;

#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// Name of the scenario.
    pub(crate) scenario: String,
    pub(crate) seed: u64,
    /// Name of the world.
    pub(crate) world: String,
    /// By `seq`.
    pub(crate) calls: Vec<Call>,
    /// Number of journal entries that were dropped for lack of room. Nothing passes then.
    pub(crate) dropped: u64,
    /// The stored contacts, as the admin API shows them.
    pub(crate) contacts: Vec<Value>,
    /// The stored subscriptions, as the admin API shows them.
    pub(crate) subscriptions: Vec<Value>,
    /// In the order in which they were made.
    pub(crate) deliveries: Vec<Arc<Delivery>>,
    /// Number of deliveries that are not kept any more.
    pub(crate) deliveries_dropped: u64,
    /// The keys of the scenario.
    pub(crate) keys: Arc<Keys>,
    /// The rate limits of the scenario's keys, by the name that the journal has for the key.
    pub(crate) rate_limits: BTreeMap<String, RateLimit>,
    /// The thresholds of the scorecard that the scenario sets, and the rules that it switches off.
    pub(crate) scorecard: Settings,
    /// The command that `standin run` has run; none for a report over the admin API.
    pub(crate) command: Option<Command>,
}

/// A command that was run, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) argv: Vec<String>,
    /// Its exit code, by the convention of shells.
    pub(crate) exit: i32,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    pub(crate) timed_out: bool,
    pub(crate) duration: Duration,
}
