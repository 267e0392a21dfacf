//! One million generated reviews over a thousand locations of one account, beside ten thousand over as many: what they
//! cost to build and to hold, and what calls cost, in process and without HTTP. `cargo bench --bench million`
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on is to say so and stop")]
#![expect(clippy::print_stdout, reason = "its table is what it is for")]

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use standin::api::call::{Body, Call};
use standin::api::dates::Day;
use standin::api::reply::Reply;
use standin::clock::real_now;
use standin::draw::Seed;
use standin::pipeline;
use standin::scenario::files::Memory;
use standin::scenario::{LoadContext, load_text};
use standin::world::registry::Registry;
use standin::world::shared::Shared;
use standin::world::snapshot::Snapshot;

const LOCATIONS: u32 = 1_000;
/// Calls timed for a median; fewer of those that take long.
const TIMES: u32 = 201;

const REVIEWS: &str = "/v1/review/businessId/1000000";
const LOCATION_INFO: &str = "/v1/insight/sentiment/locationInfo";

/// First pages that a filter narrows. With a million reviews there is more to pass over than with ten thousand.
const PAGES: [(&str, &str); 9] = [
    ("ratings 1 and 2, source google", r#"{"ratings":[1,2],"sources":["google"]}"#),
    ("parked", r#"{"statuses":["parked"]}"#),
    ("one subBusinessId", r#"{"subBusinessIds":[500]}"#),
    ("twenty subBusinessIds, 4 stars", TWENTY),
    ("a combination that few match", r#"{"ratings":[2],"sources":["our_website"],"statuses":["parked"]}"#),
    ("a combination that few match, at twenty", TWENTY_FEW),
    ("updated of late", r#"{"updateFromDate":"06/29/2026","toDate":"06/20/2026"}"#),
    ("one subBusinessId, ratings 1 and 2", r#"{"ratings":[1,2],"subBusinessIds":[500]}"#),
    ("a combination that none match", r#"{"ratings":[3],"sources":["facebook"],"statuses":["all"]}"#),
];
const TWENTY: &str = r#"{"ratings":[4],"subBusinessIds":[20,70,120,170,220,270,320,370,420,470,
    520,570,620,670,720,770,820,870,920,970]}"#;

const TWENTY_FEW: &str = r#"{"ratings":[1],"sources":["our_website"],"statuses":["parked"],
    "subBusinessIds":[20,70,120,170,220,270,320,370,420,470,520,570,620,670,720,770,820,870,920,970]}"#;

/// Texts that stand in no review. All are looked for in every review.
const NEEDLES: [(&str, &str); 6] = [
    ("zzzz", "zzzz"),
    ("a letter that is not there", "\u{fc}"),
    ("sentences and their joins", "and friendly. Would come back. The staff"),
    ("the end of every sentence, and more", ". Zebra"),
    ("a word that is often there, and more", "the stafff"),
    (
        "a long one",
        "We came here on the recommendation of a friend and could not have been happier with everything from the \
         first phone call to the last goodbye, though parking was a little hard to find",
    ),
];

fn main() {
    println!("{:<64} {:>12} {:>12}", "one million reviews, a thousand locations", "figure", "aim");
    let before = resident("VmRSS");
    let started = real_now();
    let million = registry(1, 1_000);
    told("load and build", started.elapsed().as_secs_f64(), "s", 3.0);
    told("resident after it", resident("VmRSS"), "MiB", 150.0);
    told("resident at most meanwhile", resident("VmHWM"), "MiB", 150.0);
    println!("{:<64} {before:>8.1} MiB", "  resident before it");
    let started = real_now();
    let small = registry(1, 10);
    println!("{:<64} {:>8.3} s  ", "  load and build of ten thousand", started.elapsed().as_secs_f64());

    println!("\nfirst page of 25, filtered: a million against ten thousand");
    for (name, body) in PAGES {
        pages(name, body, &million, &small);
    }

    println!("\na million alone");
    let deep =
        Request { path: REVIEWS, query: "sindex=99975&count=25", body: r#"{"statuses":["all"]}"#.to_owned() };
    assert_eq!(deep.rows(&million), 25);
    told("page at index 99975", median(TIMES, || deep.sent(&million)) / 1e3, "ms", 5.0);
    let body = r#"{"ratings":[1],"subBusinessIds":[500],"statuses":["parked"]}"#.to_owned();
    let few = Request { path: REVIEWS, query: "", body };
    let name = format!("one subBusinessId, rating 1, parked: all {} of them", few.rows(&million));
    told(&name, median(TIMES, || few.sent(&million)) / 1e3, "ms", 5.0);
    for (name, needle) in NEEDLES {
        let search = searched(needle);
        assert_eq!(search.rows(&million), 0, "{needle} is in some review");
        told(
            &format!("search without a hit: {name}"),
            median(9, || search.sent(&million)) / 1e3,
            "ms",
            100.0,
        );
    }
    // Its sentences are all there, and each two of them may meet: every review has to be looked at.
    let other = Request { path: REVIEWS, query: "", body: "{}".to_owned() };
    let other: Vec<Shown> = serde_json::from_slice(&other.sent(&registry(2, 10)).body).unwrap();
    let mut searches = other.iter().map(|review| searched(&review.comments));
    let search = searches.find(|search| search.rows(&million) == 0).unwrap();
    let name = "search without a hit: what a review of another seed says";
    told(name, median(9, || search.sent(&million)) / 1e3, "ms", 100.0);
    for (name, more) in [
        ("days alone", ""),
        ("ratings 1 and 2", r#","ratings":[1,2]"#),
        ("all ratings, google", r#","ratings":[0,1,2,3,4,5],"reviewSources":["google"]"#),
        ("all ratings", r#","ratings":[0,1,2,3,4,5]"#),
    ] {
        let body = format!(
            r#"{{"businessNumbers":[1000000],"startDate":"01/01/2020","endDate":"06/30/2026","userEmail":"a@b.test"{more}}}"#
        );
        let info = Request { path: LOCATION_INFO, query: "", body };
        told(
            &format!("location info over the whole: {name}"),
            median(51, || info.sent(&million)) / 1e3,
            "ms",
            20.0,
        );
    }
    told("resident after all of it", resident("VmRSS"), "MiB", 200.0);
}

fn told(name: &str, figure: f64, unit: &str, aim: f64) {
    let verdict = if figure < aim { "ok" } else { "OVER" };
    println!(
        "{:<64} {figure:>8.2} {unit:<3} {:>8} {unit:<3} {verdict}",
        format!("  {name}"),
        format!("< {aim}")
    );
}

/// Times a page on both, in turns, so that a machine that changes its speed changes both.
fn pages(name: &str, body: &str, million: &Registry, small: &Registry) {
    let request = Request { path: REVIEWS, query: "", body: body.to_owned() };
    let rows = (request.rows(million), request.rows(small));
    let (mut large, mut little) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        large.push(median(TIMES, || request.sent(million)));
        little.push(median(TIMES, || request.sent(small)));
    }
    let (large, little) = (middle(large), middle(little));
    let line = format!("{name} ({} rows, {} rows): {large:.1} us, {little:.1} us", rows.0, rows.1);
    told(&line, large / little, "x", 3.0);
}

/// The median of so many runs in microseconds, after one that is not counted.
fn median(times: u32, mut run: impl FnMut() -> Reply) -> f64 {
    run();
    let mut took = |_| {
        let started = real_now();
        let reply = run();
        let took = started.elapsed();
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
        took
    };
    let took: Vec<Duration> = (0..times).map(&mut took).collect();
    middle(took.into_iter().map(|took| took.as_secs_f64() * 1e6).collect())
}

fn middle(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

#[derive(serde::Deserialize)]
struct Shown {
    comments: String,
}

fn searched(needle: &str) -> Request {
    let body = format!(r#"{{"searchStr":{},"statuses":["all"]}}"#, serde_json::json!(needle));
    Request { path: REVIEWS, query: "", body }
}

struct Request {
    path: &'static str,
    query: &'static str,
    body: String,
}

impl Request {
    fn sent(&self, registry: &Registry) -> Reply {
        let mut call = Call {
            method: "POST",
            path: self.path,
            query: self.query,
            headers: vec![
                ("content-type", b"application/json"),
                ("x-api-key", b"bench-key"),
                ("x-business-number", b"1000000"),
            ],
            body: Body::Whole(self.body.as_bytes()),
        };
        let located = pipeline::locate::locate(registry, &mut call).unwrap();
        pipeline::respond(&located, located.snapshot.dataset(), &call).reply
    }

    /// How many reviews the answer holds.
    fn rows(&self, registry: &Registry) -> usize {
        serde_json::from_slice::<Vec<serde::de::IgnoredAny>>(&self.sent(registry).body).unwrap().len()
    }
}

/// The account with its thousand locations, so many reviews at each, under a seed; loaded from its text and built.
fn registry(seed: u64, each: u32) -> Registry {
    let mut text = "\
standin: 1
clock: {start: 2026-06-30T00:00:00Z, mode: frozen}
keys: [{key: bench-key, accounts: [1000000]}]
businesses:
  - number: 1000000
    name: Bench
    locations:
"
    .to_owned();
    for number in 1..=LOCATIONS {
        writeln!(text, "      - {{number: {number}, name: Place {number}, reviews: [{{generate: {each}}}]}}")
            .unwrap();
    }
    let context = LoadContext { files: &Memory::default(), root: PathBuf::new(), today: Day(20_634) };
    let scenario = load_text(&context, "bench", &text).scenario.unwrap();
    let snapshot = Arc::new(Snapshot::new(1, Seed(seed), scenario));
    snapshot.dataset();
    Registry::new("bench", vec![snapshot], Shared::default()).unwrap()
}

/// A figure of this process in MiB, 0 where the system does not tell.
fn resident(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}
