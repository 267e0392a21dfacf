//! What a fault counts, and which of the counted requests it strikes.

/// How often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// What shares one counter.
    pub per: Per,
    /// Which of the counted are selected: those that any of these takes; none given selects all.
    pub hits: Vec<Hit>,
    /// How many of the selected are struck.
    pub share: Share,
}

/// What shares one counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// All requests of the world.
    #[default]
    World,
    /// The requests of one API key.
    Key,
    /// The requests of one fingerprint: a request and its retries.
    Request,
}

/// Some of the counted, which are numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// `3`, `1-2` and `4-`: from the first to the last, both included; without a last one, all that follow.
    Between(u64, Option<u64>),
    /// `every 5`: the fifth, the tenth and so on.
    Every(u64),
}

/// How many of the selected are struck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Share {
    /// Each.
    #[default]
    All,
    /// Each with this chance, in parts in a million.
    Chance(u32),
    /// Exactly `hits` of each block of `of`, in an order drawn from the seed; `hits` is at most `of`, which is at
    /// least 1.
    Exactly {
        /// How many.
        hits: u32,
        /// Of how many.
        of: u32,
    },
}

impl Hit {
    /// Whether the `nth` of the counted is one of them.
    #[must_use]
    pub fn takes(self, nth: u64) -> bool {
        match self {
            Self::Between(first, last) => nth >= first && last.is_none_or(|last| nth <= last),
            Self::Every(step) => nth != 0 && nth.is_multiple_of(step),
        }
    }
}

impl Count {
    /// Whether the `nth` of the counted is selected.
    #[must_use]
    pub fn selects(&self, nth: u64) -> bool {
        self.hits.is_empty() || self.hits.iter().any(|hit| hit.takes(nth))
    }

    /// Whether it strikes whatever it counts.
    #[must_use]
    pub fn strikes_all(&self) -> bool {
        let all_selected = self.hits.is_empty()
            || self.hits.iter().any(|hit| matches!(hit, Hit::Between(0 | 1, None) | Hit::Every(1)));
        all_selected && self.share.is_all()
    }
}

impl Share {
    /// Whether each of the selected is struck.
    #[must_use]
    pub const fn is_all(self) -> bool {
        match self {
            Self::All => true,
            Self::Chance(parts) => parts >= 1_000_000,
            Self::Exactly { hits, of } => hits == of,
        }
    }

    /// Whether none of the selected is ever struck.
    #[must_use]
    pub const fn is_none(self) -> bool {
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
        assert!(!count.strikes_all());
    }

    #[test]
    fn all_can_be_said_in_several_ways() {
        let all = |hits: Vec<Hit>, share| Count { hits, share, ..Count::default() }.strikes_all();
        assert!(all(vec![], Share::All));
        assert!(all(vec![Hit::Between(1, None)], Share::Chance(1_000_000)));
        assert!(all(vec![Hit::Every(1)], Share::Exactly { hits: 2, of: 2 }));
        assert!(!all(vec![], Share::Chance(999_999)));
        assert!(Share::Chance(0).is_none() && !Share::Chance(1).is_none());
    }
}
