//! Rate limits of keys: fixed windows of world time, counted from the world's start (`docs/api.md` 1, step 5).

use std::collections::BTreeMap;

use crate::auth::RateLimit;
use crate::clock::Moment;

/// How much of its rate limit each key of a world has used.
#[derive(Debug, Default)]
pub(crate) struct Quotas {
    used: BTreeMap<String, Used>,
}

/// The window of a key's last request.
#[derive(Clone, Copy, Debug)]
struct Used {
    /// Number of the window, from 0 at the world's start.
    window: i64,
    /// How many requests have passed in it.
    passed: u32,
}

impl Quotas {
    /// Counts a request of a key if it passes.
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
        let gone = now.0.saturating_sub(start.0);
        let window = gone.div_euclid(length);
        let used = self.used.entry(key.to_owned()).or_insert(Used { window, passed: 0 });
        if used.window != window {
            *used = Used { window, passed: 0 };
        }
        if used.passed < limit.requests {
            used.passed += 1;
            return Ok(());
        }
        let left = length - gone.rem_euclid(length);
        Err(u64::try_from(left).unwrap_or_default().div_ceil(1000).max(1))
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
}
