//! For which requests a fault counts, apart from the operation.

use std::time::Duration;

use serde_json::Value;

use crate::fault::pointer::Pointer;

/// What must hold of a request: all of the parts, and of each part one of its values. A part without values always
/// holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    /// The API key is one of these, as a client sends it.
    pub keys: Vec<String>,
    /// One of these numbers is the path id, the query id, `x-business-number`, `businessNumber` or an entry of
    /// `businessNumbers`.
    pub businesses: Vec<u64>,
    /// Headers by name in lower case, each with the values of which one must be sent.
    pub headers: Vec<(String, Vec<String>)>,
    /// Query parameters by decoded name, each with the decoded values of which one must be sent.
    pub query: Vec<(String, Vec<String>)>,
    /// Places in the JSON body, each with the values of which one must stand there.
    pub body: Vec<(Pointer, Vec<Value>)>,
}

impl Condition {
    /// Whether it holds wherever `narrower` does.
    #[must_use]
    pub fn covers(&self, narrower: &Self) -> bool {
        among(&self.keys, &narrower.keys)
            && among(&self.businesses, &narrower.businesses)
            && parts(&self.headers, &narrower.headers)
            && parts(&self.query, &narrower.query)
            && parts(&self.body, &narrower.body)
    }
}

fn among<T: PartialEq>(wide: &[T], narrow: &[T]) -> bool {
    wide.is_empty() || (!narrow.is_empty() && narrow.iter().all(|value| wide.contains(value)))
}

fn parts<K: PartialEq, V: PartialEq>(wide: &[(K, Vec<V>)], narrow: &[(K, Vec<V>)]) -> bool {
    wide.iter()
        .all(|(key, values)| narrow.iter().any(|(known, narrower)| known == key && among(values, narrower)))
}

/// A stretch of the world's clock since the world's start, from `from` until just before `until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct During {
    /// First instant.
    pub from: Duration,
    /// First instant behind it; none means for ever.
    pub until: Option<Duration>,
}

impl During {
    /// Whether an instant lies in it.
    #[must_use]
    pub fn holds(self, since_start: Duration) -> bool {
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
            let values = values.iter().map(|&value| value.to_owned()).collect();
            Condition { headers: vec![("x-a".to_owned(), values)], ..one.clone() }
        };
        assert!(none.covers(&none) && none.covers(&one) && both.covers(&one));
        assert!(!one.covers(&none) && !one.covers(&both));
        assert!(one.covers(&header(&["1"])) && header(&["1", "2"]).covers(&header(&["2"])));
        assert!(!header(&["1"]).covers(&header(&["2"])) && !header(&["1"]).covers(&one));
    }

    #[test]
    fn a_stretch_ends_just_before_its_end() {
        let second = Duration::from_secs;
        let during = During { from: second(10), until: Some(second(40)) };
        assert_eq!([9, 10, 39, 40].map(|at| during.holds(second(at))), [false, true, true, false]);
        assert!(During { until: None, ..during }.holds(second(9_999)));
    }
}
