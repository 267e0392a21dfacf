//! Days and instants as a scenario gives them: fixed, or relative to the start of its clock. A dataset resolves them when it is
//! built, so that the same records are as fresh on every day.

use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};

use crate::api::dates::Day;
use crate::clock::Moment;

/// A day: fixed, or relative to the day on which the clock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Day")]
pub(crate) enum GivenDay {
    Fixed(Day),
    /// `today`, which is no days before, or `-2d`, `-3w`, `-6mo`, `-1y`.
    Before(DaysBefore),
}

/// A span of whole days, months or years before a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DaysBefore {
    Days(u32),
    Months(u32),
}

/// An instant: fixed, or relative to the instant at which the clock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Moment")]
pub(crate) enum GivenMoment {
    Fixed(Moment),
    /// `now`, which is no minutes before, or `-5m`, `-3h`.
    MinutesBefore(u32),
    /// `-2d`, `-3w`, `-6mo`, `-1y`: at the same time of day.
    Before(DaysBefore),
    /// `today`, `today 09:30`, `-2d 09:30`: on a relative day, so many minutes after its midnight.
    On(DaysBefore, u16),
}

/// The first and last day of generated records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DayRange {
    /// None means 364 days before the last day, which makes a year.
    pub(crate) from: Option<GivenDay>,
    pub(crate) to: GivenDay,
}

/// Most years that a relative day or instant lies before the clock's start.
const YEARS: u32 = 1000;

impl GivenDay {
    /// The day of the clock's start.
    pub(crate) const TODAY: Self = Self::Before(DaysBefore::Days(0));

    /// Reads a day as scenarios and seed data write it.
    pub(crate) fn from_scenario(text: &str) -> Option<Self> {
        Day::from_scenario(text).map(Self::Fixed).or_else(|| DaysBefore::parse(text).map(Self::Before))
    }

    /// The day, where the clock starts on `today`. It is never before the first day that a clock can show.
    pub(crate) fn resolve(self, today: Day) -> Day {
        match self {
            Self::Fixed(day) => day,
            Self::Before(span) => span.before(today),
        }
    }
}

/// The dates of stored records are fixed.
const RELATIVE: &str = "a relative date is not stored";

impl Serialize for GivenDay {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            // In the API, a day is text.
            Self::Fixed(day) => to.serialize_i32(day.0),
            Self::Before(_) => Err(S::Error::custom(RELATIVE)),
        }
    }
}

impl Serialize for GivenMoment {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fixed(moment) => moment.serialize(to),
            Self::MinutesBefore(_) | Self::Before(_) | Self::On(..) => Err(S::Error::custom(RELATIVE)),
        }
    }
}

impl From<Day> for GivenDay {
    fn from(day: Day) -> Self {
        Self::Fixed(day)
    }
}

impl DaysBefore {
    /// Reads `today`, or a span of days before it (`-2d`).
    fn parse(text: &str) -> Option<Self> {
        if text == "today" {
            return Some(Self::Days(0));
        }
        let (number, unit) = span(text)?;
        match unit {
            "d" => within(number, 1, 366).map(Self::Days),
            "w" => within(number, 7, 366).map(Self::Days),
            "mo" => within(number, 1, 12).map(Self::Months),
            "y" => within(number, 12, 12).map(Self::Months),
            _ => None,
        }
    }

    fn before(self, day: Day) -> Day {
        let before = match self {
            Self::Days(days) => Day(day.0.saturating_sub(i32::try_from(days).unwrap_or(i32::MAX))),
            Self::Months(months) => day.months_before(months),
        };
        before.max(Moment::FIRST.day())
    }
}

impl GivenMoment {
    /// Reads an instant as scenarios and seed data write it.
    pub(crate) fn from_scenario(text: &str) -> Option<Self> {
        let minutes = || {
            let (number, unit) = span(text)?;
            let minutes = match unit {
                "m" => 1,
                "h" => 60,
                _ => return None,
            };
            within(number, minutes, 366 * 24 * 60).map(Self::MinutesBefore)
        };
        let on = || {
            let (day, time) = text.split_once(' ')?;
            let (hours, minutes) = time.split_once(':')?;
            let two = |text: &str, below: u16| -> Option<u16> {
                let is_two = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
                text.parse().ok().filter(|number| is_two && *number < below)
            };
            Some(Self::On(DaysBefore::parse(day)?, two(hours, 24)? * 60 + two(minutes, 60)?))
        };
        match text {
            "now" => Some(Self::MinutesBefore(0)),
            "today" => Some(Self::On(DaysBefore::Days(0), 0)),
            _ => Moment::from_scenario(text)
                .map(Self::Fixed)
                .or_else(|| DaysBefore::parse(text).map(Self::Before))
                .or_else(minutes)
                .or_else(on),
        }
    }

    /// The instant, where the clock starts at `now`. It is never before the first instant that a clock can show.
    pub(crate) fn resolve(self, now: Moment) -> Moment {
        let moment = match self {
            Self::Fixed(moment) => return moment,
            Self::MinutesBefore(minutes) => Moment(now.0 - i64::from(minutes) * 60_000),
            Self::Before(span) => {
                let time_of_day = now.0 - now.day().start().0;
                Moment(span.before(now.day()).start().0 + time_of_day)
            }
            Self::On(span, minutes) => Moment(span.before(now.day()).start().0 + i64::from(minutes) * 60_000),
        };
        moment.max(Moment::FIRST)
    }
}

impl From<Moment> for GivenMoment {
    fn from(moment: Moment) -> Self {
        Self::Fixed(moment)
    }
}

impl DayRange {
    /// The first and the last day, where the clock starts on `today`. The first is never after the last.
    pub(crate) fn resolve(self, today: Day) -> (Day, Day) {
        let last = self.to.resolve(today);
        let first = self.from.map_or(Day(last.0.saturating_sub(364)), |from| from.resolve(today));
        (first.min(last), last)
    }
}

/// The number and the unit of a span before the clock's start: `-2d`.
fn span(text: &str) -> Option<(u32, &str)> {
    let text = text.strip_prefix('-')?;
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

/// A number of units, if that is at most a thousand years.
fn within(number: u32, unit: u32, in_a_year: u32) -> Option<u32> {
    number.checked_mul(unit).filter(|number| *number <= YEARS * in_a_year)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Option<String> {
        let today = Day::from_scenario("2026-03-31").unwrap();
        GivenDay::from_scenario(text).map(|day| day.resolve(today).iso())
    }

    fn moment(text: &str) -> Option<String> {
        let now = Moment::from_scenario("2026-03-31T17:05:30Z").unwrap();
        GivenMoment::from_scenario(text).map(|moment| moment.resolve(now).iso())
    }

    #[test]
    fn a_relative_day_lies_before_the_day_of_the_clocks_start() {
        for (written, meant) in [
            ("2026-01-05", "2026-01-05"),
            ("01/05/2026", "2026-01-05"),
            ("today", "2026-03-31"),
            ("-0d", "2026-03-31"),
            ("-2d", "2026-03-29"),
            ("-3w", "2026-03-10"),
            ("-1mo", "2026-02-28"),
            ("-13mo", "2025-02-28"),
            ("-1y", "2025-03-31"),
            ("-1000y", "1026-03-31"),
        ] {
            assert_eq!(day(written).as_deref(), Some(meant), "{written}");
        }
        for wrong in
            ["now", "-2", "2d", "+2d", "-2m", "-2h", "-2D", "- 2d", "-2 d", "-1001y", "-400000d", "yesterday"]
        {
            assert_eq!(day(wrong), None, "{wrong}");
        }
        let first = GivenDay::from_scenario("-1000y").unwrap().resolve(Moment::FIRST.day());
        assert_eq!(first.iso(), "0001-01-01");
    }

    #[test]
    fn a_relative_instant_lies_before_the_clocks_start_or_on_a_relative_day() {
        for (written, meant) in [
            ("2026-01-05T10:00:00Z", "2026-01-05T10:00:00Z"),
            ("2026-01-05", "2026-01-05T00:00:00Z"),
            ("now", "2026-03-31T17:05:30Z"),
            ("-5m", "2026-03-31T17:00:30Z"),
            ("-3h", "2026-03-31T14:05:30Z"),
            ("-2d", "2026-03-29T17:05:30Z"),
            ("-1mo", "2026-02-28T17:05:30Z"),
            ("today", "2026-03-31T00:00:00Z"),
            ("today 09:30", "2026-03-31T09:30:00Z"),
            ("-2d 23:59", "2026-03-29T23:59:00Z"),
        ] {
            assert_eq!(moment(written).as_deref(), Some(meant), "{written}");
        }
        for wrong in [
            "-3s",
            "-2d 24:00",
            "-2d 9:30",
            "-2d 09:60",
            "-3h 09:30",
            "2026-01-05 09:30",
            "-2d  09:30",
            "-2d 0é:30",
        ] {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_range_without_a_first_day_is_a_year_and_never_ends_before_it_begins() {
        let range = |from: Option<&str>, to: &str| {
            let given = |text: &str| GivenDay::from_scenario(text).unwrap();
            let (first, last) = DayRange { from: from.map(given), to: given(to) }
                .resolve(Day::from_scenario("2026-03-31").unwrap());
            format!("{} {}", first.iso(), last.iso())
        };
        assert_eq!(range(None, "today"), "2025-04-01 2026-03-31");
        assert_eq!(range(Some("-90d"), "-1d"), "2025-12-31 2026-03-30");
        assert_eq!(range(Some("-90d"), "2025-01-01"), "2025-01-01 2025-01-01", "the day went by");
    }
}
