//! Kinds of custom fields and the values that fit them (`docs/api.md` 4.3).

use crate::api::dates::Day;
use crate::dataset::records::CustomField;
use crate::dataset::when::GivenDay;

/// The kinds; case does not count.
pub(crate) const KINDS: [&str; 7] = [TEXT, "number", "currency", "date", "yesno", "yes/no", "boolean"];
/// The kind of a field that gives none.
pub(crate) const TEXT: &str = "text";

impl CustomField {
    /// The problem of a kind and its value, if any: the name of the wrong field, and what is allowed in it.
    pub(crate) fn problem(kind: &str, value: &str) -> Option<(&'static str, &'static str)> {
        let (fits, allowed) = match kind.to_ascii_lowercase().as_str() {
            TEXT => (true, ""),
            "number" => (is_number(value), "a number"),
            "currency" => (is_currency(value), "an amount of money"),
            "date" => (is_date(value), "a date in the format MM/dd/yyyy or MM-dd-yyyy"),
            "yesno" | "yes/no" | "boolean" => (matches!(value, "1" | "0"), "1 or 0"),
            _ => return Some(("type", "one of text, number, currency, date, yes/no")),
        };
        (!fits).then_some(("fieldValue", allowed))
    }

    /// The relative day that a scenario gives as the value of a date.
    pub(crate) fn relative_day(kind: &str, value: &str) -> Option<GivenDay> {
        let day = GivenDay::from_scenario(value).filter(|_| kind.eq_ignore_ascii_case("date"))?;
        matches!(day, GivenDay::Before(_)).then_some(day)
    }

    /// Replaces a relative day by that day.
    pub(crate) fn resolve(&mut self, today: Day) {
        if let Some(day) = Self::relative_day(&self.kind, &self.value) {
            self.value = day.resolve(today).in_request();
        }
    }
}

/// Digits, optionally with a minus in front and a decimal point between them.
fn is_number(value: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let value = value.strip_prefix('-').unwrap_or(value);
    match value.split_once('.') {
        Some((whole, part)) => digits(whole) && digits(part),
        None => digits(value),
    }
}

/// A number, optionally with a currency sign in front and commas between thousands.
fn is_currency(value: &str) -> bool {
    let amount = value.trim_start_matches(['$', '€', '£', '¥']);
    let (whole, part) = amount.split_once('.').map_or((amount, None), |(whole, part)| (whole, Some(part)));
    let mut groups = whole.trim_start_matches('-').split(',');
    let first = groups.next().unwrap_or_default();
    let grouped = groups.clone().next().is_none() || (1..=3).contains(&first.len());
    let plain = format!(
        "{}{}{}",
        whole.replace(',', ""),
        if part.is_some() { "." } else { "" },
        part.unwrap_or_default()
    );
    value.chars().count() <= amount.chars().count() + 1
        && grouped
        && groups.all(|group| group.len() == 3)
        && is_number(&plain)
}

fn is_date(value: &str) -> bool {
    let bytes = value.as_bytes();
    let shaped = bytes.len() == 10 && bytes[2] == bytes[5] && matches!(bytes[2], b'/' | b'-');
    shaped && Day::from_request(&value.replace('-', "/")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_does_not_fit_its_kind_is_a_problem() {
        for (kind, good, bad) in [
            ("number", &["1", "-1.5", "007"][..], &["", "1.", ".5", "1e3", "+1", "1,000"][..]),
            (
                "currency",
                &["12", "12.50", "$12.50", "1,234.50", "-3"][..],
                &["", "$", "1,23", "12 USD", "$$1", "1234,567"][..],
            ),
            (
                "date",
                &["02/28/2026", "02-28-2026"][..],
                &["2/28/2026", "02/30/2026", "02/28-2026", "2026-02-28", ""][..],
            ),
            ("yesno", &["1", "0"][..], &["yes", "", "true"][..]),
            ("yes/no", &["1"][..], &["2"][..]),
            ("text", &["", "anything"][..], &[][..]),
        ] {
            for value in good {
                assert_eq!(CustomField::problem(kind, value), None, "{kind} {value:?}");
            }
            for value in bad {
                assert_eq!(
                    CustomField::problem(kind, value).map(|p| p.0),
                    Some("fieldValue"),
                    "{kind} {value:?}"
                );
            }
        }
        assert_eq!(CustomField::problem("colour", "red").map(|p| p.0), Some("type"));
    }
}
