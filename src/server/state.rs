//! The state that all handlers share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::reload::Setup;
use crate::reload::status::LoadStatus;
use crate::server::log::Log;
use crate::server::metrics::Metrics;
use crate::world::registry::Registry;

/// The state of a running server.
#[derive(Debug)]
pub(crate) struct State {
    /// All worlds.
    pub(crate) registry: Arc<Registry>,
    /// The load status of each scenario.
    pub(crate) board: Arc<LoadStatus>,
    /// How scenarios are loaded.
    pub(crate) setup: Arc<Setup>,
    /// The token that admin requests must carry, if any.
    pub(crate) admin_token: Option<String>,
    /// Whether the admin side answers at all.
    pub(crate) admin: bool,
    /// Whether the server is about to stop, and still answers calls.
    pub(crate) is_draining: AtomicBool,
    /// Metrics of the simulated API.
    pub(crate) metrics: Metrics,
    /// The log of the process; none for a server within a Rust test.
    pub(crate) log: Option<Log>,
}

impl State {
    /// The state of a server that one program has for itself: no token is asked for, and nothing is logged.
    pub(crate) fn local(registry: Arc<Registry>, board: Arc<LoadStatus>, setup: Arc<Setup>) -> Self {
        Self {
            registry,
            board,
            setup,
            admin_token: None,
            admin: true,
            is_draining: AtomicBool::new(false),
            metrics: Metrics::default(),
            log: None,
        }
    }

    /// The log, if each request has a line in it.
    pub(crate) fn request_log(&self) -> Option<&Log> {
        self.log.as_ref().filter(|log| log.requests)
    }
}
