//! Rate limits of keys, on a frozen clock that the tests advance.

use std::thread;

use serde_json::{Value, json};

use crate::harness::{Answer, Server};

const LIMITED: &str = "
standin: 1
name: limited
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys:
  - {key: three, accounts: [1], rate_limit: 3 per 1m}
  - {key: two, rate_limit: 2 per 10s}
  - {key: many, rate_limit: 20 per 1h}
  - {key: free}
  - {key: own, name: aside, rate_limit: 3 per 1m, world: own}
businesses: [{number: 1, name: One, locations: [{number: 11, name: L}]}, {number: 2, name: Two}]
";

fn serve() -> Server {
    Server::of(&[("limited.yaml", LIMITED)], &[])
}

fn ask(server: &Server, key: &str) -> Answer {
    server.client().qna(1).key(key).send()
}

fn limited(answer: Answer, seconds: &str) {
    let answer = answer.refused(429, 89, "Rate limit exceeded");
    assert_eq!(answer.header("retry-after"), Some(seconds));
}

fn advance(server: &Server, world: &str, by: &str) -> Value {
    server.admin("POST", &format!("worlds/{world}/clock")).json(&json!({"advance": by})).send().ok()
}

#[test]
fn calls_within_the_limit_pass_and_the_others_get_retry_after() {
    let server = serve();
    for _ in 0..3 {
        ask(&server, "three").ok();
    }
    limited(ask(&server, "three"), "60");
    limited(ask(&server, "three"), "60");
    advance(&server, "default", "58500ms");
    limited(ask(&server, "three"), "2");
    advance(&server, "default", "1s");
    limited(ask(&server, "three"), "1");
    advance(&server, "default", "499ms");
    limited(ask(&server, "three"), "1");
    advance(&server, "default", "1ms");
    for _ in 0..3 {
        ask(&server, "three").ok();
    }
    limited(ask(&server, "three"), "60");
}

#[test]
fn windows_are_fixed_from_the_worlds_start() {
    let server = serve();
    advance(&server, "default", "9s");
    ask(&server, "two").ok();
    ask(&server, "two").ok();
    limited(ask(&server, "two"), "1");
    advance(&server, "default", "1s");
    ask(&server, "two").ok();
    advance(&server, "default", "1m");
    ask(&server, "two").ok();
    ask(&server, "two").ok();
    limited(ask(&server, "two"), "10");
}

#[test]
fn each_key_and_each_world_has_its_own_count_over_all_operations() {
    let server = serve();
    ask(&server, "three").ok();
    server.client().reviews(1).key("three").send().ok();
    let body = json!({"businessNumber": 1, "apiKey": "three", "events": ["message.added"], "endpoint": "http://h.test"});
    server.client().subscribe().json(&body).send().ok();
    limited(ask(&server, "three"), "60");
    limited(server.client().subscribe().json(&body).send(), "60");
    ask(&server, "two").ok();
    for _ in 0..50 {
        ask(&server, "free").ok();
    }
    for _ in 0..3 {
        ask(&server, "own").ok();
    }
    limited(ask(&server, "own"), "60");
    for _ in 0..3 {
        server.world("default").qna(1).key("own").send().ok();
    }
    advance(&server, "aside", "60s");
    ask(&server, "own").ok();
    limited(ask(&server, "three"), "60");
}

#[test]
fn the_limit_is_checked_after_the_key_and_before_everything_else() {
    let server = serve();
    let bad = || server.client().benchmark(999).key("two").header("content-type", "text/plain").bytes("x");
    bad().send().refused(404, 2151, "Not a valid reseller/enterprise id.");
    bad().send().refused(404, 2151, "Not a valid reseller/enterprise id.");
    limited(bad().send(), "10");
    ask(&server, "nonsense").refused(401, 1161, "Invalid API key");
    let free = |method: &str, path: &str| server.client().with_key("three").call(method, path).send();
    for _ in 0..5 {
        assert_eq!(free("POST", "/nope").status, 404, "no route, no count");
        assert_eq!(free("GET", "/v1/qna/unanswered/get").status, 405);
        let preflight = server.client().with_key("three").call("OPTIONS", "/v1/qna/unanswered/get");
        preflight.header("access-control-request-method", "POST").send();
    }
    for _ in 0..3 {
        ask(&server, "three").ok();
    }
}

#[test]
fn exactly_the_limit_of_concurrent_calls_passes() {
    let server = serve();
    let passed: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| (0..4).filter(|_| ask(&server, "many").status == 200).count()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(passed, 20);
    limited(ask(&server, "many"), "3600");
}

#[test]
fn a_reset_restarts_the_windows() {
    let server = serve();
    ask(&server, "two").ok();
    ask(&server, "two").ok();
    limited(ask(&server, "two"), "10");
    server.admin("POST", "worlds/default/reset").send().ok();
    ask(&server, "two").ok();
}
