//! What all parts of the server share.

use std::sync::Arc;

use crate::reload::Setup;
use crate::reload::status::LoadStatus;
use crate::server::log::Log;
use crate::server::metrics::Metrics;
use crate::world::registry::Registry;

/// The state of a running server.
#[derive(Debug)]
pub struct State {
    /// All worlds.
    pub registry: Arc<Registry>,
    /// How the loads of the scenarios went.
    pub board: Arc<LoadStatus>,
    /// How scenarios are loaded.
    pub setup: Arc<Setup>,
    /// The secret of the admin side, if it has one.
    pub admin_token: Option<String>,
    /// Whether the admin side answers at all.
    pub admin: bool,
    /// What is counted of calls.
    pub metrics: Metrics,
    /// The log of the process; none for a server within a Rust test.
    pub log: Option<Log>,
}
