//! The part `parts/platform.yaml`: its answers agree with the operations, and what strikes operations strikes its routes.

use serde_json::{Value, json};

use crate::clock::later;

use super::harness::{ScenarioFolder, create_world, json_of, send_with, shipped};

fn demo(folder: &ScenarioFolder, request: &str, body: &str) -> (u16, Value) {
    let outcome =
        send_with(folder, request, &[("x-api-key", "demo-key"), ("x-business-number", "100")], body);
    let value = if outcome.reply.body.is_empty() { Value::Null } else { json_of(&outcome) };
    (outcome.reply.status, value)
}

/// The average of ratings, without those of 0, to one digit.
fn average(reviews: &[&Value]) -> f64 {
    let rated: Vec<f64> =
        reviews.iter().filter_map(|it| it["rating"].as_f64()).filter(|it| *it > 0.0).collect();
    let count = f64::from(u32::try_from(rated.len().max(1)).unwrap());
    (rated.iter().sum::<f64>() / count * 10.0).round() / 10.0
}

/// All reviews of a business, as the operation lists them.
fn listed(folder: &ScenarioFolder, world: &str, number: u64, statuses: &Value) -> Vec<Value> {
    let (mut all, mut start) = (Vec::new(), 0);
    loop {
        let request = format!("POST {world}/v1/review/businessId/{number}?sindex={start}&count=1000");
        let page = demo(folder, &request, &json!({ "statuses": statuses }).to_string()).1;
        let page = page.as_array().unwrap().clone();
        start += page.len();
        all.extend(page);
        if start % 1000 != 0 || start == 0 || all.len() < start {
            return all;
        }
    }
}

#[test]
fn the_numbers_of_the_platform_part_are_those_of_the_operations() {
    let folder = shipped("demo");
    for (number, query, statuses) in [
        (100, "", json!(["published"])),
        (1001, "?statuses=parked&statuses=published", json!(["all"])),
        (1002, "?statuses=parked,nonsense", json!(["parked"])),
        (1003, "?statuses=nonsense", json!(["published"])),
    ] {
        let reviews = listed(&folder, "", number, &statuses);
        for spelling in ["businessid", "businessId"] {
            let (status, summary) =
                demo(&folder, &format!("GET /v1/review/{spelling}/{number}/summary{query}"), "");
            assert_eq!(status, 200, "{summary}");
            assert_eq!(summary["reviewCount"], reviews.len(), "{number}");
            assert_eq!(summary["avgRating"], json!(average(&reviews.iter().collect::<Vec<_>>())));
            for source in summary["sources"].as_array().unwrap() {
                let of: Vec<&Value> =
                    reviews.iter().filter(|it| it["sourceType"] == source["sourceName"]).collect();
                assert_eq!(source["reviewCount"], of.len());
                assert_eq!(source["avgRating"], json!(average(&of)), "{source}");
            }
            for rating in summary["ratings"].as_array().unwrap() {
                let of = reviews.iter().filter(|it| it["rating"] == rating["rating"]).count();
                assert_eq!(rating["reviewCount"], of);
            }
            let sum = |list: &Value| -> u64 {
                list.as_array().unwrap().iter().filter_map(|it| it["reviewCount"].as_u64()).sum()
            };
            assert_eq!(sum(&summary["sources"]), reviews.len() as u64);
            assert_eq!(sum(&summary["ratings"]), reviews.len() as u64);
        }
    }
    let (_, business) = demo(&folder, "GET /v1/business/1001", "");
    assert_eq!(business["reviewCount"], listed(&folder, "", 1001, &json!(["published"])).len());
    assert_eq!(demo(&folder, "GET /v1/business/200", "").0, 404, "the key does not cover it");
    let (_, children) = demo(&folder, "GET /v1/business/child/all?pid=100", "");
    assert_eq!(children.as_array().unwrap().len(), 8);
    let (_, rivals) = demo(&folder, "GET /v1/business/100/competitors", "");
    let numbers: Vec<_> = rivals.as_array().unwrap().iter().map(|it| it["enterpriseId"].clone()).collect();
    assert_eq!(numbers, [json!(200), json!(300)]);
    let (_, found) =
        demo(&folder, "POST /v1/business/100/search", r#"{"searchStr": "beaver", "sortBy": "name"}"#);
    assert_eq!((&found["totalCount"], &found["accounts"][0]["businessNumber"]), (&json!(1), &json!(1006)));
    assert_eq!(demo(&folder, "POST /v1/business/100/search", r#"{"pageSize": 0}"#).0, 400);
}

#[test]
fn customers_of_the_platform_part_are_the_contacts_of_the_upsert() {
    let folder = shipped("demo");
    create_world(&folder, "w", None);
    let count = |world: &str, query: &str| {
        demo(&folder, &format!("POST {world}/v2/customer/list?size=1{query}"), "").1["totalCount"].clone()
    };
    let before = count("", "").as_u64().unwrap();
    assert_eq!(count("", "&bid=100"), before);
    assert_eq!(count("", "&businessId=100"), before);
    let body = r#"{"email": "new@example.test", "firstName": "New", "businessIds": [1001]}"#;
    let (status, made) = demo(&folder, "POST /v1/contact/external/preferences/saveCustomer", body);
    assert_eq!(status, 200, "{made}");
    let id = made["id"].as_u64().unwrap();
    assert_eq!(count("", ""), before + 1);
    assert_eq!(count("/w/w", ""), before, "another world does not see it");
    let ask = |body: Value| demo(&folder, "POST /v1/customer-v2/external/getCustomer", &body.to_string());
    assert_eq!(ask(json!({ "email": "new@example.test" })).1["id"], id);
    let (_, found) = ask(json!({ "id": id }));
    assert_eq!((&found["firstName"], &found["mappings"][0]["businessNumber"]), (&json!("New"), &json!(1001)));
    assert_eq!(ask(json!({ "email": " NEW@example.test" })).1["id"], id, "as the upsert finds it");
    assert_eq!(ask(json!({ "id": null, "email": "new@example.test" })).1["id"], id, "null is absent");
    assert_eq!(demo(&folder, "GET /v1/customer/all?count=&sindex=", "").0, 200, "an empty value is absent");
    let of = |business: &str, email: &str| {
        let request = format!("POST /v1/customer-v2/external/getCustomer?businessId={business}");
        let (status, found) = demo(&folder, &request, &json!({ "email": email }).to_string());
        (status, found["id"].as_u64(), found["code"].as_u64())
    };
    assert_eq!(of("1001", "new@example.test"), (200, Some(id), None));
    assert_eq!(of("1002", "new@example.test"), (400, None, Some(5043)), "it is no customer there");
    assert_eq!(of("200", "new@example.test"), (404, None, Some(1532)), "the key does not cover it");
    let (_, all) = demo(&folder, "GET /v1/customer/all?bid=1001&count=1000", "");
    assert!(
        all.as_array().unwrap().iter().any(|it| it["number"].as_str() == Some(id.to_string().as_str())),
        "{all}"
    );
    let removed = demo(&folder, &format!("DELETE /v1/customer/id/{id}"), "");
    assert_eq!(
        removed.1,
        json!({ "email": "new@example.test", "firstName": "New", "number": id.to_string() })
    );
    assert_eq!(demo(&folder, &format!("DELETE /v1/customer/id/{id}"), "").0, 400);
    assert_eq!(ask(json!({ "id": id })).0, 400);
    assert_eq!(count("", ""), before);
    let subscribe = r#"{"businessNumber": "100", "apiKey": "demo-key", "events": ["message.added"], "endpoint": "http://127.0.0.1:9/x"}"#;
    assert_eq!(demo(&folder, "POST /v1/messenger/subscribe/webhook/event", subscribe).0, 200);
    let (_, list) = demo(&folder, "GET /v1/subscriptions/list", "");
    assert_eq!((&list[0]["id"], &list[0]["eventName"]), (&json!("1"), &json!("message.added")));
    let clock = &folder.registry.default_world().run().clock;
    clock.set(later(clock.now(), std::time::Duration::from_secs(86_400))).unwrap();
    let (_, later) = demo(&folder, "GET /v1/subscriptions/list", "");
    assert_eq!(later, list, "when it was created does not change");
    assert_eq!(demo(&folder, "GET /v1/subscriptions/unsubscribe/1?businessId=200", "").0, 500, "it has none");
    assert_eq!(demo(&folder, "GET /v1/subscriptions/unsubscribe/1?businessId=100", "").0, 200);
    assert_eq!(demo(&folder, "GET /v1/subscriptions/unsubscribe/1?businessId=100", "").0, 500);
    assert_eq!(demo(&folder, "GET /v1/subscriptions/list", "").1, json!([]));
}

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
        ("GET /v1/customer/all?count=-1&sindex=", "", 2347),
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
