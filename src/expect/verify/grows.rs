//! Whether the waits between tries grow: over all chains, the median of each gap against that of the gap before. Single gaps
//! of a client with jitter may shrink.

use std::time::Duration;

use crate::expect::middle::median;
use crate::expect::verify::Outcome;
use crate::expect::verify::chain::Struck;
use crate::expect::verify::text;
use crate::expect::words;

/// `factor` is in hundredths. A fifth less is enough.
pub(super) fn verify(struck: &Struck<'_>, factor: u32) -> Outcome {
    let waits: Vec<Vec<Duration>> =
        struck.chains.iter().map(|chain| chain.tries.gaps().map(|gap| gap.wait()).collect()).collect();
    let longest = waits.iter().map(Vec::len).max().unwrap_or_default();
    let at = |step: usize| waits.iter().filter_map(|waits| waits.get(step)).copied().collect();
    let medians: Vec<Duration> = (0..longest).map(|step| median(at(step))).collect();
    if medians.len() < 2 {
        return Outcome::pass("nothing was tried again twice, so that no wait can grow");
    }
    let shown = text::list(medians.iter().map(|median| words::time(*median)));
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
