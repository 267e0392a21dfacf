//! Benchmarks that need the insides of the crate, in process and without HTTP. `benches/` holds a program for each.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on panics")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

pub mod million;
pub mod worlds;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::api::call::{Body, Call};
use crate::api::dates::Day;
use crate::api::reply::Reply;
use crate::clock::real_now;
use crate::draw::Seed;
use crate::pipeline;
use crate::scenario::files::Memory;
use crate::scenario::{LoadContext, load_text};
use crate::world::registry::Registry;
use crate::world::shared::Shared;
use crate::world::snapshot::Snapshot;

/// Loads a scenario and builds its dataset.
fn registry(scenario: &str, seed: Seed) -> Registry {
    let context = LoadContext { files: &Memory::default(), root: PathBuf::new(), now: Day(20_634).start() };
    let scenario = load_text(&context, "bench", scenario).scenario.unwrap();
    let snapshot = Arc::new(Snapshot::new(1, seed, scenario));
    snapshot.dataset();
    Registry::new("bench", vec![snapshot], Shared::default()).unwrap()
}

/// Sends a call through the pipeline.
fn send(registry: &Registry, path: &str, query: &str, body: &str) -> Reply {
    let headers = vec![
        ("content-type", &b"application/json"[..]),
        ("x-api-key", b"bench-key"),
        ("x-business-number", b"1000000"),
    ];
    let call =
        Call { method: "POST", path, query, headers, body: Body::Whole(body.as_bytes()), connection: 0 };
    let received = pipeline::receive::receive(registry, call).unwrap();
    let reply = pipeline::answer(&received, received.snapshot.dataset()).reply;
    assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
    reply
}

/// Runs a function and returns its result with the time that it took.
fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let started = real_now();
    let result = run();
    (started.elapsed(), result)
}

fn micros(span: Duration) -> f64 {
    span.as_secs_f64() * 1e6
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn print_title(title: &str) {
    println!("{title:<64} {:>12} {:>12}", "figure", "aim");
}

/// Prints a figure that has no aim.
fn print(name: &str, figure: f64, unit: &str) {
    println!("{:<64} {figure:>8.2} {unit}", format!("  {name}"));
}

/// Prints a figure, and whether it is below its aim.
fn print_with_aim(name: &str, figure: f64, unit: &str, aim: f64) {
    let verdict = if figure < aim { "ok" } else { "OVER" };
    let (name, aim) = (format!("  {name}"), format!("< {aim}"));
    println!("{name:<64} {figure:>8.2} {unit:<3} {aim:>8} {unit:<3} {verdict}");
}

/// A memory figure of this process in MiB, such as `VmRSS`; 0 where the system has none.
fn memory(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}
