//! Worlds: isolated runs of a scenario, each with its own ledger, quotas and clock over shared immutable data.

/// Dataset, keys and dialect at one moment.
pub mod snapshot;
/// Rate limits of keys.
pub mod quota;
/// What happens, told as it happens.
pub mod stream;
/// What all worlds share.
pub mod shared;
/// Its events.
pub mod events;
/// What was changed about its faults.
pub mod edits;
/// What a world is made of.
pub mod wanted;
/// All worlds of a process, by name and by key.
pub mod registry;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use serde_json::json;

use crate::auth::Key;
use crate::clock::{self, VirtualClock};
use crate::draw::Seed;
use crate::fault::Fault;
use crate::fault::counters::Counters;
use crate::journal::record::Journal;
use crate::ledger::Ledger;
use crate::ledger::added::Added;
use crate::webhook::state::WebhookState;
use crate::world::edits::{FaultEdits, FaultStatus};
use crate::world::quota::Quotas;
use crate::world::shared::Shared;
use crate::world::snapshot::Snapshot;
use crate::world::stream::Stream;
use crate::world::wanted::Start;

/// One isolated run of a scenario.
#[derive(Debug)]
pub struct World {
    /// Its name, and the last part of its base URL.
    pub name: String,
    /// The key made with it, which covers all accounts and has no rate limit; none for a standing world.
    pub minted: Option<Key>,
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
    /// Those who watch it.
    pub stream: Stream,
    /// Its events and their deliveries. No lock of the ledger is held when one of these is taken.
    hooks: WebhookState,
    shared: Shared,
    /// What the snapshot is made from. Held while that is replaced, and before any other lock of the world.
    course: Mutex<WorldConfig>,
    /// Read by every request, replaced by a reload; a request keeps the one it took.
    snapshot: ArcSwap<Snapshot>,
    /// When it was used last, in milliseconds of the process's time; it orders nothing.
    used: AtomicU64,
}

/// How a world came to serve what it serves.
#[derive(Debug)]
struct WorldConfig {
    /// The scenario as it was loaded.
    scenario: Arc<Snapshot>,
    /// Where a reset takes it back to; for a standing world, the scenario itself.
    start: Start,
    /// Its seed in place of the scenario's.
    seed: Option<Seed>,
    /// What is other about its faults.
    edits: FaultEdits,
}

impl WorldConfig {
    fn new(scenario: Arc<Snapshot>, start: Start) -> Self {
        let edits = FaultEdits::of(&scenario.faults, &start.faults);
        Self { scenario, seed: start.seed, start, edits }
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.scenario.with(self.seed, self.edits.plan(&self.scenario.faults))
    }
}

impl World {
    /// A standing world at its start.
    #[must_use]
    pub fn standing(name: String, scenario: Arc<Snapshot>, shared: &Shared) -> Self {
        Self::new(name, scenario, None, Start::default(), shared)
    }

    /// A world made on demand, at its start, with its own key.
    #[must_use]
    pub fn made(name: String, scenario: Arc<Snapshot>, key: String, start: Start, shared: &Shared) -> Self {
        let minted = Key {
            key,
            name: Some(name.clone()),
            accounts: None,
            rate_limit: None,
            revoked: false,
            own_world: false,
        };
        Self::new(name, scenario, Some(minted), start, shared)
    }

    fn new(
        name: String,
        scenario: Arc<Snapshot>,
        minted: Option<Key>,
        start: Start,
        shared: &Shared,
    ) -> Self {
        let clock = VirtualClock::new(start.clock.over(scenario.clock));
        let course = WorldConfig::new(scenario, start);
        let snapshot = course.snapshot();
        let world = Self {
            name,
            minted,
            clock,
            ledger: Mutex::default(),
            added: Added::default(),
            quotas: Mutex::default(),
            counters: Mutex::default(),
            journal: Journal::new(Arc::clone(&shared.budget)),
            stream: Stream::default(),
            hooks: WebhookState::new(Arc::clone(&snapshot.hooks), snapshot.seed),
            shared: shared.clone(),
            snapshot: ArcSwap::new(snapshot),
            course: Mutex::new(course),
            used: AtomicU64::new(0),
        };
        world.touch();
        world
    }

    /// Whether it is a scenario's or a key's own, there for as long as that is.
    #[must_use]
    pub const fn is_standing(&self) -> bool {
        self.minted.is_none()
    }

    /// It is used now. A standing world never expires, so nobody asks when it was.
    pub fn touch(&self) {
        if !self.is_standing() {
            let now = u64::try_from(clock::uptime().as_millis()).unwrap_or(u64::MAX);
            self.used.store(now, Ordering::Relaxed);
        }
    }

    /// When it was used last, in the process's time.
    #[must_use]
    pub fn used(&self) -> Duration {
        Duration::from_millis(self.used.load(Ordering::Relaxed))
    }

    fn course(&self) -> MutexGuard<'_, WorldConfig> {
        self.course.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it serves at this moment.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Serves its scenario as it was loaded anew; what clients wrote, quotas, the clock and the counters of unchanged
    /// faults stay, and so do its own seed and faults.
    pub fn replace(&self, scenario: &Arc<Snapshot>) {
        let mut course = self.course();
        let before = std::mem::replace(&mut course.scenario, Arc::clone(scenario));
        course.edits.follow(&before.faults, &scenario.faults);
        self.serve(&course);
    }

    /// Serves what its course has come to; what was counted for faults that are gone is forgotten.
    fn serve(&self, course: &WorldConfig) {
        let snapshot = course.snapshot();
        self.snapshot.store(Arc::clone(&snapshot));
        self.counters().keep(&snapshot.faults);
        self.hooks.replace(&snapshot.hooks, self.clock.at(clock::real_now()).since_start());
        if self.stream.is_watched() {
            let reload = json!({ "scenario": snapshot.scenario, "generation": snapshot.generation });
            self.stream.tell("reload", &reload);
        }
    }

    /// Its scenario as it was loaded, and its seed if that is another than the scenario's.
    #[must_use]
    pub fn scenario(&self) -> (Arc<Snapshot>, Option<Seed>) {
        let course = self.course();
        let seed = course.seed.filter(|seed| *seed != course.scenario.seed);
        (Arc::clone(&course.scenario), seed)
    }

    /// Its faults, in the order in which they are considered.
    #[must_use]
    pub fn faults(&self) -> Vec<FaultStatus> {
        let course = self.course();
        let snapshot = self.snapshot();
        let counters = self.counters();
        let ids = snapshot.faults.faults().map(|(id, _)| id);
        let listed = ids.zip(course.edits.over(&course.scenario.faults));
        listed
            .map(|(id, (fault, from_file))| FaultStatus {
                fault: Arc::clone(fault),
                from_file,
                hits: counters.strikes(id),
            })
            .collect()
    }

    /// Puts a fault: in the place of the one of its name, else in front of all. Says whether its name is new.
    pub fn put_fault(&self, fault: Fault) -> bool {
        let mut course = self.course();
        let WorldConfig { scenario, edits, .. } = &mut *course;
        let new = edits.put(&scenario.faults, Arc::new(fault));
        self.serve(&course);
        new
    }

    /// Turns the fault of that name on or off; says whether there is one.
    pub fn enable_fault(&self, name: &str, enabled: bool) -> bool {
        let mut course = self.course();
        let WorldConfig { scenario, edits, .. } = &mut *course;
        let found = edits.over(&scenario.faults).map(|(fault, _)| fault).find(|fault| fault.name == name);
        let Some(fault) = found.map(|fault| Fault { enabled, ..Fault::clone(fault) }) else { return false };
        edits.put(&scenario.faults, Arc::new(fault));
        self.serve(&course);
        true
    }

    /// Removes the fault of that name; says whether there was one.
    pub fn remove_fault(&self, name: &str) -> bool {
        let mut course = self.course();
        let WorldConfig { scenario, edits, .. } = &mut *course;
        let removed = edits.remove(&scenario.faults, name);
        self.serve(&course);
        removed
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

    /// The seed to which a reset takes it back, if that is not its scenario's.
    #[must_use]
    pub fn start_seed(&self) -> Option<Seed> {
        self.course().start.seed
    }

    /// Back to its start: nothing written, nothing used up, seed, faults and clock as it was made with. Another seed
    /// lasts until the next reset.
    pub fn reset(&self, seed: Option<Seed>) {
        let course = self.course();
        let start = Start { seed: seed.or(course.start.seed), ..course.start.clone() };
        let scenario = Arc::clone(&course.scenario);
        self.begin(course, scenario, &start);
    }

    /// Begins anew, of that scenario and with that start. A world made on demand is as if it had been made so; for a
    /// standing world it lasts until the next reset.
    pub fn remake(&self, scenario: Arc<Snapshot>, start: &Start) {
        let mut course = self.course();
        if !self.is_standing() {
            course.start = start.clone();
        }
        self.begin(course, scenario, start);
    }

    fn begin(&self, mut course: MutexGuard<'_, WorldConfig>, scenario: Arc<Snapshot>, start: &Start) {
        course.edits = FaultEdits::of(&scenario.faults, &start.faults);
        (course.scenario, course.seed) = (scenario, start.seed);
        let snapshot = course.snapshot();
        self.snapshot.store(Arc::clone(&snapshot));
        self.clock.reset(start.clock.over(course.scenario.clock));
        self.hooks.reset(&snapshot.hooks, snapshot.seed);
        let mut ledger = self.ledger();
        let mut quotas = self.quotas();
        *ledger = Ledger::default();
        self.added.clear();
        *quotas = Quotas::default();
        let life = self.counters().reset();
        self.journal.reset(life);
    }
}
