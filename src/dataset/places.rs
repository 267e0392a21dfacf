//! Where a generated record stands among its like, in time and in a list of sentences.
//!
//! The records of one kind are numbered in the order of their indexes. Number `n` comes at the bits of `n` in reverse (the
//! van der Corput sequence): each new record comes between two earlier ones, and they are spread evenly however many
//! there are. The place in a list of `size` sentences is the same number, read modulo `size`: 1/2 is the inverse of 2. When
//! all cells of a level are filled, neighbours in time are a fixed step apart, so that a sentence comes again after exactly
//! `size` records, and between two levels after at least half as many. What else there is does not matter: a larger block
//! keeps the earlier records.

use crate::draw::Draw;

/// The point in time of a record, as a part of its block's time in units of 2^-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point(pub(crate) u32);

impl Point {
    /// The point of a record by its number among its like. The draw is that of their kind; it shifts all of them.
    pub(crate) fn new(kind: &Draw, number: u32) -> Self {
        let shift = u32::try_from(kind.clone().number() >> 32).unwrap_or_default();
        Self(number.reverse_bits() ^ shift)
    }
}

/// A list whose entries are given out so that none comes twice within a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cycle {
    /// Odd, or 0 for an empty list.
    size: u32,
    /// The inverse of 2^32 modulo `size`.
    unit: u64,
}

impl Cycle {
    /// A cycle of that size, which is odd.
    pub(crate) fn new(size: u32) -> Self {
        let modulus = u64::from(size.max(1));
        let half = modulus.div_ceil(2) % modulus;
        Self { size, unit: (0..32).fold(1 % modulus, |unit, _| unit * half % modulus) }
    }

    /// The entry of a point.
    pub(crate) fn place(self, point: Point) -> u32 {
        let modulus = u64::from(self.size.max(1));
        let place = u64::from(point.0) % modulus * self.unit % modulus;
        u32::try_from(place).unwrap_or_default()
    }

    /// Whether the record of that number, which comes at that point, is the first of its like at its place.
    pub(crate) fn is_first(self, point: Point, number: u32) -> bool {
        // So many records fill as many cells of time, and two of them have the same place if they are `size` cells apart.
        let cells = self.size.next_power_of_two();
        let bits = cells.trailing_zeros();
        if number >= cells || bits == 0 {
            return number == 0;
        }
        let cell = point.0 >> (32 - bits);
        let other = if cell < self.size { cell + self.size } else { cell - self.size };
        let shift = point.0 ^ number.reverse_bits();
        let other_number = (other << (32 - bits) ^ shift).reverse_bits() & (cells - 1);
        other >= cells || other_number > number
    }

    /// The number of places.
    pub(crate) const fn size(self) -> u32 {
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Seed;
    use proptest::prelude::{any, prop_assert, proptest};
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn in_any_list_an_entry_comes_again_after_half_the_size_at_the_earliest(
            count in 1_u32..700, size in 1_u32..60, seed in any::<u64>(),
        ) {
            let size = size * 2 + 1;
            let (cycle, kind) = (Cycle::new(size), Draw::new(Seed(seed), "kind"));
            let mut points: Vec<Point> = (0..count).map(|number| Point::new(&kind, number)).collect();
            points.sort_unstable();
            let places: Vec<u32> = points.iter().map(|point| cycle.place(*point)).collect();
            let window = size as usize / 2;
            for page in places.windows(window.min(places.len())) {
                prop_assert!(page.iter().collect::<BTreeSet<_>>().len() == page.len(), "{page:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_first_at_each_place_is_known(size in 0_u32..200, seed in any::<u64>()) {
            let (cycle, kind) = (Cycle::new(size * 2 + 1), Draw::new(Seed(seed), "kind"));
            let mut used = BTreeSet::new();
            for number in 0..1_000 {
                let point = Point::new(&kind, number);
                let is_first = used.insert(cycle.place(point));
                prop_assert!(cycle.is_first(point, number) == is_first, "{number}");
            }
        }
    }

    #[test]
    fn every_entry_has_its_turn() {
        let (cycle, kind) = (Cycle::new(51), Draw::new(Seed(1), "kind"));
        let used: BTreeSet<u32> = (0..64).map(|number| cycle.place(Point::new(&kind, number))).collect();
        assert_eq!(used.len(), 51);
    }
}
