//! Each fault of the example `faults.yaml`.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::fault_wire::{End, RawAnswer, RawConnection, post};
use crate::harness::{Answer, Client, Server, examples, now};

fn server() -> Server {
    Server::start(&examples(), &["faults.yaml"])
}

fn client(server: &Server) -> Client {
    server.client().with_key("k")
}

fn reviews(client: &Client, case: &str, number: usize) -> Answer {
    client.reviews(1).header("x-case", case).json(&json!({"n": number})).send()
}

fn qna(client: &Client, case: &str) -> Answer {
    client.qna(1).header("x-case", case).json(&json!({})).send()
}

fn insight() -> Value {
    json!({"businessNumbers": [1], "startDate": "01/01/2025", "endDate": "12/31/2025", "userEmail": "u@one.test"})
}

/// The review list as bytes for a raw connection.
fn raw_reviews(case: &str) -> String {
    post("/v1/review/businessId/1", &format!("x-case: {case}\r\n"), &json!({}))
}

fn raw_qna(case: &str) -> String {
    post("/v1/qna/unanswered/get?businessId=1", &format!("x-case: {case}\r\n"), &json!({}))
}

fn ask(server: &Server, request: &str) -> (Vec<u8>, End) {
    let mut wire = RawConnection::to(server);
    wire.send(request);
    wire.rest()
}

fn ask_raw(server: &Server, request: &str) -> RawAnswer {
    let mut wire = RawConnection::to(server);
    wire.send(request);
    wire.answer()
}

#[test]
fn the_example_is_healthy_and_has_seventeen_faults() {
    let server = server();
    let health = server.admin("GET", "health").send().ok();
    let diagnostics = health["scenarios"][0]["diagnostics"].as_array().unwrap();
    let codes: Vec<&str> =
        diagnostics.iter().map(|diagnostic| diagnostic["code"].as_str().unwrap()).collect();
    assert_eq!(
        (&health["status"], codes.as_slice()),
        (&json!("ok"), &["frozen-clock"][..]),
        "the rate limit's"
    );
    assert_eq!(server.admin("GET", "scenarios").send().ok()[0]["faults"], 17);
}

#[test]
fn invalid_enterprise_and_key_revoked() {
    let server = server();
    let client = client(&server);
    let locations = |case: &str| client.locations(1).header("x-case", case).json(&insight()).send();
    let answer = locations("enterprise");
    assert_eq!(
        (answer.status, answer.text().as_str()),
        (404, r#"{"code":2151,"message":"Not a valid reseller/enterprise id."}"#)
    );
    let answer = qna(&client, "revoked");
    assert_eq!(
        (answer.status, answer.text().as_str()),
        (401, r#"{"code":1161,"message":"Invalid API key"}"#)
    );
    locations("revoked").ok();
    qna(&client, "enterprise").ok();
    locations("").ok();
}

#[test]
fn first_try_limited() {
    let server = server();
    let client = client(&server);
    for number in 0..5 {
        let first = reviews(&client, "retry", number);
        assert_eq!(
            (first.status, first.text().as_str()),
            (429, r#"{"code":89,"message":"Rate limit exceeded"}"#)
        );
        assert_eq!(first.header("retry-after"), Some("2"));
    }
    for number in (0..5).rev() {
        reviews(&client, "retry", number).ok();
        reviews(&client, "retry", number).ok();
    }
    qna(&client, "retry").ok();
}

#[test]
fn every_third() {
    let server = server();
    let client = client(&server);
    for nth in 1..=9 {
        let answer = qna(&client, "third");
        if nth % 3 == 0 {
            assert_eq!((answer.status, answer.text().as_str()), (503, r#"{"oops":true}"#), "{nth}");
            assert_eq!(answer.header("retry-after"), Some("1"));
        } else {
            answer.ok();
        }
    }
    reviews(&client, "third", 0).ok();
}

#[test]
fn tenth() {
    let struck = |world: &Client, order: &mut dyn Iterator<Item = usize>| -> BTreeSet<usize> {
        order
            .filter(|number| {
                let answer = reviews(world, "chance", *number);
                assert!(
                    answer.status == 200 || answer.text() == r#"{"code":89,"message":"Rate limit exceeded"}"#
                );
                answer.status == 429
            })
            .collect()
    };
    let server = server();
    let first = struck(&client(&server), &mut (0..400));
    assert!((16..=64).contains(&first.len()), "40 expected, four standard deviations of 6: {}", first.len());
    let made = server.admin("POST", "worlds").send().json["name"].as_str().unwrap().to_owned();
    let again = struck(&server.world(&made).with_key("k"), &mut (0..400).rev());
    assert_eq!(first, again, "the same ones in another world and another order");
}

#[test]
fn three_of_ten() {
    let server = server();
    let client = client(&server);
    for block in 0..6 {
        let struck = (0..10).filter(|_| qna(&client, "quota").status == 429).count();
        assert_eq!(struck, 3, "block {block}");
    }
}

#[test]
fn slow() {
    let server = server();
    let client = client(&server);
    let body = json!({"email": "slow@x.test", "businessIds": [11]});
    let started = now();
    client.contact(1).header("x-case", "slow").json(&body).send().ok();
    assert!(started.elapsed() >= Duration::from_millis(200));
    qna(&client, "slow").ok();
}

#[test]
fn reset_close_and_garbage() {
    let server = server();
    assert_eq!(ask(&server, &raw_reviews("reset")), (vec![], End::Reset));
    assert_eq!(ask(&server, &raw_reviews("close")), (vec![], End::Fin));
    let (bytes, end) = ask(&server, &raw_reviews("garbage"));
    assert_eq!(end, End::Fin);
    assert!(!bytes.is_empty() && !bytes.starts_with(b"HTTP"));
    for case in ["reset", "close", "garbage", "stall"] {
        assert_eq!(ask_raw(&server, &raw_qna(case)).status(), 200, "{case} is for the review list");
    }
}

#[test]
fn stall() {
    let server = server();
    let mut wire = RawConnection::to(&server);
    let started = now();
    wire.send(raw_reviews("stall"));
    assert_eq!(ask_raw(&server, &raw_reviews("")).status(), 200);
    assert!(wire.is_silent() || started.elapsed() >= Duration::from_secs(1));
    assert_eq!(wire.rest(), (vec![], End::Fin));
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[test]
fn cut() {
    let server = server();
    let whole = ask_raw(&server, &raw_reviews("")).body;
    let mut wire = RawConnection::to(&server);
    wire.send(raw_reviews("cut"));
    let cut = wire.answer();
    assert_eq!((cut.status(), cut.length(), cut.end), (200, whole.len(), Some(End::Reset)));
    assert_eq!(cut.body, whole[..whole.len() / 2]);
}

#[test]
fn drip() {
    let server = server();
    let whole = ask_raw(&server, &raw_qna("")).body;
    let mut wire = RawConnection::to(&server);
    let started = now();
    wire.send(raw_qna("drip"));
    let dripped = wire.answer();
    let bits = whole.len().div_ceil(256);
    assert!(dripped.reads > 2 && dripped.reads <= bits, "{} reads of {} bytes", dripped.reads, whole.len());
    assert!(started.elapsed() >= Duration::from_millis(20) * u32::try_from(bits - 1).unwrap());
    assert_eq!((dripped.status(), dripped.length(), dripped.end), (200, whole.len(), None));
    assert_eq!(dripped.body, whole);
    wire.send(raw_reviews(""));
    assert_eq!(wire.answer().status(), 200, "the same connection, at once");
}

#[test]
fn malformed() {
    let server = server();
    let whole = ask_raw(&server, &raw_reviews("")).body;
    let mut wire = RawConnection::to(&server);
    wire.send(raw_reviews("malformed"));
    let cut = wire.answer();
    assert_eq!((cut.status(), cut.end), (200, None));
    assert!(cut.body.len() < whole.len() && whole.starts_with(&cut.body));
    assert!(serde_json::from_slice::<Value>(&cut.body).is_err());
    wire.send(raw_reviews(""));
    assert_eq!(wire.answer().body, whole);
}

#[test]
fn drift() {
    let server = server();
    let client = client(&server);
    let mut list = reviews(&client, "", 0).ok();
    let first = list[0].as_object_mut().unwrap();
    assert!(first.remove("reviewer").is_some());
    first.insert("rating".to_owned(), json!("five"));
    assert_eq!(reviews(&client, "drift", 0).ok(), list);
}

#[test]
fn lost_answer() {
    let server = server();
    let client = client(&server);
    let body = json!({"email": "lost@x.test", "firstName": "Lo", "businessIds": [11]});
    let request = post(
        "/v1/contact/external/preferences/saveCustomer",
        "x-case: lost\r\nx-business-number: 1\r\n",
        &body,
    );
    let stored = || {
        let contacts = server.admin("GET", "worlds/default/contacts").send().ok();
        let of = |contact: &&Value| contact["email"] == "lost@x.test";
        contacts.as_array().unwrap().iter().filter(of).cloned().collect::<Vec<_>>()
    };
    assert!(stored().is_empty());
    assert_eq!(ask(&server, &request), (vec![], End::Reset));
    let made = stored();
    assert_eq!(made.len(), 1, "it took effect");
    let retried = client.contact(1).header("x-case", "lost").json(&body).send().ok();
    assert_eq!(retried["id"], made[0]["id"]);
    assert_eq!(stored().len(), 1);
}

#[test]
fn on_demand() {
    let server = server();
    let client = client(&server);
    let contact = || client.contact(1).json(&json!({"email": "on@x.test", "businessIds": [11]}));
    let subscription =
        json!({"businessNumber": 1, "apiKey": "k", "events": ["message.added"], "endpoint": "http://h.test"});
    for request in [
        client.locations(1).json(&insight()),
        client.benchmark(1).json(&insight()),
        contact(),
        client.reviews(1),
        client.qna(1),
        client.subscribe().json(&subscription),
    ] {
        let answer = request.header("prefer", "fault=on-demand").send();
        assert_eq!(
            (answer.status, answer.text().as_str()),
            (429, r#"{"code":89,"message":"Rate limit exceeded"}"#)
        );
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert_eq!(answer.header("preference-applied"), Some("fault=on-demand"));
    }
    contact().send().ok();
}

#[test]
fn no_fault_affects_the_score_benchmark() {
    let server = server();
    let client = client(&server);
    let plain = client.benchmark(1).json(&insight()).send();
    assert_eq!(plain.status, 200);
    for case in [
        "enterprise",
        "revoked",
        "retry",
        "third",
        "chance",
        "quota",
        "slow",
        "reset",
        "close",
        "stall",
        "garbage",
        "cut",
        "drip",
        "malformed",
        "drift",
        "lost",
    ] {
        for _ in 0..3 {
            let answer = client.benchmark(1).header("x-case", case).json(&insight()).send();
            assert_eq!((answer.status, &answer.bytes), (200, &plain.bytes), "{case}");
        }
    }
}

#[test]
fn the_key_burst_is_limited_as_the_scenario_says() {
    let server = server();
    let client = server.client().with_key("burst");
    let statuses: Vec<u16> = (0..5).map(|_| qna(&client, "").status).collect();
    assert_eq!(statuses, [200, 200, 200, 429, 429]);
    assert_eq!(qna(&client, "").header("retry-after"), Some("60"));
    let injected = client.reviews(1).header("x-case", "retry").json(&json!({"n": 1})).send();
    assert_eq!(injected.header("retry-after"), Some("2"), "an injected answer comes before the limit");
}
