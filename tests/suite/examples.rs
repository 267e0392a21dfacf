//! The examples behave as their comments say.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::harness::{Client, Server, examples};
use crate::reviews::ids;
use crate::sentiment_locations::changed;

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::start(&examples(), &["."]))
}

fn walk() -> Client {
    server().world("walkthrough").with_key("walk-key")
}

fn insight() -> Value {
    json!({"businessNumbers": [900], "startDate": "01/01/2026", "endDate": "06/30/2026", "userEmail": "ops@harbour.test"})
}

#[test]
fn parts_are_not_served_as_scenarios() {
    let worlds = server().listening["worlds"].as_array().unwrap();
    for scenario in ["faults", "minimal", "pages", "walkthrough"] {
        assert!(worlds.contains(&json!(scenario)), "{scenario}");
    }
    assert!(!worlds.contains(&json!("accounts")));
    assert_eq!(server().admin("GET", "health").send().ok()["status"], "ok");
}

#[test]
fn walkthrough_has_the_documented_scores() {
    let point = |id: u64, name: &str, score: f64, mentions: u64| json!({"id": id, "name": name, "score": score, "mentions": mentions});
    let (north, south) = (point(901, "Harbour North", 66.3, 4), point(902, "harbour South", 80.0, 2));
    let of = |query: &str| walk().locations(900).raw_query(query).json(&insight()).send();
    assert_eq!(of("").ok(), json!({"totalCount": 2, "dataPoints": [north, south]}));
    let by_score = of("sort-by=sentiment-score&sort-order=1").ok();
    assert_eq!(by_score["dataPoints"], json!([south, north]));
    assert!(of("").text().contains(r#""score":80.0"#));
    // (95 + 30 + 50 + 90 + 2 * 80) / 6 = 70.83.
    let benchmark = walk().benchmark(900).json(&insight()).send();
    assert_eq!(benchmark.text(), r#"{"actual":{"score":70.8,"industryScore":71.5}}"#);
    let grouped = changed(insight(), json!({"groupByLevel": "Region"}));
    let grouped = walk().locations(900).json(&grouped).send().ok();
    assert_eq!(
        (&grouped["dataPoints"][0]["name"], &grouped["dataPoints"][0]["score"]),
        (&json!("North"), &json!(66.3))
    );
}

#[test]
fn walkthrough_lists_its_reviews() {
    let of = |business: u64, query: &str, body: Value| {
        walk().reviews(business).raw_query(query).json(&body).send().ok()
    };
    assert_eq!(ids(&of(901, "", json!({}))), ["31004", "31002", "31001"]);
    assert_eq!(ids(&of(901, "", json!({"statuses": ["parked"]}))), ["31003"]);
    assert_eq!(
        ids(&of(900, "", json!({"statuses": ["all"]}))),
        ["31004", "31003", "31002", "31001", "32001"]
    );
    let all = of(901, "", json!({"statuses": ["all"]}));
    assert_eq!((&all[0]["rating"], &all[0]["sourceType"]), (&json!(1), &json!("Facebook")));
    assert_eq!((&all[1]["rating"], &all[1]["sourceType"]), (&json!(0), &json!("Direct Feedback")));
    assert_eq!(all[2]["comments"], r#"Cold room. "Never again", said my wife."#);
    assert_eq!((&all[2]["reviewer"]["city"], &all[2]["title"]), (&json!("Malmö"), &Value::Null));
    assert_eq!(
        (&all[3]["response"], &all[3]["responseDate"]),
        (&json!("Thank you!"), &json!("Mar 02, 2026"))
    );
    assert_eq!((&all[3]["businessName"], &all[3]["businessId"]), (&json!("Harbour North"), &json!("901")));
    assert_eq!(ids(&of(950, "isCompetitor=true", json!({}))), ["95001"]);
    assert_eq!(ids(&of(950, "isCompetitor=true", json!({"statuses": ["all"]}))), ["95002", "95001"]);
    walk().reviews(950).send().refused(404, 1011, "Business id is invalid");
}

#[test]
fn walkthrough_lists_its_unanswered_question() {
    let answer = walk().qna(900).send().ok();
    assert_eq!(answer["totalCount"], 1);
    let question = &answer["questionsAndAnswers"][0];
    assert_eq!((&question["questionId"], &question["time"]), (&json!(51), &json!("09:05 AM")));
    assert_eq!((&question["updatedOn"], &question["noOfAnswers"]), (&json!("May 01, 2026"), &json!(1)));
    assert_eq!(question["answers"][0]["time"], "09:30 PM");
}

#[test]
fn walkthrough_has_its_contact_and_its_keys() {
    let save = |body: Value| walk().contact(900).json(&body).send();
    assert_eq!(save(json!({"externalId": "ABC123"})).ok()["id"], 7001);
    save(json!({"id": 7001, "smsPreferences": {"marketingOptin": true}})).refused(
        400,
        20099,
        "Text Communication categorisation is not enabled please use smsOptin flag",
    );
    walk().qna(900).key("old-key").send().refused(401, 1161, "Invalid API key");
    walk().benchmark(950).send().refused(404, 2151, "Not a valid reseller/enterprise id.");
}

#[test]
fn pages_serves_the_whole_window() {
    let client = server().world("pages").with_key("p");
    let of = |query: &str| client.reviews(1).raw_query(query).json(&json!({"statuses": ["all"]})).send();
    assert_eq!(ids(&of("sindex=99975&count=25").ok()).len(), 25);
    assert_eq!(ids(&of("sindex=99999&count=1").ok()).len(), 1);
    assert_eq!(ids(&of("sindex=100000&count=0").ok()).len(), 0);
    for over in ["sindex=99976&count=25", "sindex=100000&count=1", "sindex=0&count=100001", "sindex=99976"] {
        of(over).refused(400, 1163, "Invalid start index value");
    }
    let insight = json!({"businessNumbers": [11, 12], "startDate": "1/1/2020", "endDate": "6/30/2026", "userEmail": "u@pages.test"});
    let points = client.locations(1).json(&insight).send().ok();
    assert_eq!(points["dataPoints"][0]["mentions"], 60_000);
    assert_eq!(points["dataPoints"][1]["mentions"], 60_000);
}

#[test]
fn minimal_accepts_any_key_which_covers_everything() {
    let client = server().world("minimal").with_key("whatever");
    let reviews = client.reviews(1).query("count", "100").json(&json!({"statuses": ["all"]})).send().ok();
    assert_eq!(reviews.as_array().unwrap().len(), 30);
    assert_eq!(client.qna(11).send().ok()["totalCount"], 3);
    client.qna(11).key("").send().refused(401, 1167, "API key is missing");
}

#[test]
fn faults_loads_and_does_not_affect_the_benchmark() {
    let client = server().world("faults").with_key("k");
    let body = json!({"businessNumbers": [11], "startDate": "01/01/2025", "endDate": "12/31/2025"});
    client.benchmark(1).header("x-case", "reset").json(&body).send().ok();
    client.qna(1).send().ok();
}
