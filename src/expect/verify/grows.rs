//! Whether the waits between tries grow: over all chains, the median of each gap against that of the gap before. Single gaps
//! of a client with jitter may shrink.

use std::time::Duration;

use crate::expect::verify::Outcome;
use crate::expect::verify::chain::Struck;
use crate::expect::verify::text;

/// `factor` is in hundredths. A fifth less is enough.
pub(super) fn verify(struck: &Struck<'_>, factor: u32) -> Outcome {
    let longest = struck.chains.iter().map(|chain| chain.gaps.len()).max().unwrap_or_default();
    let medians: Vec<Duration> = (0..longest).map(|step| median(struck, step)).collect();
    if medians.len() < 2 {
        return Outcome::pass("nothing was tried again twice, so that no wait can grow");
    }
    let shown = text::list(medians.iter().map(|median| text::span(*median)));
    let times = f64::from(factor) / 100.0;
    let grows = |pair: &[Duration]| {
        let least = pair[0].as_micros() * u128::from(factor) * 8 / 1000;
        !pair[1].is_zero() && pair[1].as_micros() >= least
    };
    if medians.windows(2).all(grows) {
        return Outcome::pass(format!("the waits grow: {shown}"));
    }
    Outcome::fail(format!("the waits do not grow {times} times each: {shown} (medians)"), None)
}

/// The median of the gaps at that place of the chains.
fn median(struck: &Struck<'_>, step: usize) -> Duration {
    let mut gaps: Vec<Duration> =
        struck.chains.iter().filter_map(|chain| chain.gaps.get(step)).copied().collect();
    gaps.sort_unstable();
    let middle = gaps.len() / 2;
    let upper = gaps.get(middle).copied().unwrap_or_default();
    let lower = gaps.get(middle.wrapping_sub(1)).copied().unwrap_or_default();
    if gaps.len() % 2 == 1 { upper } else { (lower + upper) / 2 }
}
