//! Seeds and draws: the only source of chance. A draw is a hash of (seed, purpose, keys) and never a step of a shared
//! generator, so the order of requests, threads and records cannot change it (`docs/api.md` 6).
//!
//! The algorithm is fixed: keys are absorbed one by one as `state = mix(state ^ key)` and numbers come out as
//! `mix(state + n * GOLDEN)`, where `mix` is the finaliser of `SplitMix64` (Steele, Lea, Flood: Fast Splittable
//! Pseudorandom Number Generators, 2014). The golden tests below pin it.

use std::f64::consts::TAU;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number from which all draws of a scenario derive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Seed(pub(crate) u64);

impl Seed {
    /// A seed from the operating system, for `seed: random`. It is below 2^53, so that every JSON reader keeps it exact.
    ///
    /// # Errors
    /// The operating system cannot provide random numbers.
    pub(crate) fn random() -> Result<Self, rand::rngs::SysError> {
        use rand::TryRng;
        Ok(Self(rand::rngs::SysRng.try_next_u64()? >> 11))
    }
}

/// A stream of numbers that depends on its seed, purpose and keys only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    state: u64,
}

impl Draw {
    /// The stream of a purpose under a seed.
    pub(crate) fn new(seed: Seed, purpose: &str) -> Self {
        Self { state: mix(seed.0 ^ GOLDEN) }.with_text(purpose)
    }

    /// The stream with one more key.
    pub(crate) const fn with(self, key: u64) -> Self {
        Self { state: mix(self.state ^ mix(key.wrapping_add(GOLDEN))) }
    }

    /// The stream with one more key, which is a text.
    pub(crate) fn with_text(self, key: &str) -> Self {
        let mut draw = self.with(key.len() as u64);
        for chunk in key.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            draw = draw.with(u64::from_le_bytes(word));
        }
        draw
    }

    /// The next number, of 64 bits.
    pub(crate) const fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// The next number below `bound`; 0 where the bound is 0.
    pub(crate) const fn below(&mut self, bound: u64) -> u64 {
        ((self.number() as u128 * bound as u128) >> 64) as u64
    }

    /// Picks an element; none if the slice is empty.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(usize::try_from(self.below(from.len() as u64)).unwrap_or_default())
    }

    /// The position of an element after `length` elements are shuffled by this draw. This is a permutation without a table:
    /// four rounds of a balanced Feistel network, repeated until the result is in range. The element must be below `length`;
    /// otherwise it may never be.
    pub(crate) fn permuted(self, element: u64, length: u64) -> u64 {
        debug_assert!(element < length, "element {element} of {length}");
        let half = (64 - length.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
        let mask = (1_u64 << half) - 1;
        let mut at = element;
        loop {
            let (mut left, mut right) = (at >> half, at & mask);
            for round in 0..4 {
                (left, right) = (right, left ^ (self.with(round).with(right).number() & mask));
            }
            at = left << half | right;
            if at < length {
                return at;
            }
        }
    }

    /// The next two numbers as one from the standard normal distribution, by the Box-Muller transform. `libm` gives the same
    /// result on every machine.
    pub(crate) fn normal(&mut self) -> f64 {
        // The first number is never 0.
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        radius * libm::cos(TAU * self.unit())
    }

    /// A number from 0 up to but not including 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are what a float holds")]
    const fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether an event with a probability of `parts` in a million occurs.
    pub(crate) const fn chance(&mut self, parts: u32) -> bool {
        self.below(1_000_000) < parts as u64
    }
}

const fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn golden_numbers_never_change() {
        let mut draw = Draw::new(Seed(42), "review").with(1001).with(7);
        let numbers = [draw.number(), draw.number(), draw.below(1000)];
        assert_eq!(numbers, GOLDEN_NUMBERS);
    }

    const GOLDEN_NUMBERS: [u64; 3] = [12_135_977_000_116_686_899, 14_630_023_102_845_980_842, 906];

    #[test]
    fn different_keys_seeds_and_purposes_give_different_streams() {
        let first = |draw: &Draw| draw.clone().number();
        let base = Draw::new(Seed(1), "a");
        for other in [
            Draw::new(Seed(2), "a"),
            Draw::new(Seed(1), "b"),
            base.with(0),
            base.with_text(""),
            base.with(1).with(2),
            base.with(2).with(1),
        ] {
            assert_ne!(first(&base), first(&other));
        }
        assert_ne!(first(&base.with_text("ab")), first(&base.with_text("a").with_text("b")));
    }

    #[test]
    fn an_event_occurs_about_as_often_as_its_probability_says() {
        let base = Draw::new(Seed(1), "share");
        let struck = (0..20_000).filter(|&key| base.with(key).chance(100_000)).count();
        assert!((1_830..=2_170).contains(&struck), "{struck}");
    }

    #[test]
    fn a_shuffle_is_a_permutation_and_blocks_differ() {
        for length in [1, 2, 3, 10, 64, 1000] {
            let order = |block| Draw::new(Seed(1), "t").with(block);
            let places =
                |block| -> Vec<u64> { (0..length).map(|at| order(block).permuted(at, length)).collect() };
            assert_eq!(places(0).into_iter().collect::<BTreeSet<_>>(), (0..length).collect());
            assert!(length < 10 || places(0) != places(1));
        }
    }
}
