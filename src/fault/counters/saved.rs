//! The counters of a world as its snapshot has them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::api::ids::Hex;
use crate::fault::counters::{Counters, Counts, FINGERPRINTS, KEYS, Recent, SEEN, Scope, number};
use crate::memory::Memory;

/// All that is counted.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SavedCounters {
    arrived: u64,
    seen: SavedRecent<u32>,
    attempts: SavedRecent<u32>,
    keys: SavedRecent<Scope>,
    world: BTreeMap<Hex, Scope>,
    hits: BTreeMap<Hex, u64>,
}

type SavedCounts<V> = BTreeMap<Hex, BTreeMap<Hex, V>>;

/// Counts by fault and by fingerprint or key.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedRecent<V> {
    recent: SavedCounts<V>,
    older: SavedCounts<V>,
}

impl<V: Copy> SavedRecent<V> {
    fn of(counts: &Recent<V>) -> Self {
        let save = |counts: &Counts<V>| {
            let inner = |counts: &HashMap<u64, V>| {
                let mut sorted: Vec<(u64, V)> = counts.iter().map(|(key, count)| (*key, *count)).collect();
                sorted.sort_unstable_by_key(|(key, _)| *key);
                sorted.into_iter().map(|(key, count)| (Hex(key), count)).collect()
            };
            counts.iter().map(|(fault, counts)| (Hex(*fault), inner(counts))).collect()
        };
        Self { recent: save(&counts.recent), older: save(&counts.older) }
    }

    /// Puts the counts in place of others, of which there may be so many. Returns whether there are no more.
    fn restore(self, into: &mut Recent<V>, most: usize) -> bool {
        let restore = |counts: SavedCounts<V>| -> Counts<V> {
            let inner =
                |counts: BTreeMap<Hex, V>| counts.into_iter().map(|(key, count)| (key.0, count)).collect();
            counts.into_iter().map(|(fault, counts)| (fault.0, inner(counts))).collect()
        };
        (into.recent, into.older) = (restore(self.recent), restore(self.older));
        (into.used, into.unused) = (number(&into.recent), number(&into.older));
        into.share.resize(into.used + into.unused);
        into.used + into.unused <= most
    }
}

impl Counters {
    pub(crate) fn save(&self) -> SavedCounters {
        SavedCounters {
            arrived: self.arrived,
            seen: SavedRecent::of(&self.seen),
            attempts: SavedRecent::of(&self.attempts),
            keys: SavedRecent::of(&self.keys),
            world: self.world.iter().map(|(fault, scope)| (Hex(*fault), *scope)).collect(),
            hits: self.hits.iter().map(|(fault, hits)| (Hex(*fault), *hits)).collect(),
        }
    }

    /// The counters of a snapshot, which count towards that of all worlds. None if there are more than a world may have.
    pub(crate) fn restored(saved: SavedCounters, all: &Arc<Memory>) -> Option<Self> {
        let mut counters = Self::new(all);
        counters.arrived = saved.arrived;
        counters.world = saved.world.into_iter().map(|(fault, scope)| (fault.0, scope)).collect();
        counters.hits = saved.hits.into_iter().map(|(fault, hits)| (fault.0, hits)).collect();
        let fits = saved.seen.restore(&mut counters.seen, SEEN)
            && saved.attempts.restore(&mut counters.attempts, FINGERPRINTS)
            && saved.keys.restore(&mut counters.keys, KEYS);
        fits.then_some(counters)
    }
}
