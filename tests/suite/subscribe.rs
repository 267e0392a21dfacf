//! `POST /v1/messenger/subscribe/webhook/event`.

use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};

use crate::harness::{Answer, Server};
use crate::sentiment_locations::changed;
use crate::stage::{API, client};

/// A valid body.
pub fn body() -> Value {
    json!({
        "businessNumber": "100",
        "apiKey": "first",
        "events": ["conversation.created", "message.added"],
        "endpoint": "https://hooks.client.test/in?x=1",
    })
}

fn with(changes: Value) -> Answer {
    client().subscribe().json(&changed(body(), changes)).send()
}

#[test]
fn an_accepted_call_answers_with_the_next_id_from_1_and_is_stored() {
    let server = Server::of(&[("api.yaml", API)], &[]);
    let send = || server.client().subscribe().json(&body()).send();
    let expected = |id: u64| {
        format!(
            r#"{{"subscriptionId":{id},"businessId":100,"events":["conversation.created","message.added"]}}"#
        )
    };
    assert_eq!(send().text(), expected(1));
    assert_eq!(send().text(), expected(2), "each call makes a new one");
    let stored = server.admin("GET", "worlds/default/subscriptions").send().ok();
    let one = |id: u64| {
        json!({"subscriptionId": id, "businessId": 100, "endpoint": "https://hooks.client.test/in?x=1",
            "created": "2026-06-30T12:00:00Z",
            "events": ["conversation.created", "message.added"]})
    };
    assert_eq!(stored, json!([one(1), one(2)]));
    let ids: BTreeSet<u64> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| send().ok()["subscriptionId"].as_u64().unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(ids, (3..11).collect());
}

#[test]
fn message_closed_is_returned_once_as_conversation_closed() {
    let events = |sent: Value| with(json!({"events": sent})).ok()["events"].clone();
    assert_eq!(
        events(json!(["conversation.created", "conversation.updated", "message.added", "message.closed"])),
        json!(["conversation.created", "conversation.updated", "message.added", "conversation.closed"])
    );
    assert_eq!(events(json!(["message.closed", "conversation.closed"])), json!(["conversation.closed"]));
    assert_eq!(events(json!(["message.added", "message.added"])), json!(["message.added"]));
}

#[test]
fn events_are_a_list_of_known_names() {
    for absent in [Value::Null, json!([]), json!("")] {
        with(json!({"events": absent})).invalid("events is mandatory");
    }
    with(json!({"events": "message.added"})).invalid("events must be a list of strings");
    with(json!({"events": [1]})).invalid("events must be a list of strings");
    for wrong in ["", "message.deleted", "Message.Added", "message.added "] {
        let answer = with(json!({"events": ["message.added", wrong]}));
        let message = "events must be a list of conversation.created, conversation.updated, message.added, \
                       conversation.closed";
        assert!(answer.invalid(message).detail().starts_with("events[1]"));
    }
}

#[test]
fn the_endpoint_is_an_http_or_https_url() {
    for absent in [Value::Null, json!(""), json!("  ")] {
        with(json!({"endpoint": absent})).invalid("endpoint is mandatory");
    }
    for good in ["http://localhost:9/x", "HTTPS://h.test", "http://[::1]:80/"] {
        with(json!({"endpoint": good})).ok();
    }
    for wrong in ["ftp://h.test/", "h.test/x", "/x", "http://", "mailto:a@b.test", "x"] {
        with(json!({"endpoint": wrong})).invalid("endpoint must be an http or https URL");
    }
    with(json!({"endpoint": 5})).invalid("endpoint must be a string");
}

#[test]
fn the_business_must_be_an_account_covered_by_the_key() {
    let refused = |changes: Value| {
        let answer = with(changes).refused(404, 1011, "Business id is invalid");
        assert!(answer.detail().starts_with("businessNumber"), "{}", answer.detail());
    };
    for wrong in [
        Value::Null,
        json!(""),
        json!("x"),
        json!("1001"),
        json!(1001),
        json!("999"),
        json!("200"),
        json!(50),
        json!(110),
        json!([100]),
        json!(1.5),
        json!(-100),
        json!(true),
    ] {
        refused(json!({"businessNumber": wrong}));
    }
    with(json!({"businessNumber": 100})).ok();
    with(json!({"businessNumber": "100", "apiKey": "reseller"})).ok();
    assert_eq!(with(json!({"businessNumber": 50, "apiKey": "reseller"})).ok()["businessId"], 50);
}

#[test]
fn fields_are_checked_in_order() {
    let wrong = json!({"events": ["x"], "endpoint": "x"});
    with(changed(wrong.clone(), json!({"businessNumber": "x"}))).refused(404, 1011, "Business id is invalid");
    let message = "events must be a list of conversation.created, conversation.updated, message.added, \
                   conversation.closed";
    with(wrong).invalid(message);
}

#[test]
fn the_key_is_read_from_the_body_and_not_from_the_header() {
    let missing = "API key is missing";
    for absent in [Value::Null, json!(""), json!("  ")] {
        with(json!({"apiKey": absent})).refused(401, 1167, missing);
    }
    let in_header = client().subscribe().key("first").json(&changed(body(), json!({"apiKey": null}))).send();
    in_header.refused(401, 1167, missing);
    client().subscribe().key("nonsense").json(&body()).send().ok();
    for wrong in ["nonsense", "revoked", "FIRST"] {
        with(json!({"apiKey": wrong})).refused(401, 1161, "Invalid API key");
    }
    with(json!({"apiKey": 5})).refused(401, 1161, "Invalid API key");
    with(json!({"apiKey": " first "})).ok();
}

#[test]
fn the_body_is_parsed_before_the_key_is_checked() {
    for empty in ["", " ", "\u{feff}"] {
        client().subscribe().bytes(empty).send().refused(401, 1167, "API key is missing");
    }
    client().subscribe().bytes("{}").send().refused(401, 1167, "API key is missing");
    for wrong in ["[]", "{", "x", "\"first\""] {
        client().subscribe().bytes(wrong).send().refused(400, 2466, "Invalid input request");
    }
    let form = client().subscribe().header("content-type", "application/x-www-form-urlencoded");
    form.bytes("apiKey=first").send().refused(415, 415, "Unsupported media type");
}
