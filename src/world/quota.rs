//! Rate limits of keys: fixed windows of world time, counted from the world's start (`docs/api.md` 1, step 5).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::auth::{Key, RateLimit};
use crate::clock::{Moment, later};

/// How much of its rate limit each key of a world has used.
#[derive(Debug, Default)]
pub(crate) struct Quotas {
    used: BTreeMap<String, Used>,
}

/// The latest window in which a key was used.
#[derive(Clone, Copy, Debug)]
struct Used {
    /// When it begins. Windows are compared by that, since a reload can change their length.
    begin: Moment,
    /// How many requests have passed in it.
    passed: u32,
}

/// What a key has used, in a snapshot of its world.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedQuota {
    /// Place of the key in the scenario, from 0.
    place: usize,
    begin: Moment,
    passed: u32,
}

impl Quotas {
    /// What each key of the scenario has used, by the place of the key.
    pub(crate) fn save(&self, keys: &[Key]) -> Vec<SavedQuota> {
        let used = self.used.iter().filter_map(|(key, used)| {
            let place = keys.iter().position(|known| known.key == *key)?;
            Some(SavedQuota { place, begin: used.begin, passed: used.passed })
        });
        used.collect()
    }

    /// What was used by the keys that stand at those places now.
    pub(crate) fn restored(saved: Vec<SavedQuota>, keys: &[Key]) -> Self {
        let used = saved.into_iter().filter_map(|SavedQuota { place, begin, passed }| {
            Some((keys.get(place)?.key.clone(), Used { begin, passed }))
        });
        Self { used: used.collect() }
    }

    /// Counts a request of a key if it passes. A request that arrived before the latest window and is counted after it counts
    /// there.
    ///
    /// # Errors
    /// The limit is reached: the whole seconds until the window ends.
    pub(crate) fn pass(
        &mut self,
        key: &str,
        limit: RateLimit,
        start: Moment,
        now: Moment,
    ) -> Result<(), u64> {
        let length = i64::try_from(limit.window.as_millis()).unwrap_or(i64::MAX).max(1);
        let passed_by = now.0.saturating_sub(start.0).rem_euclid(length);
        let begin = Moment(now.0.saturating_sub(passed_by));
        let used = self.used.entry(key.to_owned()).or_insert(Used { begin, passed: 0 });
        if used.begin < begin {
            *used = Used { begin, passed: 0 };
        }
        if used.passed < limit.requests {
            used.passed += 1;
            return Ok(());
        }
        let left = length - passed_by;
        Err(u64::try_from(left).unwrap_or_default().div_ceil(1000).max(1))
    }

    /// How many requests of a key have passed in the latest window in which it was used, and when that ends.
    pub(crate) fn used(&self, key: &str, limit: RateLimit) -> Option<(u32, Moment)> {
        let used = self.used.get(key)?;
        Some((used.passed, later(used.begin, limit.window)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_first_so_many_of_each_window_pass_and_the_rest_learn_when_it_ends() {
        let limit = RateLimit { requests: 2, window: Duration::from_secs(60) };
        let (mut quotas, start) = (Quotas::default(), Moment(5_000));
        let mut at = |key: &str, ms: i64| quotas.pass(key, limit, start, Moment(5_000 + ms));
        assert_eq!(at("a", 0), Ok(()));
        assert_eq!(at("a", 59_000), Ok(()));
        assert_eq!(at("a", 59_001), Err(1));
        assert_eq!(at("a", 30_500), Err(30));
        assert_eq!(at("b", 59_999), Ok(()));
        assert_eq!(at("a", 60_000), Ok(()));
        assert_eq!(at("a", 60_000), Ok(()));
        assert_eq!(at("a", 60_000), Err(60));
    }

    #[test]
    fn a_request_that_is_counted_late_opens_no_earlier_window_again() {
        let limit = RateLimit { requests: 1, window: Duration::from_secs(10) };
        let mut quotas = Quotas::default();
        let mut at = |ms: i64| quotas.pass("a", limit, Moment(0), Moment(ms));
        assert_eq!((at(9_999), at(10_000), at(9_999), at(10_000)), (Ok(()), Ok(()), Err(1), Err(10)));
    }

    #[test]
    fn a_window_of_another_length_keeps_what_has_passed_until_a_later_window_begins() {
        let of = |requests, seconds| RateLimit { requests, window: Duration::from_secs(seconds) };
        let mut quotas = Quotas::default();
        let mut at = |limit, seconds: i64| quotas.pass("a", limit, Moment(0), Moment(seconds * 1_000));
        assert_eq!(at(of(1, 10), 75), Ok(()));
        assert_eq!(
            at(of(1, 60), 76),
            Err(44),
            "number 7 of the short windows is not before number 1 of the long"
        );
        assert_eq!(at(of(1, 60), 120), Ok(()));
        assert_eq!(at(of(1, 10), 125), Err(5));
        assert_eq!(at(of(1, 10), 130), Ok(()));
    }
}
