//! The virtual clock of a world, running or frozen, and the process's own time. The only reader of the system's clocks.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// An instant: milliseconds since 1970-01-01T00:00:00Z. `api::dates` parses and formats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Moment(pub(crate) i64);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let moment = Self(i64::deserialize(from)?);
        let can_be_shown = (Self::FIRST..=Self::LAST).contains(&moment);
        can_be_shown.then_some(moment).ok_or_else(|| D::Error::custom("an instant that no clock can show"))
    }
}

impl Moment {
    /// The first instant that a clock can show: 0001-01-01T00:00:00Z.
    pub(crate) const FIRST: Self = Self(-62_135_596_800_000);
    /// The last instant that a clock can show: 9999-12-31T23:59:59.999Z. A running clock stands still there.
    pub(crate) const LAST: Self = Self(253_402_300_799_999);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// Stands still until it is advanced.
    Frozen,
    /// Goes on with real time.
    Running,
}

/// The clock setting of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// None means the system's time.
    pub(crate) start: Option<Moment>,
    pub(crate) mode: Mode,
}

impl Default for Setting {
    fn default() -> Self {
        Self { start: None, mode: Mode::Running }
    }
}

/// The parts of a clock setting that a request or a scenario file gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartialSetting {
    pub(crate) start: Option<Moment>,
    pub(crate) mode: Option<Mode>,
}

impl PartialSetting {
    /// Replaces the given parts of a setting.
    pub(crate) fn apply_to(self, setting: Setting) -> Setting {
        Setting { start: self.start.or(setting.start), mode: self.mode.unwrap_or(setting.mode) }
    }
}

/// The system's time.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads it")]
pub(crate) fn system_now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Where loads and worlds read the present: the system's time, or an instant that stands in for it (`--now`).
#[derive(Clone, Debug, Default)]
pub(crate) struct TimeSource {
    /// Milliseconds since 1970. All clones share it, so that tests can step the time of existing worlds.
    fixed: Option<Arc<AtomicI64>>,
}

impl TimeSource {
    /// The given instant, or the system's time.
    pub(crate) fn new(fixed: Option<Moment>) -> Self {
        Self { fixed: fixed.map(|moment| Arc::new(AtomicI64::new(moment.0))) }
    }

    pub(crate) fn now(&self) -> Moment {
        self.fixed.as_ref().map_or_else(system_now, |fixed| Moment(fixed.load(Ordering::Relaxed)))
    }

    /// Sets the instant that stands in for the system's time.
    #[cfg(test)]
    pub(crate) fn set(&self, moment: Moment) {
        self.fixed.iter().for_each(|fixed| fixed.store(moment.0, Ordering::Relaxed));
    }
}

/// A monotonic instant of real time.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads it")]
pub(crate) fn real_now() -> Instant {
    Instant::now()
}

/// Time since the first call of this function.
pub(crate) fn uptime() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(real_now);
    START.elapsed()
}

/// A moment, a span later.
pub(crate) fn later(moment: Moment, span: Duration) -> Moment {
    Moment(moment.0.saturating_add(milliseconds(span)))
}

/// The requested time is before the clock's time, which stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InThePast;

/// The clock of one world.
#[derive(Debug)]
pub(crate) struct VirtualClock {
    /// Held for a few instructions, never over an await.
    state: Mutex<State>,
}

/// The time of a clock at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// World time.
    pub(crate) now: Moment,
    /// World time at which the world started.
    pub(crate) start: Moment,
    /// Real time since then.
    pub(crate) elapsed: Duration,
}

impl Reading {
    /// World time since the world's start.
    pub(crate) fn since_start(&self) -> Duration {
        span(self.start, self.now)
    }
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// Real instant of the start.
    began: Instant,
    start: Moment,
    /// World time at `running_since`, or while frozen.
    base: Moment,
    /// None while frozen.
    running_since: Option<Instant>,
}

impl State {
    fn now(&self, real: Instant) -> Moment {
        let passed = self.running_since.map_or(Duration::ZERO, |since| real.saturating_duration_since(since));
        later(self.base, passed).min(Moment::LAST)
    }
}

/// The time from one moment to another; zero if it is not after the first.
fn span(from: Moment, to: Moment) -> Duration {
    Duration::from_millis(u64::try_from(to.0.saturating_sub(from.0)).unwrap_or_default())
}

fn milliseconds(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

impl VirtualClock {
    /// A clock at its start.
    pub(crate) fn new(setting: Setting) -> Self {
        Self { state: Mutex::new(Self::initial(setting)) }
    }

    fn initial(setting: Setting) -> State {
        let start = setting.start.unwrap_or_else(system_now);
        let began = real_now();
        let running_since = (setting.mode == Mode::Running).then_some(began);
        State { began, start, base: start, running_since }
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// World time.
    pub(crate) fn now(&self) -> Moment {
        self.with(|state| state.now(real_now()))
    }

    /// All that it shows at a real instant.
    pub(crate) fn at(&self, real: Instant) -> Reading {
        self.with(|state| Reading {
            now: state.now(real),
            start: state.start,
            elapsed: real.saturating_duration_since(state.began),
        })
    }

    /// World time from the world's start to a moment.
    pub(crate) fn since_start(&self, moment: Moment) -> Duration {
        span(self.start(), moment)
    }

    /// World time at which the world started.
    pub(crate) fn start(&self) -> Moment {
        self.with(|state| state.start)
    }

    /// How it goes.
    pub(crate) fn mode(&self) -> Mode {
        self.with(|state| if state.running_since.is_some() { Mode::Running } else { Mode::Frozen })
    }

    /// Freezes it, or lets it run on from where it stands.
    pub(crate) fn set_mode(&self, mode: Mode) {
        self.with(|state| {
            let real = real_now();
            state.base = state.now(real);
            state.running_since = (mode == Mode::Running).then_some(real);
        });
    }

    /// Shows a time, also an earlier one. Only a replay needs that: calls that were in flight at once are numbered in another
    /// order than that of their times.
    pub(crate) fn show(&self, moment: Moment) {
        self.with(|state| {
            state.base = moment.clamp(Moment::FIRST, Moment::LAST);
            state.running_since = state.running_since.map(|_| real_now());
        });
    }

    /// Advances the clock to a time, at most to the last that it can show.
    ///
    /// # Errors
    /// The time is in the past: a clock never goes back.
    pub(crate) fn set(&self, to: Moment) -> Result<(), InThePast> {
        self.with(|state| {
            let real = real_now();
            if to < state.now(real) {
                return Err(InThePast);
            }
            state.base = to.min(Moment::LAST);
            state.running_since = state.running_since.map(|_| real);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frozen() -> VirtualClock {
        VirtualClock::new(Setting { start: Some(Moment(1_000)), mode: Mode::Frozen })
    }

    #[test]
    fn a_frozen_clock_moves_only_when_it_is_advanced() {
        let clock = frozen();
        assert_eq!(clock.now(), Moment(1_000));
        assert_eq!(clock.set(later(clock.now(), Duration::from_secs(61))), Ok(()));
        assert_eq!(clock.now(), Moment(62_000));
        assert_eq!(clock.set(Moment(61_999)), Err(InThePast));
        assert_eq!(clock.set(Moment(62_000)), Ok(()));
        assert_eq!((clock.now(), clock.start()), (Moment(62_000), Moment(1_000)));
    }

    #[test]
    fn a_running_clock_stands_still_at_its_last_instant() {
        let clock = VirtualClock::new(Setting { start: Some(Moment::LAST), mode: Mode::Running });
        while clock.at(real_now()).elapsed.is_zero() {}
        assert_eq!(clock.now(), Moment::LAST);
    }

    #[test]
    fn a_running_clock_never_shows_less_than_it_did() {
        let clock = frozen();
        clock.set_mode(Mode::Running);
        assert_eq!(clock.mode(), Mode::Running);
        assert!(clock.now() >= Moment(1_000));
        clock.set_mode(Mode::Frozen);
        assert_eq!(clock.now(), clock.now());
    }
}
