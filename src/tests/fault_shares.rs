//! Statistical tests of chance over 10,000 requests, on fixed seeds: shares are as written, draws are uniform and independent.

use std::fmt::Write;

use super::harness::{Request, ScenarioFolder, create_world, header, is_faulted, number, serve};

const REQUESTS: usize = 10_000;
/// A chi-square value with one degree of freedom exceeds this once in 10,000 times.
const ONE_DEGREE: f64 = 15.14;
/// The same for 19 degrees of freedom.
const NINETEEN_DEGREES: f64 = 50.80;

/// Name, delay in milliseconds and share. A fault with only a delay lets the next one apply too, so the sum of the delays says which did.
const FAULTS: [(&str, u32, f64); 6] = [
    ("a", 1, 0.1),
    ("b", 2, 0.1),
    ("flaky-1", 4, 0.1),
    ("flaky-2", 8, 0.1),
    ("rare", 16, 0.01),
    ("even", 32, 0.5),
];

fn scenario() -> String {
    let mut text = "
standin: 1
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k}]
businesses: [{number: 1, name: One, locations: [{number: 11, name: L}]}]
faults:
  - {name: drawn, when: {header: {x-case: drawn}}, chance: 50%, then: {status: 503}}
  - {name: uniform, when: {header: {x-case: uniform}}, chance: 40%, then: {status: 503, delay: 0ms-999ms}}
  - {name: tail, when: {header: {x-case: tail}}, then: {status: 503, delay: {median: 100ms, p99: 800ms}}}
"
    .to_owned();
    for (name, delay, share) in FAULTS {
        let chance = share * 100.0;
        let _ = writeln!(
            text,
            "  - {{name: {name}, when: {{header: {{x-case: share}}}}, chance: {chance}%, then: {{delay: {delay}ms}}}}"
        );
    }
    text
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
fn float(count: usize) -> f64 {
    count as f64
}

/// Checks that a count is that share of the requests, within four standard deviations.
#[track_caller]
fn is_share(what: &str, count: usize, share: f64) {
    let (expected, deviation) = (float(REQUESTS) * share, (float(REQUESTS) * share * (1.0 - share)).sqrt());
    let off = (float(count) - expected) / deviation;
    assert!(off.abs() <= 4.0, "{what}: {count} of {REQUESTS} for {share}, {off:.1} standard deviations off");
}

/// Checks that two events are independent.
#[track_caller]
fn are_independent(what: &str, pairs: impl Iterator<Item = (bool, bool)>) {
    let mut table = [[0.0_f64; 2]; 2];
    for (one, other) in pairs {
        table[usize::from(one)][usize::from(other)] += 1.0;
    }
    let [[neither, second], [first, both]] = table;
    let all = neither + second + first + both;
    let margins = (neither + second) * (first + both) * (neither + first) * (second + both);
    let chi = all * (neither * both - first * second).powi(2) / margins;
    assert!(margins > 0.0 && chi < ONE_DEGREE, "{what}: chi-square {chi:.1} of {table:?}");
}

/// Checks that numbers from 0 to 1 are uniform, in twenty bins.
#[track_caller]
fn is_uniform(what: &str, numbers: &[f64]) {
    let mut bins = [0.0_f64; 20];
    for number in numbers {
        assert!((0.0..1.0).contains(number), "{what}: {number}");
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 up to 20")]
        let bin = (number * 20.0) as usize;
        bins[bin] += 1.0;
    }
    let expected = float(numbers.len()) / 20.0;
    let chi: f64 = bins.iter().map(|count| (count - expected).powi(2) / expected).sum();
    assert!(chi < NINETEEN_DEGREES, "{what}: chi-square {chi:.1} of {bins:?}");
}

/// The delay of each request under a seed. In the second round all requests are retries.
fn delays(folder: &ScenarioFolder, seed: u64) -> [Vec<u128>; 2] {
    let name = format!("seed-{seed}");
    create_world(folder, &name, Some(seed));
    [0, 1].map(|_| {
        (0..REQUESTS)
            .map(|place| {
                let sent = Request::numbered(place).header("x-case", "share").send(&folder.registry, &name);
                sent.send_plan.delay.map_or(0, |span| span.as_millis())
            })
            .collect()
    })
}

fn applied(delay: u128, fault: usize) -> bool {
    delay & u128::from(FAULTS[fault].1) != 0
}

#[test]
fn shares_are_as_written_and_draws_are_independent() {
    let folder = serve(&scenario());
    let mut before: Option<Vec<u128>> = None;
    for seed in [1, 2, 3] {
        let [first, retried] = delays(&folder, seed);
        for (fault, (name, _, share)) in FAULTS.into_iter().enumerate() {
            let what = format!("seed {seed}, fault {name}");
            for round in [&first, &retried] {
                is_share(&what, round.iter().filter(|delay| applied(**delay, fault)).count(), share);
            }
            // For a share of one in a hundred, the table has too few entries for the statistic.
            if share < 0.1 {
                continue;
            }
            let pair = |one: &u128, other: &u128| (applied(*one, fault), applied(*other, fault));
            let next = first.iter().zip(&first[1..]).map(|(one, other)| pair(one, other));
            are_independent(&format!("{what}, request and next request"), next);
            let again = first.iter().zip(&retried).map(|(one, other)| pair(one, other));
            are_independent(&format!("{what}, attempt and next attempt"), again);
            if let Some(before) = &before {
                let seeds = before.iter().zip(&first).map(|(one, other)| pair(one, other));
                are_independent(&format!("{what}, seed before"), seeds);
            }
            for (other, (with, ..)) in FAULTS.iter().enumerate().skip(fault + 1).filter(|(_, f)| f.2 >= 0.1) {
                let pairs = first.iter().map(|delay| (applied(*delay, fault), applied(*delay, other)));
                are_independent(&format!("{what}, fault {with}"), pairs);
            }
        }
        before = Some(first);
    }
}

#[test]
fn draws_are_uniform_and_a_fault_applies_below_the_threshold() {
    let folder = serve(&scenario());
    let mut draws = Vec::with_capacity(REQUESTS);
    for place in 0..REQUESTS {
        let outcome = Request::numbered(place).header("x-case", "drawn").send(&folder.registry, "default");
        let (draw, threshold) = (number(&outcome, "x-standin-draw"), number(&outcome, "x-standin-threshold"));
        assert_eq!(header(&outcome, "x-standin-threshold"), Some("0.5"));
        assert_eq!(is_faulted(&outcome), draw < threshold, "{outcome:?}");
        assert_eq!(outcome.reply.status == 503, is_faulted(&outcome));
        draws.push(draw);
    }
    is_uniform("draws", &draws);
}

#[test]
fn delays_are_distributed_as_written_and_independent_of_the_chance() {
    let folder = serve(&scenario());
    let (mut spans, mut pairs) = (Vec::new(), Vec::new());
    let (mut short, mut long) = (0, 0);
    for place in 0..REQUESTS {
        let outcome = Request::numbered(place).header("x-case", "uniform").send(&folder.registry, "default");
        if let Some(span) = outcome.send_plan.delay {
            assert!(span.as_millis() <= 999 && span.subsec_nanos().is_multiple_of(1_000_000));
            spans.push(span.as_secs_f64());
            pairs.push((span.as_millis() < 500, number(&outcome, "x-standin-draw") < 0.2));
        }
        let outcome = Request::numbered(place).header("x-case", "tail").send(&folder.registry, "default");
        let span = outcome.send_plan.delay.unwrap();
        assert!(span.subsec_nanos().is_multiple_of(1_000_000), "whole milliseconds");
        short += usize::from(span.as_millis() < 100);
        long += usize::from(span.as_millis() > 800);
    }
    is_share("faulted", spans.len(), 0.4);
    is_uniform("delays", &spans);
    are_independent("delay and chance", pairs.into_iter());
    // Delays are whole milliseconds, and those that round to the median are on neither side.
    is_share("below the median", short, 0.5 - 0.0028);
    is_share("above p99", long, 0.01);
}
