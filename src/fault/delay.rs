//! The effect `delay`.

use std::time::Duration;

use crate::draw::Draw;

/// Latency in real time. Drawn values are whole milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delay {
    /// `250ms`: always the same.
    Fixed(Duration),
    /// `100ms-400ms`: uniformly distributed, both ends included. The first is the shorter.
    Uniform(Duration, Duration),
    /// `{median: 120ms, p99: 900ms}`: log-normal, as real latencies are. The median is above 0 and below `p99`.
    LogNormal {
        /// Half of the values are below it.
        median: Duration,
        /// One value in a hundred is above it.
        p99: Duration,
    },
}

/// The 99th percentile of the standard normal distribution.
const NORMAL_P99: f64 = 2.326_347_874_040_841;
/// Upper limit of a delay.
const LONGEST: f64 = 86_400_000.0;

impl Delay {
    /// Draws a delay.
    pub(crate) fn draw(&self, draw: &mut Draw) -> Duration {
        match *self {
            Self::Fixed(span) => span,
            Self::Uniform(least, most) => {
                let (least, most) = (milliseconds(least), milliseconds(most));
                Duration::from_millis(least + draw.below(most.saturating_sub(least) + 1))
            }
            Self::LogNormal { median, p99 } => {
                let (median, p99) = (median.as_secs_f64() * 1000.0, p99.as_secs_f64() * 1000.0);
                let sigma = libm::log(p99 / median) / NORMAL_P99;
                let span = libm::round(median * libm::exp(sigma * draw.normal())).clamp(0.0, LONGEST);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped above")]
                Duration::from_millis(span as u64)
            }
        }
    }
}

fn milliseconds(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Seed;

    fn spans(delay: Delay) -> Vec<u64> {
        let base = Draw::new(Seed(1), "delay");
        let mut spans: Vec<u64> =
            (0..10_000).map(|key| milliseconds(delay.draw(&mut base.with(key)))).collect();
        spans.sort_unstable();
        spans
    }

    #[test]
    fn a_log_normal_delay_has_its_median_and_its_p99() {
        let (median, p99) = (Duration::from_millis(120), Duration::from_millis(900));
        let spans = spans(Delay::LogNormal { median, p99 });
        assert!((115..=125).contains(&spans[5_000]), "{}", spans[5_000]);
        assert!((800..=1_010).contains(&spans[9_900]), "{}", spans[9_900]);
    }

    #[test]
    fn a_uniform_delay_reaches_both_ends_and_no_further() {
        let spans = spans(Delay::Uniform(Duration::from_millis(100), Duration::from_millis(110)));
        assert_eq!((spans[0], spans[9_999]), (100, 110));
    }

    #[test]
    fn golden_delays_stay_for_ever() {
        let delay = Delay::LogNormal { median: Duration::from_millis(120), p99: Duration::from_millis(900) };
        let base = Draw::new(Seed(42), "delay");
        let drawn = [0, 1, 2].map(|key| milliseconds(delay.draw(&mut base.with(key))));
        assert_eq!(drawn, [200, 254, 162]);
    }
}
