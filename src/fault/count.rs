//! Which of the counted requests a fault applies to.

/// A fault first counts a request, then selects it by its number, then applies to a share of the selected ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) per: Per,
    /// Numbers of the selected requests. An empty list selects all.
    pub(crate) hits: Vec<Hit>,
    pub(crate) share: Share,
}

/// Which requests share one counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Per {
    /// All requests of the world.
    #[default]
    World,
    /// The requests of one API key.
    Key,
    /// The requests of one fingerprint: a request and its retries.
    Request,
}

/// Numbers of counted requests, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    /// `3`, `1-2` and `4-`: from the first to the last, inclusive. Without a last one, all that follow.
    Between(u64, Option<u64>),
    /// `every 5`: the fifth, the tenth and so on.
    Every(u64),
}

/// To which of the selected requests the fault applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Share {
    #[default]
    All,
    /// To each with this probability, in parts per million.
    Chance(u32),
    /// To exactly `hits` of each block of `of` requests, in an order drawn from the seed. `hits` is at most `of`, which is
    /// at least 1.
    Exactly { hits: u32, of: u32 },
}

impl Hit {
    pub(crate) fn takes(self, nth: u64) -> bool {
        match self {
            Self::Between(first, last) => nth >= first && last.is_none_or(|last| nth <= last),
            Self::Every(step) => nth != 0 && nth.is_multiple_of(step),
        }
    }
}

impl Count {
    pub(crate) fn selects(&self, nth: u64) -> bool {
        self.hits.is_empty() || self.hits.iter().any(|hit| hit.takes(nth))
    }

    /// How many of the first `nth` counted are selected. The cost depends on the hits alone, not on `nth`.
    pub(crate) fn selected_among(&self, nth: u64) -> u64 {
        if self.hits.is_empty() {
            return nth;
        }
        let (mut ranges, mut steps) = (Vec::new(), Vec::new());
        for hit in &self.hits {
            match *hit {
                Hit::Between(first, last) => ranges.push((first, last.unwrap_or(nth).min(nth))),
                Hit::Every(0) => {}
                Hit::Every(step) => steps.push(step),
            }
        }
        ranges.sort_unstable();
        // `end` is the last number that has been looked at. The numbers before a range are selected by steps alone.
        let (mut selected, mut end) = (0, 0);
        for (first, last) in ranges {
            let first = first.max(end + 1);
            if first <= last {
                selected += multiples(&steps, first - 1) - multiples(&steps, end) + (last - first + 1);
                end = last;
            }
        }
        selected + multiples(&steps, nth) - multiples(&steps, end)
    }

    /// Whether it applies to every request that it counts.
    pub(crate) fn applies_to_all(&self) -> bool {
        let all_selected = self.hits.is_empty()
            || self.hits.iter().any(|hit| matches!(hit, Hit::Between(0 | 1, None) | Hit::Every(1)));
        all_selected && self.share.is_all()
    }
}

/// How many of the numbers from 1 to `last` are multiples of any step, by inclusion and exclusion.
fn multiples(steps: &[u64], last: u64) -> u64 {
    let Some((step, rest)) = steps.split_first() else { return 0 };
    let common: Vec<u64> =
        rest.iter().filter_map(|other| common_multiple(*step, *other)).filter(|step| *step <= last).collect();
    last / step + multiples(rest, last) - multiples(&common, last)
}

/// The least common multiple, unless it is over 64 bits.
fn common_multiple(left: u64, right: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (left, right);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    left.checked_mul(right / divisor)
}

impl Share {
    /// Whether it applies to every selected request.
    pub(crate) const fn is_all(self) -> bool {
        match self {
            Self::All => true,
            Self::Chance(parts) => parts >= 1_000_000,
            Self::Exactly { hits, of } => hits == of,
        }
    }

    /// Whether it applies to no request.
    pub(crate) const fn is_none(self) -> bool {
        matches!(self, Self::Chance(0) | Self::Exactly { hits: 0, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_counted_from_one_and_include_both_ends() {
        let taken = |hit: Hit| (0..=10).filter(|nth| hit.takes(*nth)).collect::<Vec<_>>();
        assert_eq!(taken(Hit::Between(3, Some(3))), [3]);
        assert_eq!(taken(Hit::Between(1, Some(2))), [1, 2]);
        assert_eq!(taken(Hit::Between(9, None)), [9, 10]);
        assert_eq!(taken(Hit::Every(5)), [5, 10]);
    }

    #[test]
    fn a_list_of_hits_selects_what_any_of_them_takes() {
        let count = Count { hits: vec![Hit::Between(1, Some(2)), Hit::Every(4)], ..Count::default() };
        assert_eq!((1..=8).filter(|nth| count.selects(*nth)).collect::<Vec<_>>(), [1, 2, 4, 8]);
        assert!(!count.applies_to_all());
    }

    #[test]
    fn the_selected_are_counted_without_looking_at_each() {
        let cases: [&[Hit]; 10] = [
            &[],
            &[Hit::Between(3, Some(3))],
            &[Hit::Between(2, None)],
            &[Hit::Between(4, Some(9)), Hit::Between(1, Some(5)), Hit::Between(20, Some(19))],
            &[Hit::Every(7)],
            &[Hit::Every(4), Hit::Every(6), Hit::Every(10), Hit::Every(4)],
            &[Hit::Every(3), Hit::Between(5, Some(13)), Hit::Every(2)],
            &[Hit::Every(1), Hit::Between(2, None)],
            &[Hit::Every(3), Hit::Between(2, Some(7)), Hit::Between(11, Some(14))],
            &[Hit::Every(5), Hit::Between(0, Some(4)), Hit::Between(50, None)],
        ];
        for hits in cases {
            let count = Count { hits: hits.to_vec(), ..Count::default() };
            for nth in 0..130 {
                let selected = (1..=nth).filter(|nth| count.selects(*nth)).count() as u64;
                assert_eq!(count.selected_among(nth), selected, "{nth} {hits:?}");
            }
        }
        let count = Count { hits: vec![Hit::Every(3), Hit::Every(5)], ..Count::default() };
        assert_eq!(count.selected_among(15_000_000_000_000), 7_000_000_000_000);
    }

    #[test]
    fn all_can_be_said_in_several_ways() {
        let all = |hits: Vec<Hit>, share| Count { hits, share, ..Count::default() }.applies_to_all();
        assert!(all(vec![], Share::All));
        assert!(all(vec![Hit::Between(1, None)], Share::Chance(1_000_000)));
        assert!(all(vec![Hit::Every(1)], Share::Exactly { hits: 2, of: 2 }));
        assert!(!all(vec![], Share::Chance(999_999)));
        assert!(Share::Chance(0).is_none() && !Share::Chance(1).is_none());
    }
}
