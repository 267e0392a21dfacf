//! Every key of `dialect`, except `cors`.

use serde_json::{Value, json};

use crate::harness::{Client, Server};
use crate::reviews::ids;
use crate::sentiment_benchmark;
use crate::sentiment_locations::changed;
use crate::stage::server;

fn turned() -> Client {
    server().world("turned").with_key("k")
}

#[test]
fn renamed_parameters_replace_the_usual_names() {
    let of = |query: &str| ids(&turned().reviews(1001).raw_query(query).send().ok());
    assert_eq!(of("from=1&size=1"), ["2"]);
    assert_eq!(of("sindex=x&count=x&isCompetitor=x").len(), 3);
    let refused = |query: &str| turned().reviews(1001).raw_query(query).send();
    refused("from=x").refused(400, 1163, "Invalid start index value");
    refused("size=x").refused(400, 1164, "Invalid result count value");
    refused("rival=x").invalid("rival must be true or false");
    refused("rival=true").refused(404, 1011, "Business id is invalid");
    let qna = turned().call("POST", "/v1/qna/unanswered/get");
    assert_eq!(qna.query("biz", "1001").send().ok()["totalCount"], 1);
    turned().qna(1001).send().refused(404, 1011, "Business id is invalid");
}

#[test]
fn statuses_are_changed_per_code_or_per_code_and_operation() {
    let body = |numbers: Value| changed(sentiment_benchmark::body(), json!({"businessNumbers": numbers}));
    let call = || turned().benchmark(100);
    call().json(&body(json!([5]))).send().refused(400, 1027, "Invalid business number.");
    call().key("nonsense").send().refused(403, 1161, "Invalid API key");
    turned().contact(100).without("x-api-key").send().refused(400, 1167, "API key is missing");
    call().without("x-api-key").send().refused(401, 1167, "API key is missing");
    let nowhere = turned().call("POST", "/nope").send();
    assert_eq!((nowhere.status, &nowhere.json["code"]), (410, &json!(404)));
    call().json(&body(json!([]))).send().invalid("businessNumbers are mandatory");
}

#[test]
fn to_date_may_be_exclusive() {
    let of = |body: Value| ids(&turned().reviews(1001).json(&body).send().ok());
    assert_eq!(of(json!({"fromDate": "01/01/2026", "toDate": "01/02/2026"})), ["1"]);
    assert!(of(json!({"fromDate": "01/02/2026", "toDate": "01/02/2026"})).is_empty());
    let insight = changed(sentiment_benchmark::body(), json!({"endDate": "01/01/2026"}));
    assert_eq!(turned().benchmark(100).json(&insight).send().ok()["actual"]["score"], 95.0);
}

#[test]
fn the_retired_query_parameter_may_be_accepted_when_the_header_is_missing() {
    let call = || turned().benchmark(100).json(&sentiment_benchmark::body());
    call().without("x-api-key").query("api_key", "k").send().ok();
    call().key("").query("api_key", "k").send().ok();
    call().without("x-api-key").query("api_key", "nonsense").send().refused(403, 1161, "Invalid API key");
    call().without("x-api-key").query("api_key", "").send().refused(401, 1167, "API key is missing");
    call().key("nonsense").query("api_key", "k").send().refused(403, 1161, "Invalid API key");
    let subscription = turned().subscribe().query("api_key", "k").json(&json!({}));
    subscription.send().refused(401, 1167, "API key is missing");
}

#[test]
fn a_contact_update_may_be_required_to_have_an_email_or_phone() {
    let save = |body: Value| turned().contact(100).json(&body).send();
    save(json!({"id": 1, "firstName": "X"})).invalid("email or phone is mandatory");
    save(json!({"externalId": "E1"})).invalid("email or phone is mandatory");
    assert_eq!(save(json!({"externalId": "E1", "phone": "2125550100"})).ok()["id"], 1);
}

#[test]
fn retry_after_may_be_omitted() {
    let once = server().world("turned").with_key("once");
    once.qna(1001).send();
    let refused = once.qna(1001).send().refused(429, 89, "Rate limit exceeded");
    assert_eq!(refused.header("retry-after"), None);
}

#[test]
fn sources_may_be_added_and_renamed() {
    let of = |source: &str| turned().reviews(1001).json(&json!({"sources": [source]})).send().ok();
    for (asked, id, shown) in [
        ("dentalmap", "1", "DentalMap"),
        ("DENTALMAP", "1", "DentalMap"),
        ("thumbs", "2", "Thumbs"),
        ("yelp", "3", "Yelp!"),
        ("yelp!", "3", "Yelp!"),
    ] {
        let answer = of(asked);
        assert_eq!((ids(&answer), &answer[0]["sourceType"]), (vec![id.to_owned()], &json!(shown)));
    }
    let thumbs = changed(sentiment_benchmark::body(), json!({"reviewSources": ["thumbs"]}));
    let answer = turned().benchmark(100).json(&thumbs).send().ok();
    assert_eq!(answer["actual"]["score"], 90.0, "1 recommends there");
}

#[test]
fn without_keys_any_key_is_accepted_and_covers_everything() {
    let keyless = server().world("keyless");
    for key in ["a", "all", "ключ"] {
        keyless.qna(1).key(key).send().ok();
        keyless.reviews(2).key(key).send().ok();
    }
    keyless.qna(1).key(" ").send().refused(401, 1167, "API key is missing");
    let body =
        json!({"businessNumber": 2, "apiKey": "x", "events": ["message.added"], "endpoint": "http://h.test"});
    keyless.subscribe().json(&body).send().ok();
}

#[test]
fn an_unknown_world_answers_in_the_default_worlds_dialect() {
    let text = "standin: 1\nname: only\ndialect: {statuses: {404: 418}}\n";
    let server = Server::of(&[("only.yaml", text)], &[]);
    assert_eq!(server.world("nowhere").call("POST", "/").send().status, 418);
}
