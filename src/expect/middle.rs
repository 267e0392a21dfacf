//! Medians and percentiles of times.

use std::time::Duration;

/// The median. Zero if there are no times.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let half = times.len() / 2;
    match (times.get(half.wrapping_sub(1)), times.get(half)) {
        (Some(below), Some(above)) if times.len().is_multiple_of(2) => (*below + *above) / 2,
        (_, Some(middle)) => *middle,
        (_, None) => Duration::ZERO,
    }
}

/// The smallest of the times that at least that many percent of them do not exceed. Zero if there are no times.
pub(crate) fn percentile(mut times: Vec<Duration>, percent: usize) -> Duration {
    times.sort_unstable();
    let rank = (times.len() * percent).div_ceil(100);
    times.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_of_an_even_number_is_between_the_two_in_the_middle() {
        let of = |millis: &[u64]| median(millis.iter().map(|time| Duration::from_millis(*time)).collect());
        assert_eq!(
            [of(&[]), of(&[7]), of(&[9, 1, 5]), of(&[4, 1, 2, 9])],
            [0, 7, 5, 3].map(Duration::from_millis)
        );
    }

    #[test]
    fn a_percentile_is_one_of_the_times() {
        let of = |count: u64| percentile((1..=count).map(Duration::from_millis).collect(), 95);
        assert_eq!([of(0), of(1), of(20), of(100)], [0, 1, 19, 95].map(Duration::from_millis));
    }
}
