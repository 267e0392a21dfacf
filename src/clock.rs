//! A world's clock: running or frozen, moved forward at will; and the process's own time. The only reader of the
//! operating system's clocks.

use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// An instant: milliseconds since 1970-01-01T00:00:00Z. How it is read and written is the API's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

/// How a clock goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Stands still until it is moved.
    Frozen,
    /// Goes on with real time.
    Running,
}

/// How a scenario wants its clock: `start` absent means the system's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Where it starts.
    pub start: Option<Moment>,
    /// How it goes.
    pub mode: Mode,
}

impl Default for Setting {
    fn default() -> Self {
        Self { start: None, mode: Mode::Running }
    }
}

/// As much of a setting as is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Where it starts.
    pub start: Option<Moment>,
    /// How it goes.
    pub mode: Option<Mode>,
}

impl Given {
    /// A setting with this over it.
    #[must_use]
    pub fn over(self, setting: Setting) -> Setting {
        Setting { start: self.start.or(setting.start), mode: self.mode.unwrap_or(setting.mode) }
    }
}

/// The system's time.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads it")]
pub fn system_now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A monotonic instant of real time.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads it")]
pub fn real_now() -> Instant {
    Instant::now()
}

/// How long this process has been running, counted from when somebody first asked.
#[must_use]
pub fn uptime() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(real_now);
    START.elapsed()
}

/// A time that was asked for lies before the clock's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeverBack {
    /// The clock's time, which stays.
    pub now: Moment,
}

/// The clock of one world.
#[derive(Debug)]
pub struct VirtualClock {
    /// A lock held for a few instructions, never over an await.
    face: Mutex<Face>,
}

/// What a clock shows at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// World time.
    pub now: Moment,
    /// World time at which the world started.
    pub start: Moment,
    /// Real time since then.
    pub elapsed: Duration,
}

impl Reading {
    /// World time since the world's start.
    #[must_use]
    pub fn since_start(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.now.0.saturating_sub(self.start.0)).unwrap_or_default())
    }
}

#[derive(Clone, Copy, Debug)]
struct Face {
    /// Real instant of the start.
    began: Instant,
    start: Moment,
    shown: Moment,
    /// Real instant at which `shown` was right; none while frozen.
    running_since: Option<Instant>,
}

impl Face {
    fn now(&self, real: Instant) -> Moment {
        let gone = self.running_since.map_or(Duration::ZERO, |since| real.saturating_duration_since(since));
        Moment(self.shown.0.saturating_add(milliseconds(gone)))
    }
}

fn milliseconds(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

impl VirtualClock {
    /// A clock at its start.
    #[must_use]
    pub fn new(setting: Setting) -> Self {
        Self { face: Mutex::new(Self::face(setting)) }
    }

    fn face(setting: Setting) -> Face {
        let start = setting.start.unwrap_or_else(system_now);
        let began = real_now();
        let running_since = (setting.mode == Mode::Running).then_some(began);
        Face { began, start, shown: start, running_since }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Face) -> T) -> T {
        act(&mut self.face.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// World time.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.with(|face| face.now(real_now()))
    }

    /// All that it shows at a real instant.
    #[must_use]
    pub fn at(&self, real: Instant) -> Reading {
        self.with(|face| Reading {
            now: face.now(real),
            start: face.start,
            elapsed: real.saturating_duration_since(face.began),
        })
    }

    /// World time at which the world started.
    #[must_use]
    pub fn start(&self) -> Moment {
        self.with(|face| face.start)
    }

    /// How it goes.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.with(|face| if face.running_since.is_some() { Mode::Running } else { Mode::Frozen })
    }

    /// Freezes it, or lets it run on from where it stands.
    pub fn set_mode(&self, mode: Mode) {
        self.with(|face| {
            let real = real_now();
            face.shown = face.now(real);
            face.running_since = (mode == Mode::Running).then_some(real);
        });
    }

    /// Moves it forward.
    pub fn advance(&self, span: Duration) {
        self.with(|face| face.shown = Moment(face.shown.0.saturating_add(milliseconds(span))));
    }

    /// Moves it forward to a time.
    ///
    /// # Errors
    /// Where that lies before its own time: a clock never goes back.
    pub fn set(&self, to: Moment) -> Result<(), NeverBack> {
        self.with(|face| {
            let real = real_now();
            let now = face.now(real);
            if to < now {
                return Err(NeverBack { now });
            }
            face.shown = to;
            face.running_since = face.running_since.map(|_| real);
            Ok(())
        })
    }

    /// Back to its start: for a reset of the world.
    pub fn reset(&self, setting: Setting) {
        self.with(|face| *face = Self::face(setting));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frozen() -> VirtualClock {
        VirtualClock::new(Setting { start: Some(Moment(1_000)), mode: Mode::Frozen })
    }

    #[test]
    fn a_frozen_clock_moves_only_when_told() {
        let clock = frozen();
        assert_eq!(clock.now(), Moment(1_000));
        clock.advance(Duration::from_secs(61));
        assert_eq!(clock.now(), Moment(62_000));
        assert_eq!(clock.set(Moment(61_999)), Err(NeverBack { now: Moment(62_000) }));
        assert_eq!(clock.set(Moment(62_000)), Ok(()));
        clock.reset(Setting { start: Some(Moment(5)), mode: Mode::Frozen });
        assert_eq!((clock.now(), clock.start()), (Moment(5), Moment(5)));
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
