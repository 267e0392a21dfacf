//! One run of a world: everything that a reset discards. A request keeps the run in which it was located, so that a
//! request in flight across a reset writes into the run it belongs to, never into the new one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use serde_json::json;

use crate::auth::Key;
use crate::clock::{self, Moment, VirtualClock};
use crate::fault::Fault;
use crate::fault::counters::Counters;
use crate::journal::record::Journal;
use crate::journal::secrets::Secrets;
use crate::ledger::Ledger;
use crate::ledger::added::AddedRecords;
use crate::webhook::engine::Engine;
use crate::webhook::state::WebhookState;
use crate::world::kept::{Action, Kept, Load};
use crate::world::quota::Quotas;
use crate::world::shared::Shared;
use crate::world::snapshot::Snapshot;
use crate::world::stream::Stream;

/// The state of a world between two resets.
#[derive(Debug)]
pub(crate) struct Run {
    /// World time.
    pub(crate) clock: VirtualClock,
    /// What clients wrote. A mutex: writes are short, never across an await, and readers of facts do not come here.
    pub(crate) ledger: Mutex<Ledger>,
    /// Held while a route answers that reads or writes the ledger: its condition, what it writes and its response are of one
    /// moment. Taken before the ledger's.
    pub(crate) route_turn: Mutex<()>,
    /// Added reviews and questions. They have their own locks, since every reader of facts asks for them.
    pub(crate) added: AddedRecords,
    /// The calls of the run.
    pub(crate) journal: Arc<Journal>,
    /// Held for a few instructions, like the ledger.
    pub(super) quotas: Mutex<Quotas>,
    /// What faults have counted. The lock is held for one whole decision, so that a count applies once.
    pub(super) counters: Mutex<Counters>,
    /// Its lock is taken before the ledger's, never while the ledger's is held.
    pub(super) webhooks: WebhookState,
    pub(super) stream: Arc<Stream>,
    pub(super) engine: Arc<Engine>,
    /// The key that was minted for the world.
    pub(super) minted: Option<String>,
    pub(super) secrets: Arc<Secrets>,
    /// What a bundle needs. None in a process that writes none.
    pub(crate) kept: Option<Kept>,
    /// Read by every request, replaced by a reload; a request keeps the one it took.
    pub(super) snapshot: ArcSwap<Snapshot>,
}

impl Run {
    /// A run that begins with a snapshot, of whose faults some are the world's own.
    pub(super) fn new(
        (snapshot, own_faults): (Arc<Snapshot>, Vec<Arc<Fault>>),
        clock: clock::Setting,
        stream: Arc<Stream>,
        minted: Option<&Key>,
        shared: &Shared,
    ) -> Self {
        let memory = shared.memory();
        let kept = Load::of(&snapshot);
        let kept = kept.map(|load| Kept::new(load, own_faults, shared.action_memory().share(0)));
        Self {
            clock: VirtualClock::new(clock::Setting {
                start: clock.start.or_else(|| Some(shared.time.now())),
                ..clock
            }),
            ledger: Mutex::new(Ledger::new(&memory)),
            route_turn: Mutex::default(),
            added: AddedRecords::new(&memory),
            journal: Journal::new(Arc::clone(&shared.budget)),
            quotas: Mutex::default(),
            counters: Mutex::new(Counters::new(&shared.counted)),
            webhooks: WebhookState::new(
                Arc::clone(&snapshot.webhooks),
                snapshot.seed,
                shared.engine.memory(),
                &shared.counted,
            ),
            stream,
            engine: Arc::clone(&shared.engine),
            minted: minted.map(|minted| minted.key.clone()),
            secrets: Arc::clone(&shared.secrets),
            kept,
            snapshot: ArcSwap::new(snapshot),
        }
    }

    /// The current snapshot.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Serves another snapshot from now on. Counters of faults that it does not have are forgotten.
    pub(super) fn serve(&self, snapshot: &Arc<Snapshot>) {
        self.snapshot.store(Arc::clone(snapshot));
        self.counters().keep(&snapshot.faults);
        self.webhooks.replace_plan(&snapshot.webhooks, self.clock.at(clock::real_now()).since_start());
    }

    /// Logs an action at the present of the clock, if actions are kept.
    pub(super) fn log(&self, action: impl FnOnce() -> Action) {
        if self.kept.is_some() {
            self.log_at(self.clock.now(), action);
        }
    }

    pub(super) fn log_at(&self, at: Moment, action: impl FnOnce() -> Action) {
        if let Some(kept) = &self.kept {
            kept.log(|| self.counters().arrived(), at, action());
        }
    }

    /// Empties the journal.
    pub(crate) fn clear_journal(&self) {
        self.journal.clear();
        self.log(|| Action::JournalCleared);
    }

    /// Tells the watchers that the scenario was loaded anew.
    pub(super) fn publish_reload(&self) {
        if self.stream.is_watched() {
            let snapshot = self.snapshot();
            let reload = json!({ "scenario": snapshot.scenario, "generation": snapshot.generation });
            self.stream.publish("reload", &reload);
        }
    }

    /// Tells the watchers how a fault was changed at runtime.
    pub(super) fn publish_fault_change(&self, name: &str, change: &str) {
        if self.stream.is_watched() {
            self.stream.publish("fault", &json!({ "name": name, "change": change }));
        }
    }

    /// What clients wrote.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What keys have used up.
    pub(crate) fn quotas(&self) -> MutexGuard<'_, Quotas> {
        self.quotas.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What faults have counted.
    pub(crate) fn counters(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
