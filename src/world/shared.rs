//! What all worlds of a process share.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::journal::budget::{Budget, Limits};
use crate::journal::secrets::Secrets;
use crate::ledger;
use crate::memory::Memory;
use crate::webhook::engine::Engine;
use crate::world::stream::AllWatchers;

#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    /// The bound on all journals together.
    pub(crate) budget: Arc<Budget>,
    /// Delivers the events of all worlds.
    pub(crate) engine: Arc<Engine>,
    /// What journals, streams and the log mask.
    pub(crate) secrets: Arc<Secrets>,
    /// The watchers of all worlds.
    pub(crate) watchers: Arc<AllWatchers>,
    /// Bytes that clients wrote to all worlds.
    written: Arc<AtomicUsize>,
}

impl Shared {
    /// With limits of the journals, and the admin token. The engine does not run yet.
    pub(crate) fn new(limits: Limits, admin_token: Option<String>) -> Self {
        let secrets = Arc::new(Secrets::new(admin_token));
        Self { budget: Budget::new(limits), secrets, ..Self::default() }
    }

    /// The memory of a new run of a world.
    pub(crate) fn memory(&self) -> Arc<Memory> {
        Memory::new(ledger::MEMORY, Arc::clone(&self.written))
    }
}
