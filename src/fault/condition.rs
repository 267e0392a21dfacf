//! The conditions of a fault on a request, apart from its operation.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use serde_json::Value;

use crate::fault::matching::{self, Accept};
use crate::fault::pointer::Pointer;

/// All parts must hold. A part holds if one of its values does, or if it has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Condition {
    /// API keys, as clients send them.
    pub(crate) keys: Vec<String>,
    /// Business numbers, found in the path, the query, `x-business-number`, `businessNumber` or `businessNumbers`.
    pub(crate) businesses: Vec<u64>,
    /// Values by header name in lower case.
    pub(crate) headers: Vec<(String, Vec<Accept<String>>)>,
    /// Decoded values by query parameter.
    pub(crate) query: Vec<(String, Vec<Accept<String>>)>,
    /// Values by place in the JSON body.
    pub(crate) body: Vec<(Pointer, Vec<Accept<Value>>)>,
    /// Beginnings of fingerprints.
    pub(crate) fingerprints: Vec<Prefix>,
}

/// The first hexadecimal digits of a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prefix {
    value: u64,
    /// From 6 to 16.
    digits: u32,
}

impl Prefix {
    /// Reads 6 to 16 hexadecimal digits.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digits = u32::try_from(text.len()).ok().filter(|digits| is_hex && (6..=16).contains(digits))?;
        Some(Self { value: u64::from_str_radix(text, 16).ok()?, digits })
    }

    /// Whether the fingerprint begins with these digits.
    pub(crate) const fn begins(self, fingerprint: u64) -> bool {
        fingerprint >> (4 * (16 - self.digits)) == self.value
    }
}

impl Display for Prefix {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{:0width$x}", self.value, width = self.digits as usize)
    }
}

impl Condition {
    /// Whether it holds for every request for which `narrower` holds.
    pub(crate) fn covers(&self, narrower: &Self) -> bool {
        among(&self.keys, &narrower.keys)
            && among(&self.businesses, &narrower.businesses)
            && parts(&self.headers, &narrower.headers)
            && parts(&self.query, &narrower.query)
            && parts(&self.body, &narrower.body)
            && among(&self.fingerprints, &narrower.fingerprints)
    }
}

impl Condition {
    /// How many comparisons `covers` makes at most.
    pub(crate) fn comparisons(&self, narrower: &Self) -> usize {
        fn parts<K, V>(wide: &[(K, Vec<V>)], narrow: &[(K, Vec<V>)]) -> usize {
            let values =
                |list: &[(K, Vec<V>)]| list.iter().map(|(_, values)| values.len() + 1).sum::<usize>();
            values(wide) * values(narrow)
        }
        self.keys.len() * narrower.keys.len()
            + self.businesses.len() * narrower.businesses.len()
            + self.fingerprints.len() * narrower.fingerprints.len()
            + parts(&self.headers, &narrower.headers)
            + parts(&self.query, &narrower.query)
            + parts(&self.body, &narrower.body)
    }
}

fn among<T: PartialEq>(wide: &[T], narrow: &[T]) -> bool {
    wide.is_empty() || (!narrow.is_empty() && narrow.iter().all(|value| wide.contains(value)))
}

type Parts<K, V> = [(K, Vec<Accept<V>>)];

fn parts<K: PartialEq, V: PartialEq>(wide: &Parts<K, V>, narrow: &Parts<K, V>) -> bool {
    let is_covered = |(key, values): &(K, Vec<Accept<V>>)| {
        narrow.iter().any(|(known, narrower)| known == key && matching::covers(values, narrower))
    };
    wide.iter().all(is_covered)
}

/// A range of time since the world's start, by the world's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct During {
    pub(crate) from: Duration,
    /// The end of the range, which is not part of it. None means without end.
    pub(crate) until: Option<Duration>,
}

impl During {
    pub(crate) fn holds(self, since_start: Duration) -> bool {
        since_start >= self.from && self.until.is_none_or(|until| since_start < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_covers_those_that_say_more() {
        let none = Condition::default();
        let one = Condition { businesses: vec![1], ..Condition::default() };
        let both = Condition { businesses: vec![1, 2], ..Condition::default() };
        let header = |values: &[&str]| {
            let values = values.iter().map(|&value| Accept::from(value)).collect();
            Condition { headers: vec![("x-a".to_owned(), values)], ..one.clone() }
        };
        assert!(none.covers(&none) && none.covers(&one) && both.covers(&one));
        assert!(!one.covers(&none) && !one.covers(&both));
        assert!(one.covers(&header(&["1"])) && header(&["1", "2"]).covers(&header(&["2"])));
        assert!(!header(&["1"]).covers(&header(&["2"])) && !header(&["1"]).covers(&one));
    }

    #[test]
    fn comparisons_count_each_value_with_each_and_each_name_even_without_values() {
        let named = |names: &[&str], values: usize| -> Vec<(String, Vec<Accept<String>>)> {
            names.iter().map(|&name| (name.to_owned(), vec![Accept::from("v"); values])).collect()
        };
        let condition = |keys: usize, businesses: u64, headers, query| Condition {
            keys: vec!["k".to_owned(); keys],
            businesses: (0..businesses).collect(),
            headers,
            query,
            body: vec![(Pointer::new("/a").unwrap(), vec![Accept::Equal(Value::Null); 4])],
            fingerprints: vec![Prefix::new("abcdef").unwrap(); keys],
        };
        let wide = condition(2, 3, named(&["a", "b"], 6), named(&["q"], 0));
        let narrow = condition(5, 7, named(&["a"], 1), named(&["q", "r", "s"], 0));
        assert_eq!(wide.comparisons(&narrow), 2 * 5 + 2 * 5 + 3 * 7 + 14 * 2 + 3 + 5 * 5);
        assert_eq!(Condition::default().comparisons(&narrow), 0);
    }

    #[test]
    fn a_fingerprint_is_named_by_its_first_digits() {
        let begins =
            |text: &str| Prefix::new(text).is_some_and(|prefix| prefix.begins(0x3f2a_9c00_1234_5678));
        assert!(begins("3f2a9c") && begins("3F2A9C00") && begins("3f2a9c0012345678"));
        assert!(!begins("3f2a9d") && !begins("3f2a9c0012345679"));
        for text in ["3f2a9", "", "3f2a9c00123456789", "3f2a9g", "+3f2a9c"] {
            assert_eq!(Prefix::new(text), None, "{text}");
        }
    }

    #[test]
    fn a_stretch_ends_just_before_its_end() {
        let second = Duration::from_secs;
        let during = During { from: second(10), until: Some(second(40)) };
        assert_eq!([9, 10, 39, 40].map(|at| during.holds(second(at))), [false, true, true, false]);
        assert!(During { until: None, ..during }.holds(second(9_999)));
    }
}
