//! All worlds of a process. Every scenario has a standing world of its own name, and so has every key of the default
//! scenario that is marked `world: own`; `default` is another name of the default scenario's. More are made on demand,
//! each with a key of its own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::draw::Seed;
use crate::journal::budget::Budget;
use crate::scenario::leaf::is_world_name;
use crate::world::World;
use crate::world::snapshot::Snapshot;

/// The name that always means the default scenario's standing world.
pub const DEFAULT: &str = "default";

/// There are at most so many worlds.
const MOST_WORLDS: usize = 100_000;

/// The worlds, by name.
#[derive(Debug)]
pub struct Registry {
    /// Name of the default scenario; it stays for the life of the process.
    default: String,
    /// Read by every request for a few instructions, never across an await; written when worlds come or go.
    worlds: RwLock<Worlds>,
    /// Whether any key has a world of its own: told without the lock, for most processes have none.
    own_keys: AtomicBool,
    /// What the journals of all worlds keep.
    pub budget: Arc<Budget>,
}

#[derive(Debug)]
struct Worlds {
    default: Arc<World>,
    by_name: BTreeMap<String, Arc<World>>,
    /// Worlds of keys: those marked `world: own`, and those minted with a world.
    by_key: BTreeMap<String, Arc<World>>,
    /// What each scenario's last good load made.
    loaded: BTreeMap<String, Arc<Snapshot>>,
    /// How many names were given out.
    named: u64,
}

/// What a world is made of.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Its name; else one is given.
    pub name: Option<String>,
    /// Its scenario; else the default one.
    pub scenario: Option<String>,
    /// Its seed; else the scenario's.
    pub seed: Option<Seed>,
}

/// Why a world is not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotMade {
    /// The name is none that a world can have.
    BadName(String),
    /// There is one of that name.
    Exists(String),
    /// No scenario has that name.
    NoScenario(String),
    /// There are too many.
    TooMany,
    /// The system gives no random number for a key.
    NoKey,
}

impl Registry {
    /// The worlds of some scenarios, of which the one of that name is the default.
    ///
    /// # Errors
    /// Gives the snapshots back where none has that name.
    pub fn new(
        default: &str,
        snapshots: Vec<Arc<Snapshot>>,
        budget: Arc<Budget>,
    ) -> Result<Self, Vec<Arc<Snapshot>>> {
        let Some(first) = snapshots.iter().find(|snapshot| snapshot.scenario == default).cloned() else {
            return Err(snapshots);
        };
        let world = Arc::new(World::standing(default.to_owned(), first, &budget));
        let by_name = BTreeMap::from([(default.to_owned(), Arc::clone(&world))]);
        let worlds =
            Worlds { default: world, by_name, by_key: BTreeMap::new(), loaded: BTreeMap::new(), named: 0 };
        let registry = Self {
            default: default.to_owned(),
            worlds: RwLock::new(worlds),
            own_keys: AtomicBool::new(false),
            budget,
        };
        for snapshot in &snapshots {
            registry.apply(snapshot);
        }
        Ok(registry)
    }

    fn read(&self) -> RwLockReadGuard<'_, Worlds> {
        self.worlds.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Worlds> {
        self.worlds.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The default scenario's standing world.
    #[must_use]
    pub fn default_world(&self) -> Arc<World> {
        Arc::clone(&self.read().default)
    }

    /// The world of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<Arc<World>> {
        let worlds = self.read();
        if name == DEFAULT { Some(Arc::clone(&worlds.default)) } else { worlds.by_name.get(name).cloned() }
    }

    /// The world that a key goes to, if it has one of its own.
    #[must_use]
    pub fn of_key(&self, key: &str) -> Option<Arc<World>> {
        self.read().by_key.get(key).cloned()
    }

    /// Whether any key has a world of its own.
    #[must_use]
    pub fn has_own_keys(&self) -> bool {
        self.own_keys.load(Ordering::Acquire)
    }

    /// Name of the default scenario.
    #[must_use]
    pub fn default_name(&self) -> &str {
        &self.default
    }

    /// How many worlds there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.read().by_name.len()
    }

    /// All worlds, by name.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<World>> {
        self.read().by_name.values().cloned().collect()
    }

    /// Makes a world.
    ///
    /// # Errors
    /// Where that cannot be.
    pub fn make(&self, wanted: Wanted) -> Result<Arc<World>, NotMade> {
        let key = Seed::random().and_then(|a| Ok((a, Seed::random()?))).map_err(|_| NotMade::NoKey)?;
        let key = format!("standin-{:014x}{:014x}", key.0.0, key.1.0);
        let mut worlds = self.write();
        if worlds.by_name.len() >= MOST_WORLDS {
            return Err(NotMade::TooMany);
        }
        let name = match wanted.name {
            Some(name) if name == DEFAULT || !is_world_name(&name) => return Err(NotMade::BadName(name)),
            Some(name) if worlds.by_name.contains_key(&name) => return Err(NotMade::Exists(name)),
            Some(name) => name,
            None => worlds.free_name(),
        };
        let scenario = wanted.scenario.unwrap_or_else(|| self.default.clone());
        let Some(snapshot) = worlds.loaded.get(&scenario) else { return Err(NotMade::NoScenario(scenario)) };
        let world = Arc::new(World::made(name.clone(), snapshot, key.clone(), wanted.seed, &self.budget));
        worlds.by_name.insert(name, Arc::clone(&world));
        worlds.by_key.insert(key, Arc::clone(&world));
        self.own_keys.store(true, Ordering::Release);
        Ok(world)
    }

    /// Serves a scenario, new or loaded anew, in all its worlds: the standing one, those of its keys, and those made
    /// from it.
    pub fn apply(&self, snapshot: &Arc<Snapshot>) {
        let mut worlds = self.write();
        for world in worlds.by_name.values().filter(|world| world.snapshot().scenario == snapshot.scenario) {
            world.replace(snapshot);
        }
        worlds.loaded.insert(snapshot.scenario.clone(), Arc::clone(snapshot));
        worlds.stand(&snapshot.scenario, snapshot, &self.budget);
        if snapshot.scenario == self.default {
            let own = |(_, world): &(&String, &Arc<World>)| world.minted.is_some();
            let minted =
                worlds.by_key.iter().filter(own).map(|(key, world)| (key.clone(), Arc::clone(world)));
            let mut by_key: BTreeMap<String, Arc<World>> = minted.collect();
            for key in snapshot.keys.all().iter().filter(|key| key.own_world) {
                if let Some(name) = &key.name {
                    by_key.insert(key.key.clone(), worlds.stand(name, snapshot, &self.budget));
                }
            }
            self.own_keys.store(!by_key.is_empty(), Ordering::Release);
            worlds.by_key = by_key;
        }
    }
}

impl Worlds {
    /// The standing world of that name, made if it is not there. A world made on demand gives its name up to it, and is
    /// reached by its key alone.
    fn stand(&mut self, name: &str, snapshot: &Arc<Snapshot>, budget: &Arc<Budget>) -> Arc<World> {
        if let Some(world) = self.by_name.get(name).filter(|world| world.minted.is_none()) {
            return Arc::clone(world);
        }
        let world = Arc::new(World::standing(name.to_owned(), Arc::clone(snapshot), budget));
        self.by_name.insert(name.to_owned(), Arc::clone(&world));
        world
    }

    fn free_name(&mut self) -> String {
        loop {
            self.named += 1;
            let name = format!("world-{}", self.named);
            if !self.by_name.contains_key(&name) {
                return name;
            }
        }
    }
}
