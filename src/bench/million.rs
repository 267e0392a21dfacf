//! One million generated reviews at a thousand locations of one account, and ten thousand at as many for comparison: what they cost to build and to
//! hold, and what calls cost. `cargo bench --features bench --bench million`

use std::fmt::Write;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::{median, memory, micros, print, print_title, print_with_aim, send, timed};
use crate::draw::Seed;
use crate::world::registry::Registry;

const LOCATIONS: u32 = 1_000;
/// Calls timed for a median.
const TIMES: u32 = 201;

const REVIEWS: &str = "/v1/review/businessId/1000000";
const LOCATION_INFO: &str = "/v1/insight/sentiment/locationInfo";

/// Filters of a first page. Of a million reviews, a filter has more to skip than of ten thousand.
const PAGES: [(&str, &str); 9] = [
    ("ratings 1 and 2, source google", r#"{"ratings":[1,2],"sources":["google"]}"#),
    ("parked", r#"{"statuses":["parked"]}"#),
    ("one subBusinessId", r#"{"subBusinessIds":[500]}"#),
    ("twenty subBusinessIds, 4 stars", TWENTY),
    ("a combination that few match", r#"{"ratings":[2],"sources":["our_website"],"statuses":["parked"]}"#),
    ("a combination that few match, at twenty", TWENTY_FEW),
    ("updated on the last days", r#"{"updateFromDate":"06/29/2026","toDate":"06/20/2026"}"#),
    ("one subBusinessId, ratings 1 and 2", r#"{"ratings":[1,2],"subBusinessIds":[500]}"#),
    ("a combination that none match", r#"{"ratings":[3],"sources":["facebook"],"statuses":["all"]}"#),
];
const TWENTY: &str = r#"{"ratings":[4],"subBusinessIds":[20,70,120,170,220,270,320,370,420,470,
    520,570,620,670,720,770,820,870,920,970]}"#;

const TWENTY_FEW: &str = r#"{"ratings":[1],"sources":["our_website"],"statuses":["parked"],
    "subBusinessIds":[20,70,120,170,220,270,320,370,420,470,520,570,620,670,720,770,820,870,920,970]}"#;

/// Texts that no review contains, so that the search looks at every review.
const NEEDLES: [(&str, &str); 6] = [
    ("zzzz", "zzzz"),
    ("a letter that no review has", "\u{fc}"),
    ("parts of sentences", "and friendly. Would come back. The staff"),
    ("the end of every sentence, and more", ". Zebra"),
    ("a frequent word, and more", "the stafff"),
    (
        "a long text",
        "We came here on the recommendation of a friend and could not have been happier with everything from the \
         first phone call to the last goodbye, though parking was a little hard to find",
    ),
];

pub fn run() {
    print_title("one million reviews, a thousand locations");
    let before = memory("VmRSS");
    let (took, million) = timed(|| registry(1, 1_000));
    print_with_aim("load and build", took.as_secs_f64(), "s", 3.0);
    print_with_aim("resident afterwards", memory("VmRSS"), "MiB", 150.0);
    print_with_aim("resident at most while building", memory("VmHWM"), "MiB", 150.0);
    print("resident before", before, "MiB");
    let (took, small) = timed(|| registry(1, 10));
    print("load and build of ten thousand", took.as_secs_f64(), "s");

    print_title("\nfirst page of 25, filtered: a million compared with ten thousand");
    for (name, filter) in PAGES {
        compare_pages(name, filter, &million, &small);
    }

    print_title("\na million");
    let deep = Request::reviews("sindex=99975&count=25", r#"{"statuses":["all"]}"#);
    assert_eq!(deep.count_rows(&million), 25);
    print_with_aim("page at index 99975", deep.median_micros(TIMES, &million) / 1e3, "ms", 5.0);
    let few = Request::reviews("", r#"{"ratings":[1],"subBusinessIds":[500],"statuses":["parked"]}"#);
    let name = format!("one subBusinessId, rating 1, parked: all {} of them", few.count_rows(&million));
    print_with_aim(&name, few.median_micros(TIMES, &million) / 1e3, "ms", 5.0);
    for (name, needle) in NEEDLES {
        let search = Request::search(needle);
        assert_eq!(search.count_rows(&million), 0, "{needle} is in some review");
        let name = format!("search without a hit: {name}");
        print_with_aim(&name, search.median_micros(9, &million) / 1e3, "ms", 100.0);
    }
    // Its sentences occur, and any two of them may meet in a review, so every review has to be read.
    let other_seed: Vec<Review> = Request::reviews("", "{}").send(&registry(2, 10));
    let mut searches = other_seed.iter().map(|review| Request::search(&review.comments));
    let search = searches.find(|search| search.count_rows(&million) == 0).unwrap();
    let name = "search without a hit: the text of a review of another seed";
    print_with_aim(name, search.median_micros(9, &million) / 1e3, "ms", 100.0);
    for (name, more) in [
        ("days only", ""),
        ("ratings 1 and 2", r#","ratings":[1,2]"#),
        ("all ratings, google", r#","ratings":[0,1,2,3,4,5],"reviewSources":["google"]"#),
        ("all ratings", r#","ratings":[0,1,2,3,4,5]"#),
    ] {
        let body = format!(
            r#"{{"businessNumbers":[1000000],"startDate":"01/01/2020","endDate":"06/30/2026","userEmail":"a@b.test"{more}}}"#
        );
        let info = Request { path: LOCATION_INFO, query: "", body };
        let name = format!("location info of everything: {name}");
        print_with_aim(&name, info.median_micros(51, &million) / 1e3, "ms", 20.0);
    }
    print_with_aim("resident at the end", memory("VmRSS"), "MiB", 200.0);
}

/// Times a page of both datasets in turns, so that a machine that changes its speed changes both.
fn compare_pages(name: &str, filter: &str, million: &Registry, small: &Registry) {
    let request = Request::reviews("", filter);
    let rows = (request.count_rows(million), request.count_rows(small));
    let (large, little): (Vec<f64>, Vec<f64>) =
        (0..7).map(|_| (request.median_micros(TIMES, million), request.median_micros(TIMES, small))).unzip();
    let (large, little) = (median(large), median(little));
    let line = format!("{name} ({} rows, {} rows): {large:.1} us, {little:.1} us", rows.0, rows.1);
    print_with_aim(&line, large / little, "x", 3.0);
}

#[derive(Deserialize)]
struct Review {
    comments: String,
}

struct Request {
    path: &'static str,
    query: &'static str,
    body: String,
}

impl Request {
    fn reviews(query: &'static str, body: &str) -> Self {
        Self { path: REVIEWS, query, body: body.to_owned() }
    }

    fn search(text: &str) -> Self {
        Self::reviews("", &json!({"searchStr": text, "statuses": ["all"]}).to_string())
    }

    fn send<T: for<'a> Deserialize<'a>>(&self, registry: &Registry) -> Vec<T> {
        serde_json::from_slice(&send(registry, self.path, self.query, &self.body).body).unwrap()
    }

    fn count_rows(&self, registry: &Registry) -> usize {
        self.send::<IgnoredAny>(registry).len()
    }

    /// The median time of so many calls, after one that is not counted.
    fn median_micros(&self, times: u32, registry: &Registry) -> f64 {
        let run = || timed(|| send(registry, self.path, self.query, &self.body)).0;
        run();
        median((0..times).map(|_| micros(run())).collect())
    }
}

/// The account with a thousand locations and as many reviews at each as wanted.
fn registry(seed: u64, reviews: u32) -> Registry {
    let mut scenario = "\
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
        writeln!(
            scenario,
            "      - {{number: {number}, name: Place {number}, reviews: [{{generate: {reviews}}}]}}"
        )
        .unwrap();
    }
    super::registry(&scenario, Seed(seed))
}
