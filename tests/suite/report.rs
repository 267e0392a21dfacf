//! The report on a world's clients, by what they really did.

use serde_json::{Value, json};

use crate::fault_wire::{RawConnection, post};
use crate::harness::{Client, Server, folder};
use crate::receiver::{Receiver, Response};

const STRICT: &str = "standin: 1
name: strict
seed: 3
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k, name: demo}]
businesses:
  - number: 100
    name: A
    locations: [{number: 1001, name: L, reviews: [{generate: 30, dates: -100d..-1d}]}]
faults:
  - {name: limited, operation: reviews, per: request, hits: 1, then: {error: 89, retry_after: 2s}}
  - {name: lost, operation: contact, per: request, hits: 1, then: {lost: reset}}
scorecard: {key-in-header: off, no-retry-on-refusal: off, attempts: {warn: 1}}
";

fn strict() -> (Server, Client) {
    let server = Server::of(&[("strict.yaml", STRICT)], &[]);
    let client = server.client().with_key("k");
    (server, client)
}

fn report(server: &Server, world: &str) -> Value {
    server.admin("GET", &format!("worlds/{world}/report")).send().ok()
}

fn rule<'a>(report: &'a Value, id: &str) -> &'a Value {
    report["rules"].as_array().unwrap().iter().find(|rule| rule["id"] == id).unwrap()
}

fn verdicts<'a>(report: &'a Value, ids: &[&str]) -> Vec<&'a str> {
    ids.iter().map(|id| rule(report, id)["verdict"].as_str().unwrap()).collect()
}

#[test]
fn a_client_that_does_not_wait_fails_and_one_that_does_passes() {
    let (server, client) = strict();
    let page = |start: &str| client.reviews(100).query("sindex", start).query("count", "10").send();
    assert_eq!((page("0").status, page("0").status), (429, 200));
    let hasty = report(&server, "default");
    assert_eq!(
        (&hasty["verdict"], &hasty["calls"], &hasty["world"]),
        (&json!("fail"), &json!(2), &json!("strict"))
    );
    assert!(hasty.get("command").is_none() && hasty.get("exit").is_none());
    let finding = &rule(&hasty, "retry-after")["findings"][0];
    assert_eq!((&finding["verdict"], &finding["calls"]), (&json!("fail"), &json!([1, 2])));
    let message = finding["message"].as_str().unwrap();
    assert!(
        message.starts_with("call 2 came ") && message.ends_with(" after an 89 that asked for 2 s"),
        "{message}"
    );
    assert_eq!(hasty["faults"][0]["name"], "limited");
    assert_eq!(hasty["coverage"]["of"], 61);
    assert_eq!(
        hasty["coverage"]["pairs"],
        json!([{"operation": "reviews", "code": null, "calls": 1}, {"operation": "reviews", "code": 89, "calls": 1}])
    );

    assert_eq!(server.admin("POST", "worlds/default/reset").json(&json!({})).send().status, 200);
    for start in ["0", "10", "20"] {
        assert_eq!(page(start).status, 429);
        server.admin("POST", "worlds/default/clock").json(&json!({"advance": "2s"})).send().ok();
        assert_eq!(page(start).status, 200);
    }
    let patient = report(&server, "default");
    assert_eq!(verdicts(&patient, &["retry-after", "pages-whole", "same-read"]), ["pass"; 3], "{patient:#}");
    assert_eq!(patient["verdict"], "pass");
}

#[test]
fn a_scenario_sets_thresholds_and_switches_rules_off() {
    let (server, client) = strict();
    assert_eq!((client.reviews(100).send().status, client.reviews(100).send().status), (429, 200));
    let report = report(&server, "default");
    let ids: Vec<&str> =
        report["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 19);
    assert!(!ids.contains(&"key-in-header") && !ids.contains(&"no-retry-on-refusal"));
    assert_eq!(rule(&report, "attempts")["verdict"], "warn");
}

#[test]
fn a_lost_contact_that_comes_again_under_another_address_is_found() {
    let (server, client) = strict();
    let body = |email: &str| json!({"firstName": "Ann", "email": email, "businessIds": [1001]});
    for email in ["a1@ann.test", "a2@ann.test"] {
        let body = body(email);
        let mut connection = RawConnection::to(&server);
        connection.send(post(
            "/v1/contact/external/preferences/saveCustomer",
            "x-business-number: 100\r\n",
            &body,
        ));
        assert_eq!(connection.rest().0, b"", "the answer is lost");
    }
    client.contact(100).json(&body("a2@ann.test")).send().ok();
    let report = report(&server, "default");
    assert_eq!(verdicts(&report, &["lost-contact"]), ["fail"]);
    assert_eq!(rule(&report, "lost-contact")["findings"][0]["calls"], json!([1, 2]));
}

#[test]
fn a_receiver_is_judged_by_its_answers() {
    let files = folder(&[]);
    let server = Server::start(files.path(), &[]);
    let receiver = Receiver::new(&[Response::Answer(204)]);
    let events = ["conversation.created", "conversation.updated", "message.added", "conversation.closed"];
    let body =
        json!({"businessNumber": "100", "apiKey": "demo-key", "events": events, "endpoint": receiver.url});
    server.world("webhook-faults").subscribe().json(&body).send().ok();
    server.admin("POST", "worlds/webhook-faults/clock").json(&json!({"advance": "2s"})).send().ok();
    let report = report(&server, "webhook-faults");
    let ids =
        ["hook-acknowledged", "hook-twice", "hook-out-of-order", "hook-unknown-event", "hook-signature"];
    assert_eq!(verdicts(&report, &ids), ["pass", "pass", "pass", "pass", "fail"], "{report:#}");
    let finding = &rule(&report, "hook-signature")["findings"][0];
    assert_eq!((&finding["calls"], finding["deliveries"].as_array().unwrap().len()), (&json!([]), 1));
    assert!(finding["message"].as_str().unwrap().ends_with("had a wrong signature and was answered 204"));
}

#[test]
fn a_journal_that_has_dropped_calls_passes_nothing() {
    let server = Server::of(&[("strict.yaml", STRICT)], &["--journal", "16KiB"]);
    let client = server.client().with_key("k");
    for turn in 0..40 {
        client.qna(1001).json(&json!({"startIndex": turn})).send().ok();
    }
    let report = report(&server, "default");
    assert_eq!((&report["verdict"], &report["incomplete"]), (&json!("incomplete"), &json!(true)));
    assert!(report["dropped"].as_u64().unwrap() > 0);
    assert!(report["rules"].as_array().unwrap().iter().all(|rule| rule["verdict"] != "pass"));
}

#[test]
fn without_a_journal_there_is_nothing_to_judge() {
    let server = Server::of(&[("strict.yaml", STRICT)], &["--journal", "0"]);
    let answer = server.admin("GET", "worlds/default/report").send();
    assert_eq!((answer.status, answer.header("x-standin-journal")), (404, Some("off")));
}
