//! What faults have counted in one world.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::draw::{Draw, Seed};
use crate::fault::Fault;

/// The counters of one world. They belong to a fault's name and text, so that they go on over a reload while that stays
/// as it was.
#[derive(Debug, Default)]
pub struct Counters {
    /// Requests that arrived.
    arrived: u64,
    /// Requests counted, by fault: the fingerprints counted since `older` was filled, and those counted before that.
    attempts: BTreeMap<u64, Attempts>,
    older: BTreeMap<u64, Attempts>,
    /// How many fingerprints `attempts` has.
    recent: usize,
    /// Requests counted and selected, by fault and by world or key.
    scopes: BTreeMap<(u64, u64), Scope>,
    /// How often each fault struck.
    strikes: BTreeMap<u64, u64>,
}

/// Most fingerprints that a world remembers. Beyond it those that were not counted for longest are forgotten, half of
/// them at once.
const FINGERPRINTS: usize = 1_000_000;

/// How many requests of each fingerprint were counted. At most 32 bytes for each: 12 and a mark in a table that is never
/// less than seven sixteenths full once it has grown.
type Attempts = HashMap<[u32; 2], u32, BuildHasherDefault<Folded>>;

/// What was counted before, in one scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Requests.
    pub counted: u64,
    /// Those of them that `hits` selected.
    pub selected: u64,
}

/// Fingerprints are hashes already: their halves are put together again.
#[derive(Debug, Default)]
pub struct Folded(u64);

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u32(&mut self, half: u32) {
        self.0 = self.0.rotate_left(32) ^ u64::from(half);
    }

    fn write_usize(&mut self, _length: usize) {}
}

/// Faults in their order, each with what its counters go by.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Which load of the scenario they are from.
    pub generation: u64,
    /// Worlds with faults of their own share all others with the scenario.
    faults: Vec<(u64, Arc<Fault>)>,
}

impl Plan {
    /// Those faults.
    #[must_use]
    pub fn new(generation: u64, faults: Vec<Fault>) -> Self {
        Self::shared(generation, faults.into_iter().map(Arc::new))
    }

    /// The same for faults that others have too.
    #[must_use]
    pub fn shared(generation: u64, faults: impl IntoIterator<Item = Arc<Fault>>) -> Self {
        let id = |fault: &Fault| {
            Draw::new(Seed(0), "fault").with_text(&fault.name).with_text(&fault.text).number()
        };
        Self { generation, faults: faults.into_iter().map(|fault| (id(&fault), fault)).collect() }
    }

    /// Each with what its counters go by.
    pub fn faults(&self) -> impl Iterator<Item = (u64, &Arc<Fault>)> {
        self.faults.iter().map(|(id, fault)| (*id, fault))
    }

    /// The fault of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Arc<Fault>> {
        self.faults.iter().map(|(_, fault)| fault).find(|fault| fault.name == name)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }
}

impl Counters {
    /// A request arrived: its number, from 1. Numbers are given out under the lock under which faults count.
    pub const fn arrive(&mut self) -> u64 {
        self.arrived += 1;
        self.arrived
    }

    /// Counts a request of that fingerprint, and tells how many there were before.
    pub fn attempt(&mut self, fault: u64, fingerprint: u64) -> u32 {
        self.attempt_within(FINGERPRINTS, fault, fingerprint)
    }

    fn attempt_within(&mut self, most: usize, fault: u64, fingerprint: u64) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of a number")]
        let halves = [(fingerprint >> 32) as u32, fingerprint as u32];
        if let Some(count) = self.attempts.get_mut(&fault).and_then(|counts| counts.get_mut(&halves)) {
            let before = *count;
            *count = before.saturating_add(1);
            return before;
        }
        if self.recent >= most / 2 {
            self.older = std::mem::take(&mut self.attempts);
            self.recent = 0;
        }
        let before = self.older.get_mut(&fault).and_then(|counts| counts.remove(&halves)).unwrap_or_default();
        self.attempts.entry(fault).or_default().insert(halves, before.saturating_add(1));
        self.recent += 1;
        before
    }

    /// The counter of a fault in a scope.
    pub fn scope(&mut self, fault: u64, scope: u64) -> &mut Scope {
        self.scopes.entry((fault, scope)).or_default()
    }

    /// A fault struck.
    pub fn strike(&mut self, fault: u64) {
        *self.strikes.entry(fault).or_default() += 1;
    }

    /// How often a fault struck.
    #[must_use]
    pub fn strikes(&self, fault: u64) -> u64 {
        self.strikes.get(&fault).copied().unwrap_or_default()
    }

    /// How many fingerprints are counted, over all faults.
    #[must_use]
    pub fn fingerprints(&self) -> usize {
        self.attempts.values().chain(self.older.values()).map(HashMap::len).sum()
    }

    /// Forgets what belongs to no fault of a list.
    pub fn keep(&mut self, plan: &Plan) {
        let kept: BTreeSet<u64> = plan.faults().map(|(id, _)| id).collect();
        self.attempts.retain(|fault, _| kept.contains(fault));
        self.older.retain(|fault, _| kept.contains(fault));
        self.recent = self.attempts.values().map(HashMap::len).sum();
        self.scopes.retain(|(fault, _), _| kept.contains(fault));
        self.strikes.retain(|fault, _| kept.contains(fault));
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

    #[test]
    fn a_counted_fingerprint_takes_at_most_32_bytes() {
        let entry = size_of::<([u32; 2], u32)>() + 1;
        let mut counters = Counters::default();
        for request in 0..200_000 {
            counters.attempt(1, Draw::new(Seed(0), "fingerprint").with(request).number());
            // The table doubles when it is seven eighths full.
            let slots = (counters.attempts[&1].capacity() * 8).div_ceil(7).next_power_of_two();
            let count = counters.fingerprints();
            assert!(count < 64 || slots * entry <= 32 * count, "{slots} slots for {count}");
        }
    }
}
