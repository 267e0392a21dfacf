//! The effect `delay`.

use std::f64::consts::TAU;
use std::time::Duration;

use crate::draw::Draw;

/// The client sees the answer later, by real time. Drawn spans are whole milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// `250ms`: always so long.
    Fixed(Duration),
    /// `100ms-400ms`: evenly spread from the first to the second, both included; the first is the shorter.
    Uniform(Duration, Duration),
    /// `{median: 120ms, p99: 900ms}`: log-normal, as real latencies are. Half are shorter than the median, one in a
    /// hundred is longer than `p99`, which is longer than the median; that is longer than nothing.
    LogNormal {
        /// Half are shorter.
        median: Duration,
        /// One in a hundred is longer.
        p99: Duration,
    },
}

/// The value below which 99 of 100 of a standard normal distribution lie.
const NORMAL_P99: f64 = 2.326_347_874_040_841;
/// No delay is longer than a day.
const LONGEST: f64 = 86_400_000.0;

impl Delay {
    /// How long this time.
    #[must_use]
    pub fn drawn(&self, draw: &mut Draw) -> Duration {
        match *self {
            Self::Fixed(span) => span,
            Self::Uniform(least, most) => {
                let (least, most) = (milliseconds(least), milliseconds(most));
                Duration::from_millis(least + draw.below(most.saturating_sub(least) + 1))
            }
            Self::LogNormal { median, p99 } => {
                let (median, p99) = (median.as_secs_f64() * 1000.0, p99.as_secs_f64() * 1000.0);
                let sigma = libm::log(p99 / median) / NORMAL_P99;
                // Box and Muller; `libm` gives the same on every machine. The first number is never 0.
                let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit(draw)));
                let normal = radius * libm::cos(TAU * unit(draw));
                let span = libm::round(median * libm::exp(sigma * normal)).clamp(0.0, LONGEST);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped above")]
                Duration::from_millis(span as u64)
            }
        }
    }
}

/// From 0 up to, but without, 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits are what a float holds")]
const fn unit(draw: &mut Draw) -> f64 {
    (draw.number() >> 11) as f64 / (1_u64 << 53) as f64
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
            (0..10_000).map(|key| milliseconds(delay.drawn(&mut base.with(key)))).collect();
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
        let drawn = [0, 1, 2].map(|key| milliseconds(delay.drawn(&mut base.with(key))));
        assert_eq!(drawn, [200, 254, 162]);
    }
}
