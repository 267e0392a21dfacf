//! Days and instants, as the API reads and writes them (`docs/api.md` 3). All are in UTC.

use std::fmt::{Display, Formatter};

use jiff::{
    SignedDuration, Span,
    civil::{Date, DateTime, Time},
    fmt::temporal::Pieces,
};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::clock::Moment;

/// A calendar day: days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Day(pub(crate) i32);

/// From days since 1970-01-01, as snapshots of worlds have it.
impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let day = Self(i32::deserialize(from)?);
        let can_be_shown = (Moment::FIRST.day()..=Moment::LAST.day()).contains(&day);
        can_be_shown.then_some(day).ok_or_else(|| D::Error::custom("a day that no clock can show"))
    }
}

const EPOCH: Date = Date::constant(1970, 1, 1);
/// The midnight of that day.
const MIDNIGHT: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
const DAY_MS: i64 = 86_400_000;
const DAY_SECONDS: i64 = 86_400;

impl Day {
    /// Reads `MM/DD/YYYY`: month and day with one digit or two, a year of four, a real calendar day.
    pub(crate) fn from_request(text: &str) -> Option<Self> {
        let (month, rest) = digits(text.as_bytes(), 1, 2)?;
        let (day, rest) = digits(rest.strip_prefix(b"/")?, 1, 2)?;
        let (year, rest) = digits(rest.strip_prefix(b"/")?, 4, 4)?;
        if rest.is_empty() { Self::new(year, month, day) } else { None }
    }

    /// Reads `YYYY-MM-DD`, or `MM/DD/YYYY` as in a request: the days of scenarios and seed data.
    pub(crate) fn from_scenario(text: &str) -> Option<Self> {
        let iso = || {
            let (year, rest) = digits(text.as_bytes(), 4, 4)?;
            let (month, rest) = digits(rest.strip_prefix(b"-")?, 2, 2)?;
            let (day, rest) = digits(rest.strip_prefix(b"-")?, 2, 2)?;
            if rest.is_empty() { Self::new(year, month, day) } else { None }
        };
        iso().or_else(|| Self::from_request(text))
    }

    /// Reads `Mon DD, YYYY`, as answers have it.
    pub(crate) fn from_response(text: &str) -> Option<Self> {
        let date = Date::strptime("%b %d, %Y", text).ok()?;
        Self::new(date.year().into(), date.month().into(), date.day().into())
    }

    /// The day of a year, month and day of the month, if it exists.
    pub(crate) fn new(year: i32, month: i32, day: i32) -> Option<Self> {
        let (year, month, day) = (year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?);
        let since = Date::new(year, month, day).ok()?.duration_since(EPOCH);
        i32::try_from(since.as_secs() / DAY_SECONDS).ok().map(Self)
    }

    fn date(self) -> Date {
        EPOCH.checked_add(SignedDuration::from_secs(i64::from(self.0) * DAY_SECONDS)).unwrap_or(EPOCH)
    }

    /// The month, from 1, and the day of the month.
    pub(crate) fn month_and_date(self) -> (i8, i8) {
        let date = self.date();
        (date.month(), date.day())
    }

    /// The same day of the month, so many months before, or the last day of a shorter month.
    pub(crate) fn months_before(self, months: u32) -> Self {
        let span = Span::new().try_months(i64::from(months));
        let date = span.and_then(|span| self.date().checked_sub(span)).unwrap_or(Date::MIN);
        let since = date.duration_since(EPOCH).as_secs() / DAY_SECONDS;
        Self(i32::try_from(since).unwrap_or(i32::MIN))
    }

    /// `YYYY-MM-DD`.
    pub(crate) fn iso(self) -> String {
        self.date().to_string()
    }

    /// `MM/DD/YYYY`, as requests have it.
    pub(crate) fn in_request(self) -> String {
        self.date().strftime("%m/%d/%Y").to_string()
    }

    /// The midnight at which the day starts.
    pub(crate) const fn start(self) -> Moment {
        Moment(self.0 as i64 * DAY_MS)
    }
}

impl Moment {
    /// Reads an instant with an offset (ISO 8601, `2026-06-30T09:00:00Z`), or a day, which means its midnight. None if a
    /// clock cannot show it.
    pub(crate) fn from_scenario(text: &str) -> Option<Self> {
        let instant = || {
            // `Timestamp` would be simpler, but it ends 26 hours before the year 9999 does.
            let pieces = Pieces::parse(text).ok()?;
            let local = pieces.date().to_datetime(pieces.time()?);
            let since = local.duration_since(MIDNIGHT) - SignedDuration::from(pieces.to_numeric_offset()?);
            i64::try_from(since.as_millis()).ok().map(Self)
        };
        let moment = Day::from_scenario(text).map(Day::start).or_else(instant)?;
        (Self::FIRST..=Self::LAST).contains(&moment).then_some(moment)
    }

    pub(crate) fn day(self) -> Day {
        Day(i32::try_from(self.0.div_euclid(DAY_MS)).unwrap_or(i32::MAX))
    }

    /// Clock time as `hh:mm AM/PM` (`12:05 AM`).
    pub(crate) fn time_of_day(self) -> String {
        let minutes = self.0.rem_euclid(DAY_MS) / 60_000;
        let time = Time::MIN.wrapping_add(SignedDuration::from_mins(minutes));
        time.strftime("%I:%M %p").to_string()
    }

    /// In a format of strftime, in UTC. None if the format is not valid.
    pub(crate) fn format(self, format: &str) -> Option<String> {
        let instant = MIDNIGHT.checked_add(SignedDuration::from_millis(self.0)).ok()?;
        let zoned = jiff::fmt::strtime::BrokenDownTime::from(instant);
        zoned.to_string(format.replace("%Z", "UTC").replace("%z", "+0000")).ok()
    }

    /// ISO 8601 with milliseconds where there are any (`2026-06-30T09:00:00Z`).
    pub(crate) fn iso(self) -> String {
        let instant = MIDNIGHT.checked_add(SignedDuration::from_millis(self.0));
        instant.map_or_else(|_| self.0.to_string(), |instant| format!("{instant}Z"))
    }
}

/// Reads a number of `least` to `most` digits at the front of the text, and gives what follows it.
fn digits(text: &[u8], least: usize, most: usize) -> Option<(i32, &[u8])> {
    let (mut value, mut length) = (0, 0);
    while length < most
        && let Some(digit @ b'0'..=b'9') = text.get(length)
    {
        value = value * 10 + i32::from(digit - b'0');
        length += 1;
    }
    (length >= least).then(|| (value, &text[length..]))
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `Mon DD, YYYY`, the day padded (`Aug 01, 2014`).
impl Display for Day {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.date().strftime("%b %d, %Y"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_dates_take_one_digit_months_and_days_but_real_ones_only() {
        for good in ["02/28/2026", "2/8/2026", "12/31/1999", "02/29/2024"] {
            assert!(Day::from_request(good).is_some(), "{good}");
        }
        for bad in [
            "02/29/2023",
            "13/01/2026",
            "0/1/2026",
            "01/00/2026",
            "1/1/26",
            "2026-01-01",
            "01/01/+026",
            " 1/1/2026",
            "1/1/2026/",
            "",
            "١/1/2026",
            "001/1/2026",
        ] {
            assert_eq!(Day::from_request(bad), None, "{bad}");
        }
    }

    #[test]
    fn days_are_shown_with_a_padded_day() {
        assert_eq!(Day::from_request("8/1/2014").map(|day| day.to_string()).as_deref(), Some("Aug 01, 2014"));
        assert_eq!(Day::from_scenario("1969-12-31"), Some(Day(-1)));
        assert_eq!(Day(-1).iso(), "1969-12-31");
    }

    #[test]
    fn midnight_and_noon_are_twelve() {
        let at = |text| Moment::from_scenario(text).unwrap().time_of_day();
        assert_eq!(at("2026-05-01T00:05:00Z"), "12:05 AM");
        assert_eq!(at("2026-05-01T12:00:00Z"), "12:00 PM");
        assert_eq!(at("2026-05-01T21:30:00+02:00"), "07:30 PM");
        assert_eq!(at("2026-05-01"), "12:00 AM");
    }

    #[test]
    fn day_numbers_are_those_of_the_calendar() {
        assert_eq!(
            Day::from_request("12/31/9999").map(|day| (day.0, day.iso())),
            Some((2_932_896, "9999-12-31".to_owned()))
        );
        assert_eq!(Day::from_request("1/1/0000").map(|day| day.to_string()).as_deref(), Some("Jan 01, 0000"));
        for number in (-800_000..800_000).step_by(97) {
            let date = Day(number).date();
            let (year, month, day) = (date.year().into(), date.month().into(), date.day().into());
            assert_eq!(Day::new(year, month, day), Some(Day(number)), "{date}");
        }
    }

    #[test]
    fn instants_need_an_offset() {
        assert_eq!(Moment::from_scenario("2026-05-01T00:05:00"), None);
        assert_eq!(
            Moment::from_scenario("2026-06-30T12:00:00Z").map(Moment::iso).as_deref(),
            Some("2026-06-30T12:00:00Z")
        );
    }

    #[test]
    fn instants_are_of_the_years_1_to_9999() {
        for (written, read) in [
            ("0001-01-01", "0001-01-01T00:00:00Z"),
            ("9999-12-31", "9999-12-31T00:00:00Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
            ("2026-05-01T00:05:00.5+02:00", "2026-04-30T22:05:00.5Z"),
            ("1969-12-31T23:59:59.250Z", "1969-12-31T23:59:59.25Z"),
        ] {
            assert_eq!(Moment::from_scenario(written).map(Moment::iso).as_deref(), Some(read), "{written}");
        }
        for text in [
            "0000-12-31",
            "0001-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
            "+010000-01-01T00:00:00Z",
            "-000001-01-01T00:00:00Z",
            "2026-05-01T00:05:00[Europe/Paris]",
        ] {
            assert_eq!(Moment::from_scenario(text), None, "{text}");
        }
        assert_eq!(
            (Moment::FIRST.iso().as_str(), Moment::LAST.iso().as_str()),
            ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z")
        );
    }
}
