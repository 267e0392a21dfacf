//! Whether calls tell the time at which they were made. Two runs in the same second then agree by chance.

use serde_json::Value;

use crate::clock::Moment;
use crate::explore::mask::Item;

const MINUTE: i64 = 60;

/// Whether a value may be a time of day, or a Unix time, between two instants.
pub(crate) fn tells(items: &[Item], from: Moment, until: Moment) -> bool {
    let seconds: Vec<i64> = (from.0.div_euclid(1000)..=until.0.div_euclid(1000)).collect();
    let values = items.iter().flat_map(|item| item.values.values());
    values.filter_map(digits).any(|digits| seconds.iter().any(|second| shows(&digits, *second)))
}

/// The digits of a value.
fn digits(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(text.chars().filter(char::is_ascii_digit).collect())
}

/// Whether digits contain an instant, in seconds: a Unix time, or hours, minutes and seconds in any time zone.
fn shows(digits: &str, second: i64) -> bool {
    if digits.contains(&second.to_string()) {
        return true;
    }
    // Offsets of time zones are multiples of a quarter of an hour.
    (0..4).any(|quarter| {
        let shifted = second + quarter * 15 * MINUTE;
        let clock = format!("{:02}{:02}", shifted.div_euclid(MINUTE).rem_euclid(60), second.rem_euclid(60));
        digits.match_indices(&clock).any(|(place, _)| {
            let hour = digits[..place].chars().rev().take(2).collect::<String>();
            hour.chars().rev().collect::<String>().parse::<u32>().is_ok_and(|hour| hour < 24)
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use serde_json::json;

    #[test]
    fn a_time_of_day_is_seen_however_it_is_written() {
        // 2026-06-30T17:04:09Z
        let now = Moment(1_782_839_049_250);
        let tells = |value: Value| {
            let values = BTreeMap::from([("body /at".to_owned(), value)]);
            let item = Item { kind: "contact".to_owned(), fixed: String::new(), values };
            tells(&[item], now, Moment(now.0 + 900))
        };
        for time in
            ["2026-06-30T17:04:09Z", "19:04:10", "run 22:34:09", "5:04:09 pm", "20260630170409", "1782839049"]
        {
            assert!(tells(json!(time)), "{time}");
        }
        assert!(tells(json!(1_782_839_049)) && tells(json!(1_782_839_050_123_u64)));
        for other in ["17:05:09", "2026-06-30", "Ann", "+1 555 0199", "31:04:09"] {
            assert!(!tells(json!(other)), "{other}");
        }
    }
}
