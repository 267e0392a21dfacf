//! The part `parts/platform.yaml`: its answers agree with the operations, and what strikes operations strikes its routes.

use serde_json::{Value, json};

use super::harness::ScenarioFolder;
use super::routes::{average, demo, json_of, listed, send_with, shipped};

#[test]
fn a_summary_has_the_counts_of_each_child() {
    let folder = shipped("demo");
    for (query, statuses) in [("", "published"), ("?statuses=parked", "parked"), ("?statuses=all", "all")] {
        let (_, summary) = demo(&folder, &format!("GET /v1/review/businessid/100/summary{query}"), "");
        let children = summary["children"].as_array().unwrap();
        let numbers: Vec<u64> = children.iter().filter_map(|it| it["businessId"].as_u64()).collect();
        assert_eq!(numbers, (1001..=1008).collect::<Vec<_>>());
        for child in children {
            let number = child["businessId"].as_u64().unwrap();
            let reviews = listed(&folder, "", number, &json!([statuses]));
            assert_eq!(child["reviewCount"], reviews.len(), "{number} {statuses}");
            assert_eq!(
                child["avgRating"],
                average(&reviews.iter().collect::<Vec<_>>()),
                "{number} {statuses}"
            );
            let own = format!("GET /v1/review/businessid/{number}/summary{query}");
            let own = demo(&folder, &own, "").1;
            assert_eq!(
                (&own["reviewCount"], &own["avgRating"]),
                (&child["reviewCount"], &child["avgRating"]),
                "{number} {statuses}"
            );
            assert_eq!(own.get("children"), None, "a location has none");
        }
        let sum: u64 = children.iter().filter_map(|it| it["reviewCount"].as_u64()).sum();
        assert_eq!(summary["reviewCount"], sum);
    }
    let key = [("x-api-key", "partner-key")];
    let reseller = json_of(&send_with(&folder, "GET /v1/review/businessid/50/summary", &key, ""));
    for (place, number) in [100, 110].into_iter().enumerate() {
        let path = format!("GET /v1/review/businessid/{number}/summary");
        let account = json_of(&send_with(&folder, &path, &key, ""));
        let child = &reseller["children"][place];
        assert_eq!(
            (&child["businessId"], &child["reviewCount"], &child["avgRating"]),
            (&json!(number), &account["reviewCount"], &account["avgRating"])
        );
    }
    assert_eq!(reseller["children"].as_array().unwrap().len(), 2);
}

#[test]
fn faults_and_the_limit_of_a_key_strike_routes_of_the_platform_part() {
    let part =
        crate::scenario::shipped::FILES.iter().find(|(path, _)| *path == "scenarios/parts/platform.yaml");
    let part = std::str::from_utf8(part.unwrap().1).unwrap();
    let scenario = "standin: 1
include: [parts/platform.yaml]
clock: {start: 2026-06-30T09:00:00Z, mode: frozen}
keys: [{key: k, name: ci, rate_limit: 3 per 1m}, {key: unlimited}]
businesses: [{number: 100, name: A, locations: [{number: 1, name: B, reviews: [{generate: 20}]}], contacts: [{generate: 3}]}]
faults:
  - {name: down, operation: 'route:review-summary', when: {business: 1}, hits: 1, then: {status: 503, json: {down: true}}}
  - {name: torn, operation: 'route:delete-customer', hits: 1, then: {error: 2003}}
";
    let folder = ScenarioFolder::new(&[("a.yaml", scenario), ("parts/platform.yaml", part)]);
    assert!(!folder.is_degraded());
    let send = |request: &str| send_with(&folder, request, &[("x-api-key", "k")], "");
    let status = |request: &str| send(request).reply.status;
    assert_eq!(status("GET /v1/review/businessid/100/summary"), 200, "another business");
    assert_eq!(json_of(&send("GET /v1/review/businessid/1/summary")), json!({ "down": true }));
    assert_eq!(status("GET /v1/review/businessid/1/summary"), 200, "the second request");
    let all = json_of(&send("GET /v1/customer/all"));
    let first = all[0]["number"].as_str().unwrap().to_owned();
    assert_eq!(json_of(&send(&format!("DELETE /v1/customer/id/{first}")))["code"], 2003);
    let refused = send("GET /v1/business/1");
    assert_eq!((refused.reply.status, json_of(&refused)["code"].as_u64()), (429, Some(89)));
    let events = send_with(&folder, "GET /v1/messenger/webhook/event", &[], "");
    assert_eq!(events.reply.status, 200, "it needs no key");
    let left = json_of(&send_with(&folder, "GET /v1/customer/all", &[("x-api-key", "unlimited")], ""));
    assert_eq!(left, all, "the fault answered for the route, which removed nothing");
}

#[test]
fn parameters_that_a_route_of_the_platform_part_cannot_take_are_refused_and_not_500() {
    let folder = shipped("demo");
    for (request, body, code) in [
        ("GET /v1/customer/all?count=x", "", 2347),
        ("GET /v1/customer/all?count=1001", "", 2347),
        ("GET /v1/customer/all?sindex=-1", "", 2347),
        ("GET /v1/customer/all?sindex=99999999999999999999999", "", 2347),
        ("POST /v2/customer/list?page=9999999999999999999999", "", 400),
        ("POST /v1/contacts/list?size=0", "", 400),
        ("POST /v1/business/100/search", r#"{"startIndex": 1e30}"#, 400),
        ("POST /v1/business/100/search", "[1]", 400),
        ("POST /v1/customer-v2/external/getCustomer", r#"{"id": [7001]}"#, 5043),
        ("POST /v1/customer-v2/external/getCustomer", r#"{"id": "seven"}"#, 5043),
        ("POST /v1/customer-v2/external/getCustomer", r#"{"email": {}}"#, 5043),
        ("POST /v1/contact/external/preferences/getCustomer", "", 5043),
        ("DELETE /v1/customer/id/seven", "", 1089),
    ] {
        let (status, answer) = demo(&folder, request, body);
        assert_eq!((status, &answer["code"]), (400, &Value::from(code)), "{request} {body}: {answer}");
    }
}
