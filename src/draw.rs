//! Seeds and draws: the only source of chance. A draw is a hash of (seed, purpose, keys), never a step of a shared
//! generator, so that no order of requests, threads or records can change it (`behaviour.md` 6).
//!
//! The algorithm is fixed: keys are absorbed one by one as `state = mix(state ^ key)` and numbers come out as
//! `mix(state + n * GOLDEN)`, `mix` being the finaliser of `SplitMix64` (Steele, Lea, Flood: Fast Splittable
//! Pseudorandom Number Generators, 2014). The golden tests below hold it still.

use std::convert::Infallible;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number from which all chance of a scenario comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(pub u64);

impl Seed {
    /// A seed of no one's choosing, from the operating system: for `seed: random`, picked once per process and told.
    /// Below 2^53, so that every reader of JSON keeps it whole.
    ///
    /// # Errors
    /// Where the operating system has no random numbers to give.
    pub fn random() -> Result<Self, rand::rngs::SysError> {
        use rand::TryRng;
        Ok(Self(rand::rngs::SysRng.try_next_u64()? >> 11))
    }
}

/// A stream of numbers that belongs to one purpose and its keys alone.
#[derive(Clone, Debug)]
pub struct Draw {
    state: u64,
}

impl Draw {
    /// The stream of `purpose` under a seed.
    #[must_use]
    pub fn new(seed: Seed, purpose: &str) -> Self {
        Self { state: mix(seed.0 ^ GOLDEN) }.with_text(purpose)
    }

    /// The stream that belongs to one key more.
    #[must_use]
    pub const fn with(&self, key: u64) -> Self {
        Self { state: mix(self.state ^ mix(key.wrapping_add(GOLDEN))) }
    }

    /// The stream that belongs to one key more, given as text.
    #[must_use]
    pub fn with_text(&self, key: &str) -> Self {
        let mut draw = self.with(key.len() as u64);
        for chunk in key.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            draw = draw.with(u64::from_le_bytes(word));
        }
        draw
    }

    /// The next number, all 64 bits of it.
    pub const fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// The next number below `bound`; 0 where the bound is 0.
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.number() as u128 * bound as u128) >> 64) as u64
    }

    /// One element, or none of an empty slice.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(usize::try_from(self.below(from.len() as u64)).unwrap_or_default())
    }

    /// The place of an element when `length` of them are shuffled by this draw: a permutation without a table, by four rounds of a
    /// balanced Feistel network, walked until it is back in range.
    #[must_use]
    pub fn shuffled(&self, element: u64, length: u64) -> u64 {
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

    /// Whether a chance of `parts` in a million comes true.
    pub const fn comes_true(&mut self, parts: u32) -> bool {
        self.below(1_000_000) < parts as u64
    }
}

impl rand::TryRng for Draw {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.number() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.number())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.number().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
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
    fn golden_numbers_stay_for_ever() {
        let mut draw = Draw::new(Seed(42), "review").with(1001).with(7);
        let numbers = [draw.number(), draw.number(), draw.below(1000)];
        assert_eq!(numbers, GOLDEN_NUMBERS);
    }

    const GOLDEN_NUMBERS: [u64; 3] = [12_135_977_000_116_686_899, 14_630_023_102_845_980_842, 906];

    #[test]
    fn keys_seeds_and_purposes_separate_streams() {
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
    fn chance_comes_true_about_as_often_as_said() {
        let base = Draw::new(Seed(1), "share");
        let struck = (0..20_000).filter(|&key| base.with(key).comes_true(100_000)).count();
        assert!((1_830..=2_170).contains(&struck), "{struck}");
    }

    #[test]
    fn a_shuffle_is_a_permutation_and_blocks_differ() {
        for length in [1, 2, 3, 10, 64, 1000] {
            let order = |block| Draw::new(Seed(1), "t").with(block);
            let places =
                |block| -> Vec<u64> { (0..length).map(|at| order(block).shuffled(at, length)).collect() };
            assert_eq!(places(0).into_iter().collect::<BTreeSet<_>>(), (0..length).collect());
            assert!(length < 10 || places(0) != places(1));
        }
    }
}
