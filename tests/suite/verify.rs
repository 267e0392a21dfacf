//! Expectations, verified over HTTP.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Answer, Client, Server, now};

const SCENARIO: &str = "standin: 1
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: secret-demo-key, name: demo, accounts: [1]}]
businesses:
  - {number: 1, name: One, competitors: [2], locations: [{number: 11, name: L, reviews: [{generate: 60, published: 100%}]}]}
  - {number: 2, name: Two}
faults:
  - {name: limit, operation: qna, hits: 1, then: {error: 89, retry_after: 30s}}
  - {name: lost, operation: reviews, hits: 2, then: {status: 503}}
expect:
  - {name: waits, after: {fault: limit}, wait: retry-after}
  - {name: no duplicates, contacts: {email: a@b.test}, count: 0-1}
";

fn fresh() -> Server {
    Server::of(&[("a.yaml", SCENARIO)], &[])
}

fn client(server: &Server) -> Client {
    server.client().with_key("secret-demo-key")
}

fn verify(server: &Server, path: &str, body: &Value) -> Answer {
    server.admin("POST", &format!("worlds/a/{path}")).json(body).send()
}

/// Short forms of the results: name, whether it passed, and message.
fn short(answer: &Value) -> Vec<String> {
    let result = |result: &Value| {
        let passed = if result["passed"] == true { "pass" } else { "FAIL" };
        let text = |name: &str| result[name].as_str().unwrap().to_owned();
        format!("{passed} {}: {}", text("name"), text("message"))
    };
    answer["results"].as_array().unwrap().iter().map(result).collect()
}

#[test]
fn without_a_body_the_scenarios_own_expectations_are_verified() {
    let server = fresh();
    let own = || server.admin("POST", "worlds/a/verify").send().ok();
    assert_eq!(own()["passed"], true);
    assert_eq!(
        short(&own()),
        [
            "pass waits: the fault limit applied to no call, so that nothing is expected",
            "pass no duplicates: no contact matches",
        ]
    );
    let client = client(&server);
    assert_eq!(client.qna(1).send().status, 429);
    server.admin("POST", "worlds/a/clock").json(&json!({"advance": "29s"})).send().ok();
    assert_eq!(client.qna(1).send().status, 200);
    let failed = verify(&server, "verify", &json!([])).ok();
    assert_eq!(failed["passed"], false);
    assert_eq!(
        short(&failed)[0],
        "FAIL waits: call 2 came 29 s after limit applied to call 1, which asked for 30 s"
    );
    server.admin("POST", "worlds/a/reset").send().ok();
    client.qna(1).send();
    server.admin("POST", "worlds/a/clock").json(&json!({"advance": "30s"})).send().ok();
    client.qna(1).send();
    assert_eq!(own()["passed"], true, "{}", own());
}

#[test]
fn each_kind_is_verified_against_what_clients_did() {
    let server = fresh();
    let client = client(&server);
    let contact = json!({"firstName": "Ann", "email": "A@b.test", "businessIds": [11]});
    client.contact(1).json(&contact).send().ok();
    let page = |start: u64| client.reviews(11).query("sindex", &start.to_string()).send();
    assert_eq!([page(0), page(25), page(25), page(50)].map(|answer| answer.status), [200, 503, 200, 200]);
    let wanted = json!([
        {"name": "stored", "contacts": {"firstName": "Ann", "email": "a@b.test", "business": 1}, "count": 1},
        {"name": "requests", "requests": {"operation": "reviews", "status": 200, "key": "demo"}, "count": 3},
        {"name": "struck", "requests": {"fault": "lost", "status": 503}, "count": 1},
        {"name": "retried", "after": {"fault": "lost"}, "retries": 1},
        {"name": "order", "order": [{"operation": "contact"}, {"operation": "reviews", "business": 11}]},
        {"name": "pages", "pages": {"operation": "reviews", "business": 11}},
        {"name": "subscribed", "subscriptions": {"business": 1}, "count": 1},
        {"requests": {"operation": "contact", "body": {"/firstName": "Bob"}}, "count": 1},
    ]);
    let answer = verify(&server, "verify", &wanted).ok();
    assert_eq!(
        short(&answer),
        [
            "pass stored: 1 contact matches (1)".to_owned(),
            "pass requests: 3 calls match (calls 2, 4 and 5)".to_owned(),
            "pass struck: 1 call matches (call 3)".to_owned(),
            "pass retried: 1 retry after 1 such answer".to_owned(),
            "pass order: in this order: calls 1 and 2".to_owned(),
            "pass pages: 60 of 60 records were read once, by calls 2, 4 and 5".to_owned(),
            "FAIL subscribed: no subscription matches; expected: 1".to_owned(),
            "FAIL expectation 8: no call matches; expected: 1".to_owned(),
        ]
        .map(|line| line.replace("(1)", &format!("({})", id(&server))))
    );
    let members = &answer["results"][7]["nearest"]["members"];
    assert_eq!(
        members[1],
        json!({"member": "body /firstName", "expected": "Bob", "received": "Ann", "agrees": false})
    );
}

fn id(server: &Server) -> Value {
    server.admin("GET", "worlds/a/contacts").send().ok()[0]["id"].clone()
}

#[test]
fn pages_longer_than_the_journal_keeps_are_counted_all_the_same() {
    let long = SCENARIO.replace("generate: 60", "generate: 600");
    let server = Server::of(&[("a.yaml", &long)], &[]);
    let page = |start: u64| {
        let page = client(&server).reviews(11).query("sindex", &start.to_string()).query("count", "300");
        page.send().status
    };
    assert_eq!([page(0), page(300), page(300)], [200, 503, 200]);
    let wanted = json!([{"pages": {"operation": "reviews"}}]);
    let answer = verify(&server, "verify", &wanted).ok();
    assert_eq!(short(&answer), ["pass expectation 1: 600 of 600 records were read once, by calls 1 and 3"]);
}

#[test]
fn it_answers_as_soon_as_all_hold_and_else_when_the_time_is_over() {
    let server = fresh();
    let wanted = json!([{"name": "two", "requests": {"operation": "qna"}, "count": 2}]);
    let began = now();
    assert_eq!(verify(&server, "verify?within=200ms", &wanted).ok()["passed"], false);
    assert!(began.elapsed() >= Duration::from_millis(200));
    let answer = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| verify(&server, "verify?within=60s", &wanted).ok());
        for _ in 0..2 {
            client(&server).qna(1).send();
        }
        waiting.join().unwrap()
    });
    assert_eq!(short(&answer), ["pass two: 2 calls match (calls 1 and 2)"]);
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_client_that_leaves_ends_the_wait() {
    let server = Server::of(&[("a.yaml", SCENARIO)], &["--grace", "25"]);
    let address = server.base.strip_prefix("http://").unwrap();
    let mut waiting = TcpStream::connect(address).unwrap();
    let body = r#"[{"requests": {"operation": "qna"}, "count": 2}]"#;
    let request = format!(
        "POST /__admin/worlds/a/verify?within=60s HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    waiting.write_all(request.as_bytes()).unwrap();
    assert_eq!(client(&server).qna(1).send().status, 429);
    drop(waiting);
    // A graceful stop waits for open requests.
    let began = now();
    assert_eq!(server.stop().code(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn mistakes_are_told_in_the_words_of_the_loader() {
    let server = fresh();
    let refused = |path: &str, body: &str| {
        let answer = server.admin("POST", &format!("worlds/a/{path}")).bytes(body).send();
        assert_eq!(answer.status, 400, "{body}");
        answer.json
    };
    let error = refused("verify", r#"[{"requests": {"fault": "limt"}, "count": 1}]"#);
    assert_eq!(
        error["error"],
        "The expectations are not taken: line 1: there is no fault `limt` (allowed: `limit` or `lost`)."
    );
    assert_eq!(error["diagnostics"][0]["code"], "unknown-reference");
    assert_eq!(refused("verify", "{}")["diagnostics"][0]["code"], "wrong-kind");
    assert_eq!(refused("verify", "[")["diagnostics"][0]["code"], "syntax");
    let within = refused("verify?within=1h", "[]");
    assert_eq!(within["error"], "within must be a duration of at most 60s, like 2s; it is 1h.");
}

#[test]
fn a_fault_that_was_put_at_runtime_can_be_named() {
    let server = fresh();
    let fault =
        json!({"operation": "contact", "then": {"error": {"code": 7, "status": 418, "message": "Tea"}}});
    server.admin("PUT", "worlds/a/faults/tea").json(&fault).send();
    assert_eq!(client(&server).contact(1).json(&json!({})).send().status, 418);
    let wanted = json!([{"name": "tea", "requests": {"fault": "tea", "code": 7}, "count": 1}]);
    assert_eq!(verify(&server, "verify", &wanted).ok()["passed"], true);
}

#[test]
fn keys_are_masked_in_what_is_told() {
    let server = fresh();
    client(&server).qna(1).send();
    let wanted = json!([{
        "name": "secret-demo-key works",
        "requests": {"operation": "qna", "key": "demo", "header": {"x-api-key": "other-key"}}, "count": 1,
    }]);
    let answer = verify(&server, "verify", &wanted).ok();
    assert!(!answer.to_string().contains("secret-demo-key"), "{answer}");
    assert!(!answer.to_string().contains("other-key"), "{answer}");
    let result = &answer["results"][0];
    assert_eq!(result["name"], "key:demo works");
    assert_eq!(
        result["nearest"]["members"][2],
        json!({"member": "header x-api-key", "expected": "key:unknown", "received": "key:demo", "agrees": false})
    );
}

#[test]
fn without_a_journal_nobody_can_tell() {
    let server = Server::of(&[("a.yaml", SCENARIO)], &["--journal", "0"]);
    let answer = server.admin("POST", "worlds/a/verify").send();
    assert_eq!(answer.status, 404);
}
