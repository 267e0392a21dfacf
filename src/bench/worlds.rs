//! Ten thousand worlds in one process: what one costs to create, what all of them hold, and what it costs to find one among them and to remove them.
//! `cargo bench --features bench --bench worlds`

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use super::{median, memory, micros, print, print_title, print_with_aim, send, timed};
use crate::clock::{Mode, uptime};
use crate::dataset::arrival::Arrival;
use crate::draw::Seed;
use crate::scenario::{admin_input, arrival};
use crate::world::World;
use crate::world::create::{Start, WorldRequest};
use crate::world::registry::Registry;

const WORLDS: usize = 10_000;

/// The faults that a world is created with.
const FAULTS: &str = r#"{"faults": [{"name": "own", "operation": "qna", "hits": 1, "then": {"error": 89, "retry_after": "2s"}}]}"#;

pub fn run() {
    print_title("ten thousand worlds");
    let registry = registry();
    let plain = create("as their scenario says", &registry, |_| Start::default());
    let call = |world: &Arc<World>| {
        let path = format!("/w/{}/v1/review/businessId/1", world.name);
        micros(timed(|| send(&registry, &path, "count=1", "")).0)
    };
    print("a call to each, found by its URL: median", median(plain.iter().map(call).collect()), "us");
    let reset = |world: &Arc<World>| micros(timed(|| registry.reset(world, None).unwrap()).0);
    print("a reset of each: median", median(plain.iter().map(reset).collect()), "us");
    // All worlds live until the end: what one frees, the next would not have to ask the system for.
    let seeded = create("ten thousand more, under ten other seeds", &registry, |world| Start {
        seed: Some(Seed(100 + world as u64 % 10)),
        ..Start::default()
    });
    let faulty = create("ten thousand more, each with a fault of its own, read from JSON", &registry, |_| {
        let base = registry.scenario(None).unwrap();
        let (faults, clock) =
            admin_input::parse_world_start(&base.references(Mode::Frozen), FAULTS, base.start).unwrap();
        Start { seed: None, clock, faults: faults.into_iter().map(Arc::new).collect() }
    });
    drop((plain, seeded, faulty));
    let later = uptime() + Duration::from_secs(3600);
    let (took, expired) = timed(|| registry.expire(later, Duration::from_secs(60)));
    assert_eq!(expired, 3 * WORLDS);
    print("all thirty thousand expire", micros(took) / 1e3, "ms");
    add_reviews(&registry);
}

/// How many reviews are added to one world.
const ADDED: usize = 20_000;

/// Adds reviews to a world while a request reads the list of them.
fn add_reviews(registry: &Registry) {
    print_title("adding reviews to a world, each while a request reads the list");
    let world = registry.default_world();
    let (snapshot, run) = (world.snapshot(), world.run());
    let mut took = Vec::with_capacity(ADDED);
    for number in 0..ADDED {
        let body = format!(
            r#"{{"businessId": {}, "rating": 4, "comments": "Number {number}."}}"#,
            1001 + number % 100
        );
        let reading = run.added.read(snapshot.dataset());
        let add = || {
            let review = arrival::parse_review(&body, snapshot.dataset()).unwrap();
            run.arrive(&snapshot, &Arrival::Review(Box::new(review)), (None, "")).unwrap()
        };
        took.push(micros(timed(add).0));
        drop(reading);
    }
    for (name, range) in
        [("the first thousand", 1..1_000), ("the fifth", 4_000..5_000), ("the last", ADDED - 1_000..ADDED)]
    {
        print(&format!("{name}: median"), median(took[range].to_vec()), "us");
    }
}

/// Creates the worlds, and prints what one took and what all hold.
fn create(title: &str, registry: &Registry, start: impl Fn(usize) -> Start) -> Vec<Arc<World>> {
    let before = memory("VmRSS");
    let (mut worlds, mut took) = (Vec::with_capacity(WORLDS), Vec::with_capacity(WORLDS));
    for world in 0..WORLDS {
        let request = || WorldRequest { start: start(world), ..WorldRequest::default() };
        let (span, world) = timed(|| registry.make(request()).unwrap());
        worlds.push(world);
        took.push(micros(span));
    }
    print_title(title);
    took.sort_by(f64::total_cmp);
    print_with_aim("creating one: median", took[WORLDS / 2], "us", 50.0);
    print_with_aim("creating one: 99th percentile", took[WORLDS * 99 / 100], "us", 50.0);
    print_with_aim("all of them hold", memory("VmRSS") - before, "MiB", 100.0);
    worlds
}

/// A scenario of a hundred locations and ten faults.
fn registry() -> Registry {
    let mut scenario = "standin: 1
clock: {start: 2026-06-30T00:00:00Z, mode: frozen}
keys: [{key: bench-key, rate_limit: 100000 per 1m}]
businesses:
  - number: 1
    name: Bench
    locations:
"
    .to_owned();
    for number in 1001..=1100 {
        writeln!(
            scenario,
            "      - {{number: {number}, name: Place {number}, reviews: [{{generate: 100}}]}}"
        )
        .unwrap();
    }
    scenario.push_str("faults:\n");
    for number in 1..=10 {
        writeln!(
            scenario,
            "  - {{name: fault-{number}, operation: reviews, when: {{header: {{x-run: '{number}'}}}}, per: request, hits: 1, then: {{status: 503}}}}"
        )
        .unwrap();
    }
    super::registry(&scenario, Seed(1))
}
