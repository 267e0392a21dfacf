//! Worlds: isolated runs of a scenario, each with its own ledger, quotas and clock over shared immutable data.

/// Dataset, keys and dialect at one moment.
pub mod snapshot;
/// Rate limits of keys.
pub mod quota;
/// All worlds of a process, by name and by key.
pub mod registry;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;

use crate::auth::Key;
use crate::clock::VirtualClock;
use crate::draw::Seed;
use crate::fault::counters::Counters;
use crate::journal::budget::Budget;
use crate::journal::record::Journal;
use crate::ledger::Ledger;
use crate::ledger::added::Added;
use crate::world::quota::Quotas;
use crate::world::snapshot::Snapshot;

/// One isolated run of a scenario.
#[derive(Debug)]
pub struct World {
    /// Its name, and the last part of its base URL.
    pub name: String,
    /// The key made with it, which covers all accounts and has no rate limit; none for a standing world.
    pub minted: Option<Key>,
    /// The seed that it was made with in place of the scenario's.
    born: Option<Seed>,
    /// Its clock.
    pub clock: VirtualClock,
    /// What clients wrote. A mutex: writes are short, never across an await, and readers of facts do not come here.
    pub ledger: Mutex<Ledger>,
    /// Reviews and questions added to it; with locks of its own, for every reader of facts asks here.
    pub added: Added,
    /// How much its keys have used up; the same holds for this lock.
    quotas: Mutex<Quotas>,
    /// What faults have counted. The lock is held for one whole decision, so that a count strikes once.
    counters: Mutex<Counters>,
    /// Its calls.
    pub journal: Arc<Journal>,
    /// The seed that a reset gave it in place of the scenario's. Held while the snapshot is replaced.
    seed: Mutex<Option<Seed>>,
    /// Read by every request, replaced by a reload; a request keeps the one it took.
    snapshot: ArcSwap<Snapshot>,
}

impl World {
    /// A standing world at its start.
    #[must_use]
    pub fn standing(name: String, snapshot: Arc<Snapshot>, budget: &Arc<Budget>) -> Self {
        Self::new(name, snapshot, None, None, budget)
    }

    /// A world made on demand, at its start, with its own key.
    #[must_use]
    pub fn made(
        name: String,
        snapshot: &Arc<Snapshot>,
        key: String,
        seed: Option<Seed>,
        budget: &Arc<Budget>,
    ) -> Self {
        let minted = Key {
            key,
            name: Some(name.clone()),
            accounts: None,
            rate_limit: None,
            revoked: false,
            own_world: false,
        };
        Self::new(name, snapshot.under(seed), Some(minted), seed, budget)
    }

    fn new(
        name: String,
        snapshot: Arc<Snapshot>,
        minted: Option<Key>,
        born: Option<Seed>,
        budget: &Arc<Budget>,
    ) -> Self {
        Self {
            name,
            minted,
            born,
            clock: VirtualClock::new(snapshot.clock),
            ledger: Mutex::default(),
            added: Added::default(),
            quotas: Mutex::default(),
            counters: Mutex::default(),
            journal: Journal::new(Arc::clone(budget)),
            seed: Mutex::new(born),
            snapshot: ArcSwap::new(snapshot),
        }
    }

    /// What it serves at this moment.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Serves something else from now on; what clients wrote, quotas, the clock and the counters of unchanged faults
    /// stay.
    pub fn replace(&self, snapshot: &Arc<Snapshot>) {
        let seed = self.seed.lock().unwrap_or_else(PoisonError::into_inner);
        self.snapshot.store(snapshot.under(*seed));
        drop(seed);
        self.counters().keep(&snapshot.faults);
    }

    /// What clients wrote.
    pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the keys have used up.
    pub fn quotas(&self) -> MutexGuard<'_, Quotas> {
        self.quotas.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What faults have counted.
    pub fn counters(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Back to its start: nothing written, nothing used up, the clock as the scenario sets it. Another seed lasts until
    /// the next reset.
    pub fn reset(&self, seed: Option<Seed>) {
        let mut own = self.seed.lock().unwrap_or_else(PoisonError::into_inner);
        *own = seed.or(self.born);
        self.snapshot.store(self.snapshot().under(*own));
        drop(own);
        let mut ledger = self.ledger();
        let mut quotas = self.quotas();
        self.clock.reset(self.snapshot.load().clock);
        *ledger = Ledger::default();
        self.added.clear();
        *quotas = Quotas::default();
        let life = self.counters().reset();
        self.journal.reset(life);
    }
}
