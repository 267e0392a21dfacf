//! The counters of the faults of one world.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::draw::{Draw, Seed};
use crate::fault::Fault;

/// The counters of one world. They are keyed by the name and text of a fault, so that they survive a reload which does not
/// change it.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Number of requests that arrived.
    arrived: u64,
    /// Counts by fault and fingerprint. `attempts` has the fingerprints counted since `older` was filled, and `older` those
    /// counted before.
    attempts: BTreeMap<u64, Attempts>,
    older: BTreeMap<u64, Attempts>,
    /// Number of fingerprints in `attempts`.
    recent: usize,
    /// Counts by fault and by world or key.
    scopes: BTreeMap<(u64, u64), Scope>,
    /// How often each fault applied.
    hits: BTreeMap<u64, u64>,
}

/// Limit of fingerprints in one world. At the limit, those that have not been counted for longest are forgotten, half of
/// them at once.
const FINGERPRINTS: usize = 1_000_000;

/// Number of counted requests by fingerprint.
type Attempts = HashMap<u64, u32>;

/// The counts of a world or key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

impl Plan {
    pub(crate) fn new(generation: u64, faults: Vec<Fault>) -> Self {
        Self::shared(generation, faults.into_iter().map(Arc::new))
    }

    /// A plan of faults that other plans have too.
    pub(crate) fn shared(generation: u64, faults: impl IntoIterator<Item = Arc<Fault>>) -> Self {
        let id = |fault: &Fault| {
            Draw::new(Seed(0), "fault").with_text(&fault.name).with_text(&fault.text).number()
        };
        Self { generation, faults: faults.into_iter().map(|fault| (id(&fault), fault)).collect() }
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
    /// Counts an arrival and returns its number, from 1. The caller holds the lock under which faults count.
    pub(crate) const fn arrive(&mut self) -> u64 {
        self.arrived += 1;
        self.arrived
    }

    /// Counts a request with this fingerprint, and returns how many were counted before.
    pub(crate) fn attempt(&mut self, fault: u64, fingerprint: u64) -> u32 {
        self.attempt_within(FINGERPRINTS, fault, fingerprint)
    }

    fn attempt_within(&mut self, most: usize, fault: u64, fingerprint: u64) -> u32 {
        if let Some(count) = self.attempts.get_mut(&fault).and_then(|counts| counts.get_mut(&fingerprint)) {
            let before = *count;
            *count = before.saturating_add(1);
            return before;
        }
        if self.recent >= most / 2 {
            self.older = std::mem::take(&mut self.attempts);
            self.recent = 0;
        }
        let before =
            self.older.get_mut(&fault).and_then(|counts| counts.remove(&fingerprint)).unwrap_or_default();
        self.attempts.entry(fault).or_default().insert(fingerprint, before.saturating_add(1));
        self.recent += 1;
        before
    }

    /// The counts of a fault for a world or key.
    pub(crate) fn scope(&mut self, fault: u64, scope: u64) -> &mut Scope {
        self.scopes.entry((fault, scope)).or_default()
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
        self.attempts.values().chain(self.older.values()).map(HashMap::len).sum()
    }

    /// Removes the counters of faults that are not in the plan.
    pub(crate) fn keep(&mut self, plan: &Plan) {
        let kept: BTreeSet<u64> = plan.faults().map(|(id, _)| id).collect();
        self.attempts.retain(|fault, _| kept.contains(fault));
        self.older.retain(|fault, _| kept.contains(fault));
        self.recent = self.attempts.values().map(HashMap::len).sum();
        self.scopes.retain(|(fault, _), _| kept.contains(fault));
        self.hits.retain(|fault, _| kept.contains(fault));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
