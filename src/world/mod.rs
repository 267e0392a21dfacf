//! Worlds: isolated runs of a scenario, each with its own ledger, quotas and clock over shared immutable data.

/// Dataset, keys and dialect at one moment.
pub(crate) mod snapshot;
/// Rate limits of keys.
pub(crate) mod quota;
/// Server-Sent Events of a world.
pub(crate) mod stream;
/// What all worlds of a process share.
pub(crate) mod shared;
/// The state that a reset discards.
pub(crate) mod run;
/// Events of a run.
pub(crate) mod events;
/// Fault changes made at runtime.
pub(crate) mod fault_edits;
/// Requests to create a world, and why they fail.
pub(crate) mod create;
/// All worlds of a process, by name and by key.
pub(crate) mod registry;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;

use crate::auth::Key;
use crate::clock;
use crate::draw::Seed;
use crate::fault::Fault;
use crate::journal::secrets::Secrets;
use crate::memory::Share;
use crate::world::create::Start;
use crate::world::fault_edits::{FaultEdits, FaultStatus};
use crate::world::run::Run;
use crate::world::shared::Shared;
use crate::world::snapshot::Snapshot;
use crate::world::stream::Stream;

/// One isolated run of a scenario.
#[derive(Debug)]
pub(crate) struct World {
    /// Its name, and the last part of its base URL.
    pub(crate) name: String,
    /// The key minted with it, which covers all accounts and has no rate limit; none for a standing world.
    pub(crate) minted: Option<Key>,
    /// Its watchers, who stay over a reset.
    pub(crate) stream: Arc<Stream>,
    shared: Shared,
    /// What the snapshot is made from. Held while that is replaced, and before any other lock of the world.
    config: Mutex<WorldConfig>,
    /// Read by every request, replaced by a reset; a request keeps the one it took.
    run: ArcSwap<Run>,
    /// Time of the last use, in milliseconds of the process's time. It orders nothing.
    last_used: AtomicU64,
}

/// What a world serves: its scenario and how it differs from it.
#[derive(Debug)]
struct WorldConfig {
    /// The scenario as loaded.
    scenario: Arc<Snapshot>,
    /// The start that a reset returns to; for a standing world, the scenario itself.
    start: Start,
    /// The seed in place of the scenario's.
    seed: Option<Seed>,
    /// Fault changes made at runtime, which override the scenario's.
    fault_edits: FaultEdits,
    /// The memory of those faults.
    share: Share,
}

impl WorldConfig {
    fn new(scenario: Arc<Snapshot>, start: Start, share: Share) -> Self {
        let fault_edits = FaultEdits::of(&scenario.faults, &start.faults);
        let mut config = Self { scenario, seed: start.seed, start, fault_edits, share };
        config.recount();
        config
    }

    /// Counts the memory of the world's own faults. One takes about four times its text, and those of the start are mostly
    /// changes, too.
    fn recount(&mut self) {
        let start: usize = self.start.faults.iter().map(|fault| fault.text.len()).sum();
        self.share.resize(2 * (start + self.fault_edits.size()));
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.scenario.with(self.seed, self.fault_edits.plan(&self.scenario.faults))
    }
}

impl World {
    /// A standing world at its start.
    pub(crate) fn standing(name: String, scenario: Arc<Snapshot>, shared: &Shared) -> Self {
        Self::new(name, scenario, None, Start::default(), shared)
    }

    /// A world created on demand, at its start, with its own key.
    pub(crate) fn on_demand(
        name: String,
        scenario: Arc<Snapshot>,
        key: String,
        start: Start,
        shared: &Shared,
    ) -> Self {
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
        let clock = start.clock.apply_to(scenario.clock);
        let config = WorldConfig::new(scenario, start, shared.memory().share(0));
        let stream = Arc::new(Stream::new(&shared.watchers));
        let run = Run::new(config.snapshot(), clock, Arc::clone(&stream), minted.as_ref(), shared);
        let world = Self {
            name,
            minted,
            stream,
            shared: shared.clone(),
            config: Mutex::new(config),
            run: ArcSwap::from_pointee(run),
            last_used: AtomicU64::new(0),
        };
        world.touch();
        world
    }

    /// Whether the world belongs to a scenario or a key and lasts as long as that.
    pub(crate) const fn is_standing(&self) -> bool {
        self.minted.is_none()
    }

    /// Marks the world as used now. A standing world never expires, so its time is not kept.
    pub(crate) fn touch(&self) {
        if !self.is_standing() {
            let now = u64::try_from(clock::uptime().as_millis()).unwrap_or(u64::MAX);
            self.last_used.store(now, Ordering::Relaxed);
        }
    }

    /// When the world was last used, in the process's time.
    pub(crate) fn last_used(&self) -> Duration {
        Duration::from_millis(self.last_used.load(Ordering::Relaxed))
    }

    /// The secrets of the process.
    pub(crate) fn secrets(&self) -> &Secrets {
        &self.shared.secrets
    }

    fn config(&self) -> MutexGuard<'_, WorldConfig> {
        self.config.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current run.
    pub(crate) fn run(&self) -> Arc<Run> {
        self.run.load_full()
    }

    /// The current snapshot of the current run.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.run.load().snapshot()
    }

    /// Takes up the scenario as loaded anew. What clients wrote, quotas, the clock and the counters of unchanged faults
    /// stay, and so do the world's own seed and faults.
    pub(crate) fn replace(&self, scenario: &Arc<Snapshot>) {
        let mut config = self.config();
        let before = std::mem::replace(&mut config.scenario, Arc::clone(scenario));
        config.fault_edits.follow(&before.faults, &scenario.faults);
        config.recount();
        let run = self.run();
        run.serve(&config.snapshot());
        run.publish_reload();
    }

    /// The scenario as loaded, and the world's seed if it differs from the scenario's.
    pub(crate) fn scenario(&self) -> (Arc<Snapshot>, Option<Seed>) {
        let config = self.config();
        let seed = config.seed.filter(|seed| *seed != config.scenario.seed);
        (Arc::clone(&config.scenario), seed)
    }

    /// The world's faults, in the order in which they are considered.
    pub(crate) fn faults(&self) -> Vec<FaultStatus> {
        let config = self.config();
        let run = self.run();
        let snapshot = run.snapshot();
        let counters = run.counters();
        let ids = snapshot.faults.faults().map(|(id, _)| id);
        let listed = ids.zip(config.fault_edits.over(&config.scenario.faults));
        listed
            .map(|(id, (fault, from_file))| FaultStatus {
                fault: Arc::clone(fault),
                from_file,
                hits: counters.hits(id),
            })
            .collect()
    }

    /// Whether one more fault may be put into the world at runtime.
    pub(crate) fn has_room_for(&self, fault: &Fault) -> bool {
        self.config().fault_edits.has_room_for(fault) && !self.shared.memory().is_full()
    }

    /// Puts a fault: in the place of the one of its name, else in front of all. Returns whether its name is new.
    pub(crate) fn put_fault(&self, fault: Fault) -> bool {
        let mut config = self.config();
        let WorldConfig { scenario, fault_edits, .. } = &mut *config;
        let fault = Arc::new(fault);
        let new = fault_edits.put(&scenario.faults, Arc::clone(&fault));
        config.recount();
        let run = self.run();
        run.serve(&config.snapshot());
        run.publish_fault_change(&fault.name, if new { "added" } else { "replaced" });
        new
    }

    /// Enables or disables the fault of that name. Returns whether there is one.
    pub(crate) fn enable_fault(&self, name: &str, enabled: bool) -> bool {
        let mut config = self.config();
        let WorldConfig { scenario, fault_edits, .. } = &mut *config;
        let mut faults = fault_edits.over(&scenario.faults).map(|(fault, _)| fault);
        let Some(fault) = faults.find(|fault| fault.name == name) else { return false };
        let fault = Fault { enabled, ..Fault::clone(fault) };
        drop(faults);
        fault_edits.put(&scenario.faults, Arc::new(fault));
        config.recount();
        let run = self.run();
        run.serve(&config.snapshot());
        run.publish_fault_change(name, if enabled { "enabled" } else { "disabled" });
        true
    }

    /// Removes the fault of that name. Returns whether there was one.
    pub(crate) fn remove_fault(&self, name: &str) -> bool {
        let mut config = self.config();
        let WorldConfig { scenario, fault_edits, .. } = &mut *config;
        let removed = fault_edits.remove(&scenario.faults, name);
        config.recount();
        let run = self.run();
        run.serve(&config.snapshot());
        if removed {
            run.publish_fault_change(name, "removed");
        }
        removed
    }

    /// The seed that a reset returns to, if it is not the scenario's.
    pub(crate) fn start_seed(&self) -> Option<Seed> {
        self.config().start.seed
    }

    /// Returns to the start: nothing written, nothing used up, and seed, faults and clock as the world was created
    /// with. Another seed lasts until the next reset.
    pub(crate) fn reset(&self, seed: Option<Seed>) {
        let config = self.config();
        let start = Start { seed: seed.or(config.start.seed), ..config.start.clone() };
        let scenario = Arc::clone(&config.scenario);
        self.begin(config, scenario, &start);
    }

    /// Begins anew with another scenario and start. A world created on demand is as if it had been created so; for a
    /// standing world it lasts until the next reset.
    pub(crate) fn recreate(&self, scenario: Arc<Snapshot>, start: &Start) {
        let mut config = self.config();
        if !self.is_standing() {
            config.start = start.clone();
        }
        self.begin(config, scenario, start);
    }

    fn begin(&self, mut config: MutexGuard<'_, WorldConfig>, scenario: Arc<Snapshot>, start: &Start) {
        config.fault_edits = FaultEdits::of(&scenario.faults, &start.faults);
        (config.scenario, config.seed) = (scenario, start.seed);
        config.recount();
        let clock = start.clock.apply_to(config.scenario.clock);
        let stream = Arc::clone(&self.stream);
        let run = Run::new(config.snapshot(), clock, stream, self.minted.as_ref(), &self.shared);
        let before = self.run.swap(Arc::new(run));
        before.webhooks.close();
    }
}
