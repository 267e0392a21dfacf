//! `POST /v1/insight/sentiment/scoreBenchmark`.

use serde_json::{Value, json};

use crate::harness::{Request, Server};
use crate::sentiment_locations::{changed, check_enterprises};
use crate::stage::{client, server};

/// A valid body for account 100 that includes all its reviews.
pub fn body() -> Value {
    json!({"businessNumbers": [100], "startDate": "01/01/2026", "endDate": "06/30/2026"})
}

fn with(changes: Value) -> Value {
    changed(body(), changes)
}

fn call() -> Request {
    client().benchmark(100)
}

fn score(changes: Value) -> f64 {
    call().json(&with(changes)).send().ok()["actual"]["score"].as_f64().unwrap()
}

#[test]
fn an_accepted_call_returns_the_score_of_all_matching_reviews_together() {
    let answer = call().json(&body()).send();
    // (315 + 160 + 99.9 + 55) / 12.
    assert_eq!(answer.text(), r#"{"actual":{"score":52.5,"industryScore":68.2}}"#);
    answer.ok();
}

#[test]
fn filters_are_those_of_location_info() {
    let same = |left: f64, right: f64| assert!((left - right).abs() < 1e-9, "{left} {right}");
    same(score(json!({"businessNumbers": [1001, "1001"]})), 52.5);
    same(score(json!({"startDate": "1/1/2026", "endDate": "01/15/2026"})), 85.0);
    same(score(json!({"reviewSources": ["Facebook"]})), 52.5);
    same(score(json!({"ratings": ["1", 2]})), 40.0);
    same(score(json!({"hierarchyNodeData": [{"levelId": "Market", "levelNames": ["Valley"]}]})), 52.0);
    same(score(json!({"hierarchyNodeData": [{"levelId": "Planet", "levelNames": ["Earth"]}]})), 0.0);
    same(score(json!({"businessNumbers": [1003]})), 0.0);
    same(score(json!({"reviewSources": ["myspace"]})), 0.0);
}

#[test]
fn the_user_is_not_required() {
    call().json(&with(json!({"userEmail": 5}))).send().ok();
}

#[test]
fn the_industry_score_is_given_or_computed_from_the_competitors_or_0() {
    let industry = |enterprise: u64, body: &Value| {
        let answer = client().benchmark(enterprise).json(body).send().ok();
        answer["actual"]["industryScore"].as_f64().unwrap()
    };
    let second = |start: &str, end: &str| {
        let body = json!({"businessNumbers": [110], "startDate": start, "endDate": end, "ratings": ["1"]});
        industry(110, &body)
    };
    assert!((industry(100, &with(json!({"businessNumbers": [1003]}))) - 68.2).abs() < 1e-9);
    // The rival has 95 and 80 in these days, and 30 before them.
    assert!((second("01/01/2026", "06/30/2026") - 87.5).abs() < 1e-9);
    assert!((second("01/01/2025", "06/30/2026") - 68.3).abs() < 1e-9);
    assert!((second("01/01/2024", "06/30/2024")).abs() < 1e-9);
    assert!((industry(300, &with(json!({"businessNumbers": [300]})))).abs() < 1e-9);
}

#[test]
fn a_resellers_industry_score_is_the_mean_of_the_requested_accounts() {
    let industry = |numbers: Value| {
        let body = with(json!({"businessNumbers": numbers}));
        client().benchmark(50).json(&body).send().ok()["actual"]["industryScore"].as_f64().unwrap()
    };
    // The mean of 68.2 and 87.5 is 77.85, rounded away from zero; with the 50 of an account without locations it is 68.57.
    assert!((industry(json!([100, 110])) - 77.9).abs() < 1e-9);
    assert!((industry(json!([50])) - 68.6).abs() < 1e-9);
    assert!((industry(json!([120, 1001])) - 59.1).abs() < 1e-9);
    assert!((industry(json!([120])) - 50.0).abs() < 1e-9);
    assert!((industry(json!([1001, 100])) - 68.2).abs() < 1e-9);
    assert!((industry(json!([1101])) - 87.5).abs() < 1e-9);
}

#[test]
fn the_mean_of_industry_scores_is_computed_in_tenths() {
    let scores = |first: &str, second: &str| {
        let scenario = format!(
            "standin: 1\nname: mean\nbusinesses:\n  - {{number: 1, name: R, type: reseller, industry_score: 5}}\n  - {{number: 2, name: A, parent: 1, industry_score: {first}}}\n  - {{number: 3, name: B, parent: 1, industry_score: {second}}}\n"
        );
        let server = Server::of(&[("mean.yaml", &scenario)], &[]);
        let body = with(json!({"businessNumbers": [1]}));
        server.client().with_key("any").benchmark(1).json(&body).send().text()
    };
    // In floating point, the first is 64.44999999999999 and the second 64.94999999999999.
    for (first, second, mean) in [("68.6", "60.3", "64.5"), ("69.6", "60.3", "65.0"), ("0.1", "0.2", "0.2")] {
        assert_eq!(scores(first, second), format!(r#"{{"actual":{{"score":0.0,"industryScore":{mean}}}}}"#));
    }
}

#[test]
fn a_hundred_entries_are_accepted_and_one_more_is_refused() {
    score(json!({"businessNumbers": vec![1001; 100]}));
    let answer = call().json(&with(json!({"businessNumbers": vec![1001; 101]}))).send();
    answer.invalid("Only 100 businessNumbers are allowed");
}

#[test]
fn fields_are_checked_in_order() {
    let mut body = json!({
        "businessNumbers": null, "startDate": null, "endDate": "x", "reviewSources": "google",
        "ratings": ["9"], "hierarchyNodeData": [1],
    });
    for (name, good, message) in [
        ("businessNumbers", json!([1001]), "businessNumbers are mandatory"),
        ("startDate", json!("03/01/2026"), "startDate is mandatory"),
        ("endDate", json!("02/28/2026"), "endDate must be a date in the format MM/DD/YYYY"),
        ("reviewSources", Value::Null, "reviewSources must be a list of strings"),
        ("ratings", json!([]), "ratings must be a list of ratings from 0 to 5"),
        ("hierarchyNodeData", json!([]), "hierarchyNodeData must be a list of objects"),
    ] {
        call().json(&body).send().invalid(message);
        body[name] = good;
    }
    call().json(&body).send().invalid("startDate must be on or before endDate");
    body["endDate"] = json!("03/01/2026");
    call().json(&body).send().ok();
    for wrong in [json!([1.5]), json!(5), json!([""])] {
        let answer = call().json(&with(json!({"businessNumbers": wrong}))).send();
        answer.invalid("businessNumbers must be a list of integers");
    }
}

#[test]
fn a_business_number_outside_the_enterprise_is_1027() {
    for outside in [999, 200, 110, 50] {
        let answer = call().json(&with(json!({"businessNumbers": [outside]}))).send();
        answer.refused(429, 1027, "Invalid business number.");
    }
}

#[test]
fn an_empty_body_fails_on_the_mandatory_fields() {
    for empty in ["", "\t", "{}", "\u{feff}"] {
        call().bytes(empty).send().invalid("businessNumbers are mandatory");
    }
}

#[test]
fn the_enterprise_must_be_covered_by_the_key() {
    check_enterprises(|key, number| {
        client().benchmark(number).key(key).json(&with(json!({"businessNumbers": [1001]}))).send()
    });
}

#[test]
fn query_parameters_are_ignored() {
    call().raw_query("page-size=0&sort-by=x").json(&body()).send().ok();
    let many = server().world("many").with_key("any").benchmark(100).json(&body()).send().ok();
    // 24 each of ratings 1 to 5: (10 + 30 + 55 + 80 + 95) / 5.
    assert_eq!(many["actual"]["score"], 54.0);
}
