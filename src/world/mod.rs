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
/// What a bundle needs of a run.
pub(crate) mod kept;
/// Events of a run.
pub(crate) mod events;
/// Records that arrive in a run, and reviews that are changed there.
pub(crate) mod arrivals;
/// Fault changes made at runtime.
pub(crate) mod fault_edits;
/// A world's snapshot as text.
pub(crate) mod saved;
/// Taking a world's snapshot, and taking one up.
pub(crate) mod restore;
/// Hides the keys of a scenario in a snapshot.
mod hide;
/// Requests to create a world, and why they fail.
pub(crate) mod create;
/// All worlds of a process, by name and by key.
pub(crate) mod registry;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;

use crate::auth::Key;
use crate::clock::{self, Moment};
use crate::draw::Seed;
use crate::fault::Fault;
use crate::fault::counters::Plan;
use crate::journal::secrets::Secrets;
use crate::memory::Share;
use crate::world::create::Start;
use crate::world::fault_edits::{FaultEdits, FaultStatus, NoRoom};
use crate::world::kept::{Action, Load};
use crate::world::run::Run;
use crate::world::shared::Shared;
use crate::world::snapshot::{Own, Snapshot};
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
    /// When the world began, if that was on another day than the scenario's start.
    began: Option<Moment>,
    /// Fault changes made at runtime, which override the scenario's.
    fault_edits: FaultEdits,
    /// The memory of those faults, and of those of the start.
    share: Share,
    /// How often the world began anew.
    resets: u64,
}

impl WorldConfig {
    fn new(scenario: Arc<Snapshot>, start: Start, now: Moment, mut share: Share) -> Self {
        share.resize(start.weight());
        let fault_edits = FaultEdits::of(&scenario.faults, &start.faults);
        let began = scenario.start_at(now);
        Self { scenario, seed: start.seed, began, start, fault_edits, share, resets: 0 }
    }

    /// Changes the faults.
    ///
    /// # Errors
    /// There is no room for their memory; they stay as they were.
    fn edit<T>(&mut self, change: impl FnOnce(&mut FaultEdits, &Plan) -> T) -> Result<T, NoRoom> {
        let mut edits = self.fault_edits.clone();
        let changed = change(&mut edits, &self.scenario.faults);
        let (before, after) = (self.fault_edits.weight(), edits.weight());
        if after > before && edits.are_too_many() {
            return Err(NoRoom::Number);
        }
        self.share.replace(before, after).map_err(NoRoom::Memory)?;
        self.fault_edits = edits;
        Ok(changed)
    }

    /// What is served. `given_up` was served before.
    fn snapshot(&self, shared: &Shared, given_up: Option<&Snapshot>) -> Arc<Snapshot> {
        let faults = self.fault_edits.plan(&self.scenario.faults);
        let own = Own { seed: self.seed, start: self.began, faults };
        self.scenario.with(own, &shared.datasets, given_up)
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
        let now = shared.time.now();
        let (clock, faults) = (start.clock, start.faults.clone());
        let config = WorldConfig::new(scenario, start, now, shared.fault_memory().share(0));
        let stream = Arc::new(Stream::new(&shared.watchers));
        let snapshot = config.snapshot(shared, None);
        let clock = clock.apply_to(snapshot.clock);
        let run = Run::new((snapshot, faults), clock, Arc::clone(&stream), minted.as_ref(), shared);
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
        config.began = None;
        let followed = config.edit(|edits, now| edits.follow(&before.faults, now));
        debug_assert!(followed.is_ok(), "there is always room for fewer");
        self.serve(&config);
        let run = self.run();
        if !Arc::ptr_eq(&before, scenario)
            && let Some(load) = Load::of(&run.snapshot())
        {
            run.log(|| Action::Loaded(load));
        }
        run.publish_reload();
    }

    fn serve(&self, config: &WorldConfig) {
        let run = self.run();
        run.serve(&config.snapshot(&self.shared, Some(&run.snapshot())));
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
        let counters = run.counters();
        let listed = config.fault_edits.over(&config.scenario.faults);
        listed
            .map(|(id, fault, from_file)| FaultStatus {
                fault: Arc::clone(fault),
                from_file,
                hits: counters.hits(id),
            })
            .collect()
    }

    /// Puts a fault: in the place of the one of its name, else in front of all. Returns whether its name is new.
    ///
    /// # Errors
    /// There is no room for it; the faults stay as they were.
    pub(crate) fn put_fault(&self, fault: Fault) -> Result<bool, NoRoom> {
        let mut config = self.config();
        let (name, run) = (fault.name.clone(), self.run());
        let logged = run.kept.is_some().then(|| Arc::new(fault.clone()));
        let is_new = config.edit(|edits, file| edits.put(file, fault))?;
        self.serve(&config);
        if let Some(fault) = logged {
            run.log(|| Action::FaultPut(fault));
        }
        run.publish_fault_change(&name, if is_new { "added" } else { "replaced" });
        Ok(is_new)
    }

    /// Enables or disables the fault of that name. Returns whether there is one.
    ///
    /// # Errors
    /// There is no room for the changed fault; the faults stay as they were.
    pub(crate) fn enable_fault(&self, name: &str, enabled: bool) -> Result<bool, NoRoom> {
        let mut config = self.config();
        let mut faults = config.fault_edits.over(&config.scenario.faults).map(|(_, fault, _)| fault);
        let Some(fault) = faults.find(|fault| fault.name == name) else { return Ok(false) };
        if fault.enabled == enabled {
            return Ok(true);
        }
        let fault = Fault { enabled, ..Fault::clone(fault) };
        drop(faults);
        config.edit(|edits, file| edits.put(file, fault))?;
        self.serve(&config);
        let run = self.run();
        run.log(|| Action::FaultEnabled { name: name.to_owned(), enabled });
        run.publish_fault_change(name, if enabled { "enabled" } else { "disabled" });
        Ok(true)
    }

    /// Removes the fault of that name. Returns whether there was one.
    pub(crate) fn remove_fault(&self, name: &str) -> bool {
        let mut config = self.config();
        let removed = config.edit(|edits, file| edits.remove(file, name)).unwrap_or_default();
        self.serve(&config);
        if removed {
            let run = self.run();
            run.log(|| Action::FaultRemoved(name.to_owned()));
            run.publish_fault_change(name, "removed");
        }
        removed
    }

    /// How many bytes its own faults take.
    pub(crate) fn fault_bytes(&self) -> usize {
        self.config().share.bytes()
    }

    /// The seed that a reset returns to, if it is not the scenario's.
    pub(crate) fn start_seed(&self) -> Option<Seed> {
        self.config().start.seed
    }

    /// How often it began anew, by a reset or with another start.
    pub(crate) fn resets(&self) -> u64 {
        self.config().resets
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
        config.began = scenario.start_at(self.shared.time.now());
        (config.scenario, config.seed) = (scenario, start.seed);
        config.share.resize(start.weight());
        config.resets += 1;
        let stream = Arc::clone(&self.stream);
        let snapshot = config.snapshot(&self.shared, Some(&self.snapshot()));
        let clock = start.clock.apply_to(snapshot.clock);
        let begins_with = (snapshot, start.faults.clone());
        let run = Run::new(begins_with, clock, stream, self.minted.as_ref(), &self.shared);
        let before = self.run.swap(Arc::new(run));
        before.webhooks.close();
        let seed = self.snapshot().seed.0;
        if self.stream.is_watched() {
            self.stream.publish("reset", &serde_json::json!({ "seed": seed }));
        }
    }
}
