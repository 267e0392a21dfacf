//! The thresholds of rules: their defaults, and what a scenario sets in their place.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::expect::scorecard::table::Rule;
use crate::expect::words;

/// What a scenario says of the scorecard: by id of the rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings(pub(crate) BTreeMap<String, Setting>);

/// What a scenario says of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// The rule is switched off.
    Off,
    /// Thresholds by name.
    Limits(BTreeMap<String, Limit>),
}

/// The value of a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Time(Duration),
    Count(u64),
    /// In parts per million.
    Share(u32),
    /// In thousandths.
    Factor(u32),
}

impl fmt::Display for Limit {
    /// As a scenario has it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Time(span) => {
                let millis = span.as_millis();
                let units = [(3_600_000, "h"), (60_000, "m"), (1000, "s")];
                let whole = units.into_iter().find(|(unit, _)| millis > 0 && millis.is_multiple_of(*unit));
                let (unit, name) = whole.unwrap_or((1, "ms"));
                write!(out, "{}{name}", millis / unit)
            }
            Self::Count(count) => write!(out, "{count}"),
            Self::Share(parts) => write!(out, "{}%", words::decimal(parts.into(), 4)),
            Self::Factor(parts) => write!(out, "{}", words::decimal(parts.into(), 3)),
        }
    }
}

/// The thresholds of one rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    rule: &'a Rule,
    own: Option<&'a BTreeMap<String, Limit>>,
}

impl Settings {
    pub(crate) fn is_off(&self, rule: &str) -> bool {
        self.0.get(rule) == Some(&Setting::Off)
    }
}

impl<'a> Limits<'a> {
    pub(crate) fn new(rule: &'a Rule, settings: &'a Settings) -> Self {
        let own = match settings.0.get(rule.id) {
            Some(Setting::Limits(limits)) => Some(limits),
            Some(Setting::Off) | None => None,
        };
        Self { rule, own }
    }

    /// The threshold of that name. A test holds that each rule asks only for thresholds of its row.
    fn get(&self, name: &str) -> Option<Limit> {
        let default = self.rule.thresholds.iter().find(|known| known.name == name);
        debug_assert!(default.is_some(), "{} has no threshold {name}", self.rule.id);
        self.own.and_then(|own| own.get(name)).copied().or_else(|| default.map(|known| known.default))
    }

    pub(crate) fn time(&self, name: &str) -> Duration {
        match self.get(name) {
            Some(Limit::Time(span)) => span,
            Some(Limit::Count(_) | Limit::Share(_) | Limit::Factor(_)) | None => Duration::ZERO,
        }
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        match self.get(name) {
            Some(Limit::Count(count)) => usize::try_from(count).unwrap_or(usize::MAX),
            Some(Limit::Time(_) | Limit::Share(_) | Limit::Factor(_)) | None => 0,
        }
    }

    fn share(&self, name: &str) -> u128 {
        match self.get(name) {
            Some(Limit::Share(share)) => share.into(),
            Some(Limit::Time(_) | Limit::Count(_) | Limit::Factor(_)) | None => 0,
        }
    }

    /// Whether a part is more than the share of the whole.
    pub(crate) fn exceeds(&self, name: &str, part: usize, whole: usize) -> bool {
        part as u128 * 1_000_000 > whole as u128 * self.share(name)
    }

    /// Whether a part is at least the share of the whole.
    pub(crate) fn reaches(&self, name: &str, part: usize, whole: usize) -> bool {
        part as u128 * 1_000_000 >= whole as u128 * self.share(name)
    }

    /// A span times the factor of that name.
    pub(crate) fn times(&self, name: &str, span: Duration) -> Duration {
        let factor = match self.get(name) {
            Some(Limit::Factor(factor)) => factor,
            Some(Limit::Time(_) | Limit::Count(_) | Limit::Share(_)) | None => 0,
        };
        span.saturating_mul(factor) / 1000
    }
}
