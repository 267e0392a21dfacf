//! A set of rows, one bit each.

/// A set of the numbers below its length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// An empty set with room for the rows below `length`.
    pub(crate) fn new(length: usize) -> Self {
        Self { words: vec![0; length.div_ceil(64)] }
    }

    /// The set of those rows, all of them below `length`.
    pub(crate) fn of(length: usize, rows: &[u32]) -> Self {
        let mut bits = Self::new(length);
        for row in rows {
            bits.insert(*row);
        }
        bits
    }

    /// Adds a row. A row beyond the length is ignored.
    pub(crate) fn insert(&mut self, row: u32) {
        if let Some(word) = self.words.get_mut(row as usize / 64) {
            *word |= 1 << (row % 64);
        }
    }

    pub(crate) fn contains(&self, row: u32) -> bool {
        self.word(row as usize / 64) >> (row % 64) & 1 == 1
    }

    /// The rows `64 * at` to `64 * at + 63`, lowest bit first.
    pub(crate) fn word(&self, at: usize) -> u64 {
        self.words.get(at).copied().unwrap_or_default()
    }
}

/// Iterates over the set bits of a word, lowest first.
#[derive(Clone, Debug)]
pub(crate) struct SetBits(pub(crate) u64);

impl SetBits {
    /// How many bits are left.
    pub(crate) const fn remaining(&self) -> u32 {
        self.0.count_ones()
    }
}

impl Iterator for SetBits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_again() {
        let mut bits = Bits::new(130);
        for row in [0, 63, 64, 129, 5000] {
            bits.insert(row);
        }
        let found: Vec<u32> =
            (0..3_u32).flat_map(|at| SetBits(bits.word(at as usize)).map(move |bit| at * 64 + bit)).collect();
        assert_eq!(found, [0, 63, 64, 129]);
        assert!(bits.contains(129) && !bits.contains(128) && !bits.contains(5000));
    }
}
