//! Ten thousand worlds in one process: what making one costs, what they take to hold, and what it costs to find one
//! among them and to be rid of them; in process and without HTTP. `cargo bench --bench worlds`
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on is to say so and stop")]
#![expect(clippy::print_stdout, reason = "its table is what it is for")]

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use standin::api::call::{Body, Call};
use standin::api::dates::Day;
use standin::clock::{Mode, real_now, uptime};
use standin::draw::Seed;
use standin::pipeline;
use standin::scenario::files::Memory;
use standin::scenario::{LoadContext, admin_input, load_text};
use standin::world::World;
use standin::world::registry::Registry;
use standin::world::snapshot::Snapshot;
use standin::world::wanted::{Start, WorldRequest};

const WORLDS: usize = 10_000;

/// What a world of its own faults is made with.
const FAULTS: &str = r#"{"faults": [{"name": "own", "operation": "qna", "hits": 1, "then": {"error": 89, "retry_after": "2s"}}]}"#;

fn main() {
    println!("{:<64} {:>12} {:>12}", "ten thousand worlds", "figure", "aim");
    let registry = registry();
    let plain = made("as their scenario is", &registry, |_| Start::default());
    let started = real_now();
    for world in &plain {
        call(&registry, &world.name);
    }
    let each = micros(started.elapsed()) / f64::from(u32::try_from(WORLDS).unwrap());
    println!("{:<64} {each:>8.2} us ", "  a call to each, found by its URL");
    let resets = plain.iter().map(|world| timed(|| registry.reset(world, None).unwrap()).0).collect();
    println!("{:<64} {:>8.2} us ", "  a reset of each: median", middle(resets));
    // None is let go before all are measured: what one frees, the next would not have to ask the system for.
    let seeded = made("ten thousand more, under ten other seeds", &registry, |world| Start {
        seed: Some(Seed(100 + world as u64 % 10)),
        ..Start::default()
    });
    let faulty = made("ten thousand more, each with a fault of its own, read from JSON", &registry, |_| {
        let base = registry.scenario(None).unwrap();
        let (faults, clock) = admin_input::parse_world_start(&base.references(Mode::Frozen), FAULTS).unwrap();
        Start { seed: None, clock, faults: faults.into_iter().map(Arc::new).collect() }
    });
    drop((plain, seeded, faulty));
    let later = uptime() + Duration::from_secs(3600);
    let (micros, gone) = timed(|| registry.expire(later, Duration::from_secs(60)));
    assert_eq!(gone, 3 * WORLDS);
    println!("{:<64} {:>8.2} ms ", "all thirty thousand expired", micros / 1e3);
}

/// Makes them, and tells what one took and what all hold.
fn made(what: &str, registry: &Registry, start: impl Fn(usize) -> Start) -> Vec<Arc<World>> {
    let before = resident();
    let (mut worlds, mut took) = (Vec::with_capacity(WORLDS), Vec::with_capacity(WORLDS));
    for world in 0..WORLDS {
        let (micros, world) =
            timed(|| registry.make(WorldRequest { start: start(world), ..WorldRequest::default() }).unwrap());
        worlds.push(world);
        took.push(micros);
    }
    println!("{what}");
    told("making one: median", middle(took.clone()), "us", 50.0);
    took.sort_by(f64::total_cmp);
    told("making one: of a hundred, the slowest but one", took[WORLDS * 99 / 100], "us", 50.0);
    told("all of them hold", resident() - before, "MiB", 100.0);
    worlds
}

fn call(registry: &Registry, world: &str) {
    let path = format!("/w/{world}/v1/review/businessId/1");
    let mut call = Call {
        method: "POST",
        path: &path,
        query: "count=1",
        headers: vec![("x-api-key", b"bench-key")],
        body: Body::Whole(b""),
    };
    let located = pipeline::locate::locate(registry, &mut call).unwrap();
    let reply = pipeline::respond(&located, located.snapshot.dataset(), &call).reply;
    assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
}

fn timed<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let started = real_now();
    let result = run();
    (micros(started.elapsed()), result)
}

fn micros(took: Duration) -> f64 {
    took.as_secs_f64() * 1e6
}

fn told(name: &str, figure: f64, unit: &str, aim: f64) {
    let verdict = if figure < aim { "ok" } else { "OVER" };
    println!(
        "{:<64} {figure:>8.2} {unit:<3} {:>8} {unit:<3} {verdict}",
        format!("  {name}"),
        format!("< {aim}")
    );
}

fn middle(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// A scenario of a hundred locations and ten faults, its dataset built.
fn registry() -> Registry {
    let mut text = "standin: 1
clock: {start: 2026-06-30T00:00:00Z, mode: frozen}
keys: [{key: bench-key, rate_limit: 100000 per 1m}]
businesses:
  - number: 1
    name: Bench
    locations:
"
    .to_owned();
    for number in 1..=100 {
        writeln!(
            text,
            "      - {{number: {}, name: Place {number}, reviews: [{{generate: 100}}]}}",
            1000 + number
        )
        .unwrap();
    }
    text.push_str("faults:\n");
    for number in 1..=10 {
        writeln!(
            text,
            "  - {{name: fault-{number}, operation: reviews, when: {{header: {{x-run: '{number}'}}}}, per: request, hits: 1, then: {{status: 503}}}}"
        )
        .unwrap();
    }
    let context = LoadContext { files: &Memory::default(), root: PathBuf::new(), today: Day(20_634) };
    let scenario = load_text(&context, "bench", &text).scenario.unwrap();
    let snapshot = Arc::new(Snapshot::new(1, Seed(1), scenario));
    snapshot.dataset();
    Registry::new("bench", vec![snapshot], standin::world::shared::Shared::default()).unwrap()
}

/// Memory of this process in MiB, 0 where the system does not tell.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}
