//! The counters of the faults of one world.

/// The counters in a snapshot of a world.
pub(crate) mod saved;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::draw::{Draw, Seed};
use crate::fault::Fault;
use crate::memory::{Memory, Share};

/// The counters of one world. They are keyed by the name and text of a fault, so that they survive a reload which does not
/// change it.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Number of requests that arrived.
    arrived: u64,
    /// Number of requests by fingerprint, for the journal, which no fault needs. They count as those of a fault with id 0.
    seen: Recent<u32>,
    /// Number of counted requests by fingerprint.
    attempts: Recent<u32>,
    /// Counts of keys.
    keys: Recent<Scope>,
    /// Counts of the world, by fault.
    world: BTreeMap<u64, Scope>,
    /// How often each fault applied.
    hits: BTreeMap<u64, u64>,
}

/// Most fingerprints in one world.
const FINGERPRINTS: usize = 1_000_000;
/// Most fingerprints of which the journal of a world knows how often they were seen.
const SEEN: usize = 50_000;
/// Most keys in one world, each counted once for every fault.
const KEYS: usize = 100_000;
/// Most fingerprints and keys of all worlds together.
pub(crate) const ALL: usize = 2_000_000;
/// Most fingerprints, and most keys, of a world that counts another one while all worlds together have more than `ALL`.
const FEW: usize = 20;

/// Counts by fault and by fingerprint or key. Where there are too many, those that were not used for longest are forgotten,
/// half of them at once.
#[derive(Debug, Default)]
struct Recent<V> {
    /// Those used since `older` was filled, and their number.
    recent: Counts<V>,
    used: usize,
    /// Those used before, and their number.
    older: Counts<V>,
    unused: usize,
    /// Their part of those of all worlds.
    share: Share,
}

type Counts<V> = BTreeMap<u64, HashMap<u64, V>>;

fn number<V>(counts: &Counts<V>) -> usize {
    counts.values().map(HashMap::len).sum()
}

impl<V: Default> Recent<V> {
    /// The count of a fault under a key. A new one may be the `most`th at most.
    fn entry(&mut self, most: usize, fault: u64, key: u64) -> &mut V {
        let is_used = self.recent.get(&fault).is_some_and(|counts| counts.contains_key(&key));
        if !is_used {
            let most = if self.share.is_full() { most.min(FEW) } else { most };
            if self.used >= most / 2 {
                self.older = std::mem::take(&mut self.recent);
                (self.used, self.unused) = (0, self.used);
            }
            let before = self.older.get_mut(&fault).and_then(|counts| counts.remove(&key));
            self.unused -= usize::from(before.is_some());
            self.used += 1;
            self.recent.entry(fault).or_default().insert(key, before.unwrap_or_default());
            self.share.resize(self.used + self.unused);
        }
        self.recent.entry(fault).or_default().entry(key).or_default()
    }

    fn keep(&mut self, faults: &BTreeSet<u64>) {
        self.recent.retain(|fault, _| faults.contains(fault));
        self.older.retain(|fault, _| faults.contains(fault));
        (self.used, self.unused) = (number(&self.recent), number(&self.older));
        self.share.resize(self.used + self.unused);
    }
}

/// The counts of a world or key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scope {
    pub(crate) counted: u64,
    /// How many of the counted requests were selected.
    pub(crate) selected: u64,
}

/// The faults of a world in their order, each with the id of its counters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The load of the scenario that they come from.
    pub(crate) generation: u64,
    /// A world whose faults were changed shares the others with the scenario.
    faults: Vec<(u64, Arc<Fault>)>,
}

/// The id of a fault's counters. It takes as long as the fault's text.
pub(crate) fn id(fault: &Fault) -> u64 {
    Draw::new(Seed(0), "fault").with_text(&fault.name).with_text(&fault.text).number()
}

impl Plan {
    pub(crate) fn new(generation: u64, faults: Vec<Fault>) -> Self {
        Self { generation, faults: faults.into_iter().map(|fault| (id(&fault), Arc::new(fault))).collect() }
    }

    /// A plan of faults that other plans have too, with their ids.
    pub(crate) fn shared(generation: u64, faults: impl IntoIterator<Item = (u64, Arc<Fault>)>) -> Self {
        Self { generation, faults: faults.into_iter().collect() }
    }

    /// The faults with the ids of their counters.
    pub(crate) fn faults(&self) -> impl Iterator<Item = (u64, &Arc<Fault>)> {
        self.faults.iter().map(|(id, fault)| (*id, fault))
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Arc<Fault>> {
        self.faults.iter().map(|(_, fault)| fault).find(|fault| fault.name == name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }
}

impl Counters {
    /// Counters whose number counts towards that of all worlds.
    pub(crate) fn new(all: &Arc<Memory>) -> Self {
        let mut counters = Self::default();
        for share in [&mut counters.seen.share, &mut counters.attempts.share, &mut counters.keys.share] {
            *share = all.share(0);
        }
        counters
    }

    /// Counts an arrival and returns its number, from 1. The caller holds the lock under which faults count.
    pub(crate) const fn arrive(&mut self) -> u64 {
        self.arrived += 1;
        self.arrived
    }

    /// Number of the last arrival; 0 before the first.
    pub(crate) const fn arrived(&self) -> u64 {
        self.arrived
    }

    /// Counts a request for the journal, and returns how often its fingerprint was seen, from 1.
    pub(crate) fn see(&mut self, fingerprint: u64) -> u32 {
        let count = self.seen.entry(SEEN, 0, fingerprint);
        *count = count.saturating_add(1);
        *count
    }

    /// Counts a request with this fingerprint, and returns how many were counted before.
    pub(crate) fn attempt(&mut self, fault: u64, fingerprint: u64) -> u32 {
        self.attempt_within(FINGERPRINTS, fault, fingerprint)
    }

    fn attempt_within(&mut self, most: usize, fault: u64, fingerprint: u64) -> u32 {
        let count = self.attempts.entry(most, fault, fingerprint);
        let before = *count;
        *count = before.saturating_add(1);
        before
    }

    /// The counts of a fault for the world.
    pub(crate) fn world(&mut self, fault: u64) -> &mut Scope {
        self.world.entry(fault).or_default()
    }

    /// The counts of a fault for a key.
    pub(crate) fn key(&mut self, fault: u64, key: u64) -> &mut Scope {
        self.keys.entry(KEYS, fault, key)
    }

    /// Counts that a fault applied.
    pub(crate) fn hit(&mut self, fault: u64) {
        *self.hits.entry(fault).or_default() += 1;
    }

    /// How often a fault applied.
    pub(crate) fn hits(&self, fault: u64) -> u64 {
        self.hits.get(&fault).copied().unwrap_or_default()
    }

    /// Number of fingerprints over all faults.
    #[cfg(test)]
    pub(crate) fn fingerprints(&self) -> usize {
        self.attempts.used + self.attempts.unused
    }

    /// Removes the counters of faults that are not in the plan.
    pub(crate) fn keep(&mut self, plan: &Plan) {
        let kept: BTreeSet<u64> = plan.faults().map(|(id, _)| id).collect();
        self.attempts.keep(&kept);
        self.keys.keep(&kept);
        self.world.retain(|fault, _| kept.contains(fault));
        self.hits.retain(|fault, _| kept.contains(fault));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Limits;

    #[test]
    fn attempts_are_counted_by_fault_and_fingerprint() {
        let mut counters = Counters::default();
        assert_eq!([counters.attempt(1, 7), counters.attempt(1, 7), counters.attempt(2, 7)], [0, 1, 0]);
        assert_eq!((counters.attempt(1, 8), counters.fingerprints()), (0, 3));
    }

    #[test]
    fn the_fingerprints_that_were_not_counted_for_longest_are_forgotten() {
        let mut counters = Counters::default();
        for request in 0..2_500 {
            if request % 100 == 0 {
                assert_eq!(u64::from(counters.attempt_within(1_000, 1, 7)), request / 100, "it is kept");
            }
            counters.attempt_within(1_000, 1, 1_000 + request);
            assert!(counters.fingerprints() <= 1_000);
        }
        assert!(counters.fingerprints() > 500);
        assert_eq!(counters.attempt_within(1_000, 1, 1_000), 0, "it is forgotten");
    }

    #[test]
    fn a_world_remembers_only_the_last_few_while_all_worlds_have_too_many() {
        let all = Memory::new(Limits { world: usize::MAX, all: 1_000 }, Arc::default());
        let (mut large, mut small) = (Counters::new(&all), Counters::new(&all));
        for request in 0..1_001 {
            large.attempt(1, request);
        }
        for request in 0..1_000 {
            assert_eq!([small.attempt(1, request), small.attempt(1, request)], [0, 1]);
            small.key(1, request).counted += 1;
            assert!(small.fingerprints() <= FEW);
        }
        assert_eq!([small.attempt(1, 991), large.attempt(1, 1_000)], [2, 1], "the last ones are known");
        large.attempt(1, 1_001);
        large.attempt(1, 1_002);
        assert!(large.fingerprints() <= 1_003 && large.attempt(1, 1_000) == 2);
        drop((large, small));
        assert!(!all.is_full());
        assert_eq!(all.share(0).replace(0, 1_000), Ok(()), "all is given back");
    }

    #[test]
    fn counts_of_the_world_are_never_forgotten_and_those_of_keys_are_bounded() {
        let mut counters = Counters::default();
        counters.world(1).counted = 7;
        counters.key(1, 0).counted = 3;
        for key in 0..KEYS as u64 {
            counters.key(1, key).counted += 1;
        }
        assert_eq!((counters.world(1).counted, counters.key(1, 0).counted), (7, 0));
        assert!(counters.keys.used + counters.keys.unused <= KEYS);
    }
}
