//! How much memory a call takes from the allocator: a count, not a time, so that it is the same on every machine.
//!
//! The calls are driven through the pipeline, from the received bytes to the reply; what actix allocates around them is
//! not ours to bound.
#![expect(
    unsafe_code,
    reason = "an allocator cannot be written without; it hands everything on to the system's"
)]
#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]
#![expect(clippy::print_stdout, reason = "the figures are told, to whoever asks with --nocapture")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;

use standin::api::call::{Body, Call};
use standin::api::dates::Day;
use standin::api::reply::Reply;
use standin::draw::Seed;
use standin::pipeline;
use standin::scenario::files::Memory;
use standin::scenario::{LoadContext, load_text};
use standin::world::registry::Registry;
use standin::world::shared::Shared;
use standin::world::snapshot::Snapshot;

/// Counts what the present thread asks for; tests run on threads of their own.
struct Counting;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is going away is not counted any more.
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
}

// SAFETY: every call goes to the system's allocator as it came; the counter neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SCENARIO: &str = "\
standin: 1
seed: 1
clock: {start: 2026-06-30T00:00:00Z, mode: frozen}
keys: [{key: bench-key, accounts: [100]}]
businesses:
  - number: 100
    name: Bench
    industry_score: 68.2
    locations:
      - {number: 1, name: One, reviews: [{generate: 500}]}
      - {number: 2, name: Two, reviews: [{generate: 500}]}
";

fn registry() -> Registry {
    let context = LoadContext { files: &Memory::default(), root: PathBuf::new(), today: Day(20_634) };
    let scenario = load_text(&context, "bench", SCENARIO).scenario.unwrap();
    let snapshot = Arc::new(Snapshot::new(1, Seed(1), scenario));
    snapshot.dataset();
    Registry::new("bench", vec![snapshot], Shared::default()).unwrap()
}

/// Answers a call as the server does, and tells how often memory was asked for on the way.
fn answered(registry: &Registry, path: &str, query: &str, body: &str) -> (Reply, u64) {
    let before = ASKED.get();
    let mut call = Call {
        method: "POST",
        path,
        query,
        headers: [
            ("host", "127.0.0.1:8080"),
            ("content-type", "application/json"),
            ("content-length", "72"),
            ("x-api-key", "bench-key"),
            ("x-business-number", "100"),
        ]
        .into_iter()
        .map(|(name, value)| (name, value.as_bytes()))
        .collect(),
        body: Body::Whole(body.as_bytes()),
    };
    let located = pipeline::locate::locate(registry, &mut call).unwrap();
    let reply = pipeline::respond(&located, located.snapshot.dataset(), &call);
    (reply.reply, ASKED.get() - before)
}

const DAYS: &str = r#"{"businessNumbers":[1,2],"startDate":"01/01/2026","endDate":"06/30/2026"}"#;
const EVERYTHING: &str = r#"{"businessNumbers":[1,2],"startDate":"01/01/2026","endDate":"06/30/2026",
    "reviewSources":["google","Direct Feedback"],"ratings":[1,"2",3,4,5],
    "hierarchyNodeData":[{"levelId":"region","levelNames":[]}]}"#;

#[test]
fn a_benchmark_call_asks_for_memory_at_most_sixty_times() {
    let registry = registry();
    // The journal makes room for its first entries.
    answered(&registry, "/v1/insight/sentiment/scoreBenchmark", "", DAYS);
    for (body, most) in [(DAYS, 12), (EVERYTHING, 60)] {
        // Made, made and remembered, remembered.
        for (time, most) in [("first", most), ("second", most), ("third", 8)] {
            let (reply, asked) = answered(&registry, "/v1/insight/sentiment/scoreBenchmark", "", body);
            assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
            println!("benchmark, {time} call with {} bytes: {asked}", body.len());
            assert!(asked <= most, "{asked} allocations, at most {most}");
        }
    }
}

#[test]
fn a_page_of_reviews_asks_once_for_each_review_at_first_and_then_hardly_at_all() {
    let registry = registry();
    // What is made once for the process, like lists of names, is made now.
    answered(&registry, "/v1/review/businessId/100", "sindex=50&count=50", r#"{"statuses":["all"]}"#);
    // Once for each review that is kept as written, and those of the call itself.
    for (time, most) in [("first", 40), ("second", 12)] {
        let (reply, asked) = answered(&registry, "/v1/review/businessId/100", "sindex=0&count=25", "{}");
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
        let page: Vec<serde_json::Value> = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(page.len(), 25);
        println!("page of 25, {time} call: {asked}");
        assert!(asked <= most, "{asked} allocations, at most {most}");
    }
}
