//! Numbers and times as reports write them.

use std::time::Duration;

/// A time: `212 ms`, `0.4 ms`, `2 s`, `1.25 s`.
pub(crate) fn time(span: Duration) -> String {
    let micros = span.as_micros();
    let (value, places, unit) = match micros {
        0 => return "0 ms".to_owned(),
        1..10_000 => ((micros.max(100) + 50) / 100, 1, "ms"),
        10_000..1_000_000 => ((micros + 500) / 1000, 0, "ms"),
        _ => ((micros + 5_000) / 10_000, 2, "s"),
    };
    format!("{} {unit}", decimal(value, places))
}

/// A whole number of the last decimal place, without zeros at the end.
pub(crate) fn decimal(value: u128, places: usize) -> String {
    let digits = format!("{value:0>width$}", width = places + 1);
    let (whole, rest) = digits.split_at(digits.len() - places);
    let rest = rest.trim_end_matches('0');
    if rest.is_empty() { whole.to_owned() } else { format!("{whole}.{rest}") }
}

/// A part of a whole: `12.5%`.
pub(crate) fn share(part: usize, whole: usize) -> String {
    let tenths = (part as u128 * 1000 + whole as u128 / 2) / (whole as u128).max(1);
    format!("{}%", decimal(tenths, 1))
}

/// A code or status with its article: `an 89`, `a 503`.
pub(crate) fn number(number: u32) -> String {
    let article = if number.to_string().starts_with('8') { "an" } else { "a" };
    format!("{article} {number}")
}

/// A number of things: `1 call`, `2 calls`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    let (stem, ending) = match thing.strip_suffix('y') {
        Some(stem) if number != 1 && !thing.ends_with("ay") => (stem, "ies"),
        _ => (thing, if number == 1 { "" } else { "s" }),
    };
    format!("{number} {stem}{ending}")
}

/// Calls by their numbers: `call 4`, `calls 4 and 5`, `calls 1, 2, 3 and 9 more`.
pub(crate) fn calls(seqs: &[u64]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = seqs.iter().take(SHOWN).map(u64::to_string).collect();
    match (&shown[..], seqs.len().saturating_sub(SHOWN)) {
        ([], _) => "no call".to_owned(),
        ([only], 0) => format!("call {only}"),
        ([first @ .., last], 0) => format!("calls {} and {last}", first.join(", ")),
        (all, more) => format!("calls {} and {more} more", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_a_person_would_choose() {
        let micros = |micros| time(Duration::from_micros(micros));
        let wanted = ["0 ms", "0.1 ms", "0.4 ms", "9.9 ms", "10 ms", "212 ms", "1 s", "1.25 s", "61.5 s"];
        let given = [0, 3, 400, 9_900, 10_000, 212_400, 1_000_000, 1_251_000, 61_500_000];
        assert_eq!(given.map(micros), wanted);
    }

    #[test]
    fn numbers_are_written_as_people_do() {
        assert_eq!((number(89), number(503)), ("an 89".to_owned(), "a 503".to_owned()));
        assert_eq!((share(1, 3), share(20, 20)), ("33.3%".to_owned(), "100%".to_owned()));
        assert_eq!((count(1, "retry"), count(2, "retry")), ("1 retry".to_owned(), "2 retries".to_owned()));
        assert_eq!((count(2, "delay"), count(0, "call")), ("2 delays".to_owned(), "0 calls".to_owned()));
        assert_eq!(calls(&[4]), "call 4");
        assert_eq!(calls(&[4, 5, 6]), "calls 4, 5 and 6");
        assert_eq!(calls(&[1, 2, 3, 4, 5, 6, 7]), "calls 1, 2, 3, 4, 5 and 2 more");
    }
}
