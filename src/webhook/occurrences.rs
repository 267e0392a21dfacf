//! How often each kind of event occurred, which tells apart its occurrences.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::api::ids::Hex;

/// Most kinds of events whose occurrences are counted. Beyond it those that did not occur for longest are forgotten, half
/// of them at once.
const KINDS: usize = 200_000;

/// How often each kind of event occurred: an event of one account and conversation.
#[derive(Debug, Default)]
pub(super) struct Occurrences {
    recent: HashMap<u64, u64>,
    older: HashMap<u64, u64>,
}

/// The same in a snapshot of a world.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedOccurrences {
    recent: BTreeMap<Hex, u64>,
    older: BTreeMap<Hex, u64>,
}

impl Occurrences {
    pub(super) fn save(&self) -> SavedOccurrences {
        fn save(counts: &HashMap<u64, u64>) -> BTreeMap<Hex, u64> {
            let mut sorted: Vec<(u64, u64)> = counts.iter().map(|(kind, count)| (*kind, *count)).collect();
            sorted.sort_unstable();
            sorted.into_iter().map(|(kind, count)| (Hex(kind), count)).collect()
        }
        SavedOccurrences { recent: save(&self.recent), older: save(&self.older) }
    }

    /// None if there are more than a world may have.
    pub(super) fn restored(saved: SavedOccurrences) -> Option<Self> {
        let restore = |counts: BTreeMap<Hex, u64>| -> HashMap<u64, u64> {
            counts.into_iter().map(|(kind, count)| (kind.0, count)).collect()
        };
        let fits = saved.recent.len() + saved.older.len() <= KINDS;
        fits.then(|| Self { recent: restore(saved.recent), older: restore(saved.older) })
    }

    pub(super) fn get(&self, kind: u64) -> u64 {
        self.recent.get(&kind).or_else(|| self.older.get(&kind)).copied().unwrap_or_default()
    }

    /// Counts an occurrence. Returns its 1-based number.
    pub(super) fn add(&mut self, kind: u64) -> u64 {
        let number = self.get(kind) + 1;
        if self.recent.len() >= KINDS / 2 && !self.recent.contains_key(&kind) {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(kind, number);
        number
    }
}
