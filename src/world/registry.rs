//! All worlds of a process. Every scenario has a standing world of its own name, and so has every key of the default
//! scenario that is marked `world: own`; `default` is another name of the default scenario's.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use crate::world::World;
use crate::world::snapshot::Snapshot;

/// The name that always means the default scenario's standing world.
pub const DEFAULT: &str = "default";

/// The worlds, by name.
#[derive(Debug)]
pub struct Registry {
    /// Name of the default scenario; it stays for the life of the process.
    default: String,
    /// Read by every request; replaced as a whole when worlds come or go.
    worlds: ArcSwap<Worlds>,
    /// Held while `worlds` is replaced, so that no change is lost.
    change: Mutex<()>,
}

#[derive(Clone, Debug)]
struct Worlds {
    default: Arc<World>,
    by_name: BTreeMap<String, Arc<World>>,
    /// Worlds of keys marked `world: own`, by key.
    by_key: BTreeMap<String, Arc<World>>,
}

impl Registry {
    /// The worlds of some scenarios, of which the one of that name is the default.
    ///
    /// # Errors
    /// Gives the snapshots back where none has that name.
    pub fn new(default: &str, snapshots: Vec<Arc<Snapshot>>) -> Result<Self, Vec<Arc<Snapshot>>> {
        let Some(first) = snapshots.iter().find(|snapshot| snapshot.scenario == default).cloned() else {
            return Err(snapshots);
        };
        let world = Arc::new(World::new(default.to_owned(), first));
        let by_name = BTreeMap::from([(default.to_owned(), Arc::clone(&world))]);
        let worlds = Worlds { default: world, by_name, by_key: BTreeMap::new() };
        let registry = Self {
            default: default.to_owned(),
            worlds: ArcSwap::from_pointee(worlds),
            change: Mutex::default(),
        };
        for snapshot in &snapshots {
            registry.apply(snapshot);
        }
        Ok(registry)
    }

    /// The default scenario's standing world.
    #[must_use]
    pub fn default_world(&self) -> Arc<World> {
        Arc::clone(&self.worlds.load().default)
    }

    /// The world of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<Arc<World>> {
        let worlds = self.worlds.load();
        if name == DEFAULT { Some(Arc::clone(&worlds.default)) } else { worlds.by_name.get(name).cloned() }
    }

    /// The world that a key goes to, if it has one of its own.
    #[must_use]
    pub fn of_key(&self, key: &str) -> Option<Arc<World>> {
        self.worlds.load().by_key.get(key).cloned()
    }

    /// Whether any key has a world of its own.
    #[must_use]
    pub fn has_own_keys(&self) -> bool {
        !self.worlds.load().by_key.is_empty()
    }

    /// Name of the default scenario.
    #[must_use]
    pub fn default_name(&self) -> &str {
        &self.default
    }

    /// All worlds, by name.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<World>> {
        self.worlds.load().by_name.values().cloned().collect()
    }

    /// Serves a scenario, new or loaded anew, in its standing world and in the worlds of its keys.
    pub fn apply(&self, snapshot: &Arc<Snapshot>) {
        let _change = self.change.lock().unwrap_or_else(PoisonError::into_inner);
        let mut worlds = Worlds::clone(&self.worlds.load());
        let mut names = vec![snapshot.scenario.clone()];
        if snapshot.scenario == self.default {
            let own = |key: &&crate::auth::Key| key.own_world;
            let keys = snapshot.keys.all().iter().filter(own);
            let keys: BTreeMap<&str, &str> =
                keys.filter_map(|key| Some((key.key.as_str(), key.name.as_deref()?))).collect();
            names.extend(keys.values().map(|name| (*name).to_owned()));
            worlds.put(&names, snapshot);
            let of_key =
                |(key, name): (&str, &str)| Some((key.to_owned(), worlds.by_name.get(name)?.clone()));
            worlds.by_key = keys.into_iter().filter_map(of_key).collect();
        } else {
            worlds.put(&names, snapshot);
        }
        self.worlds.store(Arc::new(worlds));
    }
}

impl Worlds {
    fn put(&mut self, names: &[String], snapshot: &Arc<Snapshot>) {
        for name in names {
            if let Some(world) = self.by_name.get(name) {
                world.replace(snapshot);
            } else {
                let world = Arc::new(World::new(name.clone(), Arc::clone(snapshot)));
                self.by_name.insert(name.clone(), world);
            }
        }
    }
}
