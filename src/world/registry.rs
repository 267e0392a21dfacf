//! All worlds of a process. Every scenario has a standing world of its name, and so has every key of the default scenario
//! that is marked `world: own`; `default` is another name of the default scenario's world. Others are created on demand,
//! each with its own key, and are removed when they are idle.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use crate::draw::Seed;
use crate::journal::secrets::MINTED_PREFIX;
use crate::scenario::scalars::is_world_name;
use crate::world::World;
use crate::world::create::{CreateError, MOST_WORLDS, RemoveError, Start, WorldRequest};
use crate::world::saved::{Hidden, NotRestored};
use crate::world::shared::Shared;
use crate::world::snapshot::Snapshot;

/// Another name of the default scenario's standing world.
pub(crate) const DEFAULT: &str = "default";

/// A new API key; none if the system provides no random number.
pub(crate) fn mint() -> Option<String> {
    let (Ok(first), Ok(second)) = (Seed::random(), Seed::random()) else { return None };
    Some(format!("{MINTED_PREFIX}{:014x}{:014x}", first.0, second.0))
}

#[derive(Debug)]
pub(crate) struct Registry {
    /// Name of the default scenario; it stays for the life of the process.
    default: String,
    /// Read by every request for a few instructions, never across an await; written when worlds are created or removed.
    worlds: RwLock<Worlds>,
    /// Whether any key has a world of its own: read without the lock, since most processes have none.
    own_keys: AtomicBool,
    pub(crate) shared: Shared,
    /// Held to create, reset or remove worlds or to apply a scenario, before the other locks, so that no scenario changes
    /// while a world takes it up, and no two worlds take the last place. No request waits for it.
    changing: Mutex<()>,
}

#[derive(Debug)]
struct Worlds {
    default: Arc<World>,
    by_name: BTreeMap<String, Arc<World>>,
    /// Worlds of keys that are marked `world: own` or were minted with a world.
    by_key: BTreeMap<String, Arc<World>>,
    /// The last good load of each scenario.
    loaded: BTreeMap<String, Arc<Snapshot>>,
    /// The number in the last name that was given out.
    named: u64,
}

impl Registry {
    /// The worlds of some scenarios, of which the one with that name is the default.
    ///
    /// # Errors
    /// Returns the snapshots if no scenario has that name.
    pub(crate) fn new(
        default: &str,
        snapshots: Vec<Arc<Snapshot>>,
        shared: Shared,
    ) -> Result<Self, Vec<Arc<Snapshot>>> {
        let Some(first) = snapshots.iter().find(|snapshot| snapshot.scenario == default).cloned() else {
            return Err(snapshots);
        };
        let world = Arc::new(World::standing(default.to_owned(), first, &shared));
        world.run().start_webhooks();
        let by_name = BTreeMap::from([(default.to_owned(), Arc::clone(&world))]);
        let worlds =
            Worlds { default: world, by_name, by_key: BTreeMap::new(), loaded: BTreeMap::new(), named: 0 };
        let registry = Self {
            default: default.to_owned(),
            worlds: RwLock::new(worlds),
            own_keys: AtomicBool::new(false),
            shared,
            changing: Mutex::default(),
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

    fn change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The default scenario's standing world.
    pub(crate) fn default_world(&self) -> Arc<World> {
        Arc::clone(&self.read().default)
    }

    /// The world of that name.
    pub(crate) fn named(&self, name: &str) -> Option<Arc<World>> {
        let worlds = self.read();
        if name == DEFAULT { Some(Arc::clone(&worlds.default)) } else { worlds.by_name.get(name).cloned() }
    }

    /// The world of a key, if it has its own.
    pub(crate) fn of_key(&self, key: &str) -> Option<Arc<World>> {
        self.read().by_key.get(key).cloned()
    }

    /// Whether any key has a world of its own.
    pub(crate) fn has_own_keys(&self) -> bool {
        self.own_keys.load(Ordering::Acquire)
    }

    /// Name of the default scenario.
    pub(crate) fn default_name(&self) -> &str {
        &self.default
    }

    /// How many worlds there are.
    pub(crate) fn count(&self) -> usize {
        self.read().by_name.len()
    }

    /// The worlds of scenarios and keys, by name.
    pub(crate) fn standing(&self) -> Vec<Arc<World>> {
        self.read().by_name.values().filter(|world| world.is_standing()).cloned().collect()
    }

    /// A page of all worlds, by name, and how many there are.
    pub(crate) fn page(&self, offset: usize, limit: usize) -> (Vec<Arc<World>>, usize) {
        let worlds = self.read();
        (worlds.by_name.values().skip(offset).take(limit).cloned().collect(), worlds.by_name.len())
    }

    /// The scenario of that name, or the default one, as loaded last.
    pub(crate) fn scenario(&self, name: Option<&str>) -> Option<Arc<Snapshot>> {
        self.read().loaded.get(name.unwrap_or(&self.default)).cloned()
    }

    /// Creates a world.
    pub(crate) fn make(&self, wanted: WorldRequest) -> Result<Arc<World>, CreateError> {
        let _held = self.change();
        self.made(wanted)
    }

    /// Creates the world of a name, or begins it anew if it exists: with the requested start and its own key, and with
    /// another scenario only if one is named. Returns whether it was created.
    ///
    /// # Errors
    /// An existing world stays as it was.
    pub(crate) fn put(&self, name: &str, wanted: WorldRequest) -> Result<(Arc<World>, bool), CreateError> {
        let _held = self.change();
        let Some(world) = self.named(name) else {
            return Ok((self.made(WorldRequest { name: Some(name.to_owned()), ..wanted })?, true));
        };
        let (own, _) = world.scenario();
        let scenario = match wanted.scenario {
            None => own,
            Some(other) if world.is_standing() && other != own.scenario => {
                return Err(CreateError::Standing(world.name.clone()));
            }
            Some(named) => self.scenario(Some(&named)).ok_or(CreateError::NoScenario(named))?,
        };
        self.find_room(&scenario, &wanted.start, Some(&world))?;
        world.recreate(scenario, &wanted.start);
        world.run().start_webhooks();
        Ok((world, false))
    }

    /// Takes up a snapshot in the world of a name, which is made if it is not there. Returns whether it was made. The key of
    /// the snapshot moves with it, unless another world of this process has it.
    ///
    /// # Errors
    /// Nothing is changed.
    pub(crate) fn restore(&self, name: &str, saved: &Hidden) -> Result<(Arc<World>, bool), NotRestored> {
        let _held = self.change();
        let present = self.named(name);
        let scenario = self.scenario(Some(&saved.scenario));
        let scenario = scenario.ok_or_else(|| CreateError::NoScenario(saved.scenario.clone()))?;
        if let Some(world) = present.as_ref().filter(|world| world.is_standing()) {
            if world.scenario().0.scenario != scenario.scenario {
                return Err(CreateError::Standing(world.name.clone()).into());
            }
            world.restore(saved, scenario)?;
            world.run().start_webhooks();
            return Ok((Arc::clone(world), false));
        }
        if name == DEFAULT || !is_world_name(name) {
            return Err(CreateError::BadName(name.to_owned()).into());
        }
        if present.is_none() && self.count() >= MOST_WORLDS {
            return Err(CreateError::TooMany.into());
        }
        let is_free = |key: &String| {
            self.of_key(key).is_none_or(|owner| present.as_ref().is_some_and(|own| Arc::ptr_eq(own, &owner)))
        };
        let key = saved.api_key.clone().filter(is_free).or_else(mint).ok_or(CreateError::NoKey)?;
        let world = World::on_demand(
            name.to_owned(),
            Arc::clone(&scenario),
            key.clone(),
            Start::default(),
            &self.shared,
        );
        world.restore(saved, scenario)?;
        let world = Arc::new(world);
        self.forget(present.as_slice());
        let mut worlds = self.write();
        worlds.by_name.insert(name.to_owned(), Arc::clone(&world));
        worlds.by_key.insert(key, Arc::clone(&world));
        self.own_keys.store(true, Ordering::Release);
        drop(worlds);
        if let Some(before) = &present {
            before.run().webhooks.close();
        }
        world.run().start_webhooks();
        Ok((world, present.is_none()))
    }

    /// Resets a world to its start. Another seed lasts until the next reset.
    ///
    /// # Errors
    /// There is no room for the dataset of that seed; the world stays as it was.
    pub(crate) fn reset(&self, world: &Arc<World>, seed: Option<Seed>) -> Result<(), CreateError> {
        let _held = self.change();
        self.find_dataset(&world.scenario().0, seed.or(world.start_seed()), Some(world))?;
        world.reset(seed);
        world.run().start_webhooks();
        Ok(())
    }

    /// Removes a world: its name is free then, and its key unknown.
    pub(crate) fn remove(&self, name: &str) -> Result<(), RemoveError> {
        let held = self.change();
        let world = self.named(name).ok_or(RemoveError::Unknown)?;
        if world.is_standing() {
            return Err(RemoveError::Standing);
        }
        let gone = [world];
        self.forget(&gone);
        drop(held);
        Ok(())
    }

    /// Removes the worlds that were created on demand and not used for longer than `idle`. `now` is the process's time.
    /// Returns how many were removed.
    pub(crate) fn expire(&self, now: Duration, idle: Duration) -> usize {
        let held = self.change();
        let idled = |world: &&Arc<World>| now.saturating_sub(world.last_used()) > idle;
        let gone: Vec<Arc<World>> = self.read().made().filter(idled).cloned().collect();
        self.forget(&gone);
        drop(held);
        gone.len()
    }

    /// Removes worlds from the lists, some at a time, so that no request waits long. The caller drops them after it has
    /// released all locks.
    fn forget(&self, gone: &[Arc<World>]) {
        for some in gone.chunks(100) {
            let mut worlds = self.write();
            for world in some {
                if worlds.by_name.get(&world.name).is_some_and(|named| Arc::ptr_eq(named, world)) {
                    worlds.by_name.remove(&world.name);
                }
                if let Some(key) = &world.minted {
                    worlds.by_key.remove(&key.key);
                }
            }
            self.own_keys.store(!worlds.by_key.is_empty(), Ordering::Release);
        }
    }

    fn made(&self, wanted: WorldRequest) -> Result<Arc<World>, CreateError> {
        let key = mint().ok_or(CreateError::NoKey)?;
        let scenario = self.scenario(wanted.scenario.as_deref());
        let scenario =
            scenario.ok_or_else(|| CreateError::NoScenario(wanted.scenario.unwrap_or_default()))?;
        self.find_room(&scenario, &wanted.start, None)?;
        let mut worlds = self.write();
        if worlds.by_name.len() >= MOST_WORLDS {
            return Err(CreateError::TooMany);
        }
        let name = match wanted.name {
            Some(name) if name == DEFAULT || !is_world_name(&name) => return Err(CreateError::BadName(name)),
            Some(name) if worlds.by_name.contains_key(&name) => return Err(CreateError::Exists(name)),
            Some(name) => name,
            None => worlds.free_name(),
        };
        let world =
            Arc::new(World::on_demand(name.clone(), scenario, key.clone(), wanted.start, &self.shared));
        world.run().start_webhooks();
        worlds.by_name.insert(name, Arc::clone(&world));
        worlds.by_key.insert(key, Arc::clone(&world));
        self.own_keys.store(true, Ordering::Release);
        Ok(world)
    }

    /// Checks that there is room for a world with that start, in place of the given one.
    fn find_room(
        &self,
        scenario: &Snapshot,
        start: &Start,
        world: Option<&Arc<World>>,
    ) -> Result<(), CreateError> {
        let given_up = world.map_or(0, |world| world.fault_bytes());
        if !self.shared.fault_memory().has_room_for(start.weight(), given_up) {
            return Err(CreateError::NoRoom);
        }
        self.find_dataset(scenario, start.seed, world)
    }

    /// Checks that there is room for a dataset of that seed.
    fn find_dataset(
        &self,
        scenario: &Snapshot,
        seed: Option<Seed>,
        world: Option<&Arc<World>>,
    ) -> Result<(), CreateError> {
        let given_up = world.map(|world| world.snapshot());
        let now = self.shared.time.now();
        Ok(scenario.room_for(seed, now, &self.shared.datasets, given_up.as_deref())?)
    }

    /// Applies a scenario that was loaded to all its worlds: the standing one, those of its keys, and those on demand.
    pub(crate) fn apply(&self, snapshot: &Arc<Snapshot>) {
        let _held = self.change();
        let all: Vec<Arc<World>> = self.read().every().cloned().collect();
        for world in all.iter().filter(|world| world.snapshot().scenario == snapshot.scenario) {
            world.replace(snapshot);
            world.run().start_webhooks();
        }
        let mut worlds = self.write();
        worlds.loaded.insert(snapshot.scenario.clone(), Arc::clone(snapshot));
        self.shared.secrets.set_keys(worlds.loaded.values().map(|snapshot| &*snapshot.keys));
        worlds.stand(&snapshot.scenario, snapshot, &self.shared);
        if snapshot.scenario == self.default {
            worlds.by_key.retain(|_, world| !world.is_standing());
            for key in snapshot.keys.all().iter().filter(|key| key.own_world) {
                if let Some(name) = &key.name {
                    let world = worlds.stand(name, snapshot, &self.shared);
                    worlds.by_key.insert(key.key.clone(), world);
                }
            }
            self.own_keys.store(!worlds.by_key.is_empty(), Ordering::Release);
        }
    }
}

impl Worlds {
    /// Worlds on demand, by their keys, since a standing world may have taken over a name.
    fn made(&self) -> impl Iterator<Item = &Arc<World>> {
        self.by_key.values().filter(|world| !world.is_standing())
    }

    fn every(&self) -> impl Iterator<Item = &Arc<World>> {
        self.by_name.values().filter(|world| world.is_standing()).chain(self.made())
    }

    /// The standing world of that name, created if there is none. It takes the name of a world on demand, which is then
    /// reached by its key only.
    fn stand(&mut self, name: &str, snapshot: &Arc<Snapshot>, shared: &Shared) -> Arc<World> {
        if let Some(world) = self.by_name.get(name).filter(|world| world.is_standing()) {
            return Arc::clone(world);
        }
        let world = Arc::new(World::standing(name.to_owned(), Arc::clone(snapshot), shared));
        world.run().start_webhooks();
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
