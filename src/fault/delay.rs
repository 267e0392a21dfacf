//! The effect `delay`.

use std::time::Duration;

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
