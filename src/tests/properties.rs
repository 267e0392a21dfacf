//! Properties of all operations: pages and filters partition the lists, and generated records are stable.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::api::call::{Body, Call};
use crate::api::dates::Day;
use crate::api::reply::Reply;
use crate::api::sources;
use crate::draw::Seed;
use crate::pipeline;
use crate::pipeline::receive::receive;
use crate::scenario::files::Memory;
use crate::scenario::{LoadContext, load_text};
use crate::tests::harness::cases;
use crate::world::registry::Registry;
use crate::world::shared::Shared;
use crate::world::snapshot::Snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

const GENERATED: &str = "
standin: 1
name: laws
seed: 3
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k}, {key: own, name: aside, world: own}]
businesses:
  - number: 1
    name: Whole
    users: []
    levels: [Region]
    competitors: [2]
    locations:
      - {number: 11, name: A, levels: {Region: North}, reviews: [{generate: 260}], questions: [{generate: 30}]}
      - {number: 12, name: B, reviews: [{generate: 140, published: 50%, locale: {en: 1, ja: 1}}], questions: [{generate: 11}]}
      - {number: 13, name: C, reviews: [{id: '7', rating: 2, date: 2026-06-30, comments: Straße, title: Ärger}]}
    contacts: [{id: 5, email: a@b.test, phone: '+12125550100', externalId: E}]
  - {number: 2, name: Rival, locations: [{number: 21, name: D, reviews: [{generate: 40}]}]}
";

fn registry_of(text: &str, seed: u64) -> Registry {
    let files = Memory::default();
    let loaded = load_text(
        &LoadContext { files: &files, root: PathBuf::new(), now: Day(20_634).start() },
        "laws",
        text,
    );
    let scenario = loaded.scenario.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    Registry::new("laws", vec![Arc::new(Snapshot::new(1, Seed(seed), scenario))], Shared::default()).unwrap()
}

pub(super) fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| registry_of(GENERATED, 3))
}

/// Answers a call as the server does.
pub(super) fn answer(registry: &Registry, call: Call<'_>) -> Reply {
    match receive(registry, call) {
        Ok(received) => pipeline::answer(&received, received.snapshot.dataset()).reply,
        Err(reply) => reply,
    }
}

fn post(path: &str, query: &str, body: &Value) -> Value {
    post_to(registry(), path, query, body)
}

fn post_to(registry: &Registry, path: &str, query: &str, body: &Value) -> Value {
    let body = body.to_string();
    let headers = vec![("x-api-key", &b"k"[..]), ("x-business-number", &b"1"[..])];
    let reply = answer(
        registry,
        Call { method: "POST", path, query, headers, body: Body::Whole(body.as_bytes()), connection: 0 },
    );
    assert_eq!(reply.status, 200, "{path}?{query} {body}: {}", String::from_utf8_lossy(&reply.body));
    serde_json::from_slice(&reply.body).unwrap()
}

fn list(query: &str, body: &Value) -> Vec<Value> {
    list_of(registry(), query, body)
}

fn list_of(registry: &Registry, query: &str, body: &Value) -> Vec<Value> {
    let Value::Array(list) = post_to(registry, "/v1/review/businessId/1", query, body) else {
        panic!("a list")
    };
    list
}

/// The whole list under a filter.
fn whole(filter: &Value) -> Vec<Value> {
    list("count=100000", filter)
}

/// The list under a filter with one member replaced.
fn narrowed(filter: &Value, name: &str, value: Value) -> Vec<Value> {
    let mut filter = filter.clone();
    filter[name] = value;
    whole(&filter)
}

fn day(day: i32) -> String {
    let iso = Day(day).iso();
    format!("{}/{}/{}", &iso[5..7], &iso[8..], &iso[..4])
}

/// Days around those of the reviews.
fn days() -> impl Strategy<Value = i32> {
    20_250..20_640
}

prop_compose! {
    fn filters()(
        days in proptest::option::of((days(), 0..400)),
        updated in proptest::option::of(days()),
        sources in proptest::sample::subsequence(vec!["google", "Facebook", "our_website", "direct_feedback", "x"], 0..4),
        ratings in proptest::sample::subsequence(vec![0, 1, 2, 3, 4, 5], 0..5),
        places in proptest::sample::subsequence(vec![11, 12, 13, 99], 0..4),
        statuses in proptest::sample::select(vec![json!([]), json!(["parked"]), json!(["all"])]),
        search in proptest::sample::select(vec!["", "a", "THE", "straße", "ß", "。"]),
    ) -> Value {
        let mut filter = json!({"sources": sources, "ratings": ratings, "subBusinessIds": places, "statuses": statuses, "searchStr": search});
        if let Some((from, length)) = days {
            filter["fromDate"] = json!(day(from));
            filter["toDate"] = json!(day(from + length));
        }
        if let Some(from) = updated {
            filter["updateFromDate"] = json!(day(from));
        }
        filter
    }
}

/// Checks that the parts make up the whole list: nothing is missing, repeated or added.
fn partition(parts: &[Vec<Value>], whole: &[Value]) -> Result<(), TestCaseError> {
    let ids =
        |list: &[Value]| -> Vec<String> { list.iter().map(|one| one["reviewId"].to_string()).collect() };
    let mut together: Vec<String> = parts.iter().flat_map(|part| ids(part)).collect();
    let mut expected = ids(whole);
    for part in parts {
        let order: Vec<String> = ids(part);
        let kept: Vec<String> = expected.iter().filter(|id| order.contains(id)).cloned().collect();
        prop_assert_eq!(order, kept, "a part is in the order of the whole");
    }
    together.sort();
    expected.sort();
    prop_assert_eq!(together, expected);
    Ok(())
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn pages_partition_the_review_list(filter in filters(), size in 1_usize..90) {
        let whole = whole(&filter);
        let mut pages = Vec::new();
        for start in (0..=whole.len() + size).step_by(size) {
            pages.extend(list(&format!("sindex={start}&count={size}"), &filter));
        }
        prop_assert_eq!(pages, whole);
    }

    #[test]
    fn each_filter_partitions_the_review_list(filter in filters(), split in days()) {
        let open = |name: &str| {
            let mut filter = filter.clone();
            filter.as_object_mut().unwrap().remove(name);
            filter
        };
        let base = open("ratings");
        partition(&[0, 1, 2, 3, 4, 5].map(|rating| narrowed(&base, "ratings", json!([rating]))), &whole(&base))?;
        let base = open("sources");
        let parts: Vec<Vec<Value>> =
            sources::built_in().iter().map(|source| narrowed(&base, "sources", json!([source.alias]))).collect();
        partition(&parts, &whole(&base))?;
        let base = open("statuses");
        let both = ["published", "parked"].map(|status| narrowed(&base, "statuses", json!([status])));
        partition(&both, &narrowed(&base, "statuses", json!(["all"])))?;
        let base = open("subBusinessIds");
        partition(&[11, 12, 13].map(|place| narrowed(&base, "subBusinessIds", json!([place]))), &whole(&base))?;
        let mut base = open("fromDate");
        base.as_object_mut().unwrap().remove("toDate");
        let halves = [narrowed(&base, "toDate", json!(day(split))), narrowed(&base, "fromDate", json!(day(split + 1)))];
        partition(&halves, &whole(&base))?;
        let base = open("updateFromDate");
        let halves = [narrowed(&base, "updateToDate", json!(day(split))), narrowed(&base, "updateFromDate", json!(day(split + 1)))];
        partition(&halves, &whole(&base))?;
    }

    #[test]
    fn a_search_finds_exactly_the_reviews_that_contain_its_text(filter in filters(), text in "[a-zA-Zß ,.!]{1,3}") {
        let mut base = filter;
        base.as_object_mut().unwrap().remove("searchStr");
        let contains = |field: &Value| {
            field.as_str().is_some_and(|field| crate::api::fold::fold(field).contains(&crate::api::fold::fold(&text)))
        };
        let blank = text.trim().is_empty();
        let expected: Vec<Value> =
            whole(&base).into_iter().filter(|one| blank || contains(&one["comments"]) || contains(&one["title"])).collect();
        prop_assert_eq!(narrowed(&base, "searchStr", json!(text)), expected);
    }

    #[test]
    fn pages_partition_questions_and_points(size in 1_usize..40) {
        let questions = |start: usize, size: usize| {
            let page = post("/v1/qna/unanswered/get", "businessId=1", &json!({"startIndex": start, "pageSize": size}));
            assert_eq!(page["totalCount"], 41);
            page["questionsAndAnswers"].as_array().unwrap().clone()
        };
        let pages: Vec<Value> = (0..45).step_by(size).flat_map(|start| questions(start, size)).collect();
        prop_assert_eq!(pages, questions(0, 1000));
        let body = json!({"businessNumbers": [1], "startDate": "1/1/2020", "endDate": "1/1/2030", "userEmail": "a@b.test"});
        let points = |start: usize, size: usize| {
            let query = format!("start-index={start}&page-size={size}&sort-by=sentiment-score&sort-order=1");
            let page = post("/v1/insight/sentiment/locationInfo", &query, &body);
            assert_eq!(page["totalCount"], 3);
            page["dataPoints"].as_array().unwrap().clone()
        };
        let pages: Vec<Value> = (0..4).step_by(size).flat_map(|start| points(start, size)).collect();
        prop_assert_eq!(pages, points(0, 100));
    }
}

#[test]
fn a_larger_generate_keeps_the_earlier_records() {
    let larger =
        GENERATED.replace("generate: 260", "generate: 300").replace("generate: 30}", "generate: 50}");
    let all = json!({"statuses": ["all"]});
    let (before, now) = (list("count=1000", &all), list_of(&registry_of(&larger, 3), "count=1000", &all));
    assert_eq!((before.len(), now.len()), (401, 441));
    assert!(before.iter().all(|review| now.contains(review)));
}

#[test]
fn another_seed_gives_other_records() {
    let all = json!({"statuses": ["all"]});
    assert_ne!(list_of(&registry_of(GENERATED, 4), "", &all), list("", &all));
}
