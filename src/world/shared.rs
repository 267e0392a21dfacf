//! What all worlds of a process share.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::clock::TimeSource;
use crate::fault::counters;
use crate::journal::budget::{Budget, Limits};
use crate::journal::secrets::Secrets;
use crate::ledger;
use crate::memory::{self, Memory};
use crate::webhook::engine::Engine;
use crate::world::kept;
use crate::world::snapshot::Foreign;
use crate::world::stream::AllWatchers;

#[derive(Clone, Debug)]
pub(crate) struct Shared {
    /// The bound on all journals together.
    pub(crate) budget: Arc<Budget>,
    /// Delivers the events of all worlds.
    pub(crate) engine: Arc<Engine>,
    /// What journals, streams and the log mask.
    pub(crate) secrets: Arc<Secrets>,
    /// The watchers of all worlds.
    pub(crate) watchers: Arc<AllWatchers>,
    /// How many requests and keys the faults of all worlds have counted. It is no number of bytes.
    pub(crate) counted: Arc<Memory>,
    /// What clients have generated.
    pub(crate) datasets: Foreign,
    /// Where worlds read the time at which they begin.
    pub(crate) time: TimeSource,
    /// Bytes that clients wrote to all worlds.
    written: Arc<AtomicUsize>,
    /// Bytes of the action logs of all runs.
    actions: Arc<AtomicUsize>,
}

/// Most bytes of the faults that a world has of its own.
const FAULTS: usize = 32 << 20;

impl Default for Shared {
    fn default() -> Self {
        let counted = memory::Limits { world: usize::MAX, all: counters::ALL };
        Self {
            budget: Arc::default(),
            engine: Arc::default(),
            secrets: Arc::default(),
            watchers: Arc::default(),
            counted: Memory::new(counted, Arc::default()),
            datasets: Foreign::default(),
            time: TimeSource::default(),
            written: Arc::default(),
            actions: Arc::default(),
        }
    }
}

impl Shared {
    /// With limits of the journals, the admin token, and where worlds read the time. The engine does not run yet.
    pub(crate) fn new(limits: Limits, admin_token: Option<String>, time: TimeSource) -> Self {
        let secrets = Arc::new(Secrets::new(admin_token));
        Self { budget: Budget::new(limits), secrets, time, ..Self::default() }
    }

    /// The memory of a new run of a world.
    pub(crate) fn memory(&self) -> Arc<Memory> {
        Memory::new(ledger::MEMORY, Arc::clone(&self.written))
    }

    /// The memory of the action log of a new run.
    pub(super) fn action_memory(&self) -> Arc<Memory> {
        Memory::new(kept::MEMORY, Arc::clone(&self.actions))
    }

    /// The memory of a world's own faults. It counts towards what is written to all worlds.
    pub(crate) fn fault_memory(&self) -> Arc<Memory> {
        let limits = memory::Limits { world: FAULTS, ..ledger::MEMORY };
        Memory::new(limits, Arc::clone(&self.written))
    }
}
