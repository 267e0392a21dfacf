//! Cross-origin requests, as the dialect allows them.

use serde_json::json;

use crate::harness::{Answer, Client, Server};
use crate::sentiment_benchmark;
use crate::stage::{client, server};

const PATH: &str = "/v1/insight/sentiment/scoreBenchmark";

fn preflight(client: &Client, path: &str) -> crate::harness::Request {
    client
        .call("OPTIONS", path)
        .header("origin", "https://app.test")
        .header("access-control-request-method", "POST")
}

fn has(answer: &Answer, header: &str, word: &str) -> bool {
    let words = answer.header(header).unwrap_or_default().split(',');
    words.map(|one| one.trim().to_ascii_lowercase()).any(|one| one == word)
}

#[test]
fn every_answer_to_a_page_has_the_headers_that_let_it_read_the_answer() {
    let client = client();
    let requests = || {
        [
            client.benchmark(100).json(&sentiment_benchmark::body()),
            client.benchmark(100).key("nonsense"),
            client.benchmark(999),
            client.call("GET", PATH),
            client.call("POST", "/nope"),
            client.call("POST", "/w/nowhere/v1/qna/unanswered/get"),
            client.qna(100).header("content-type", "text/plain").bytes("x"),
            client.qna(100).bytes(vec![b' '; (1 << 20) + 1]),
            client.qna(100).bytes("["),
        ]
    };
    for request in requests() {
        let answer = request.header("origin", "https://shop.test").send();
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"), "{}", answer.call);
        for exposed in ["retry-after", "x-standin-detail"] {
            assert!(has(&answer, "access-control-expose-headers", exposed), "{}", answer.call);
        }
    }
    for request in requests() {
        let answer = request.send();
        assert!(
            answer.headers.iter().all(|(name, _)| !name.starts_with("access-control")),
            "{}",
            answer.call
        );
    }
}

#[test]
fn a_preflight_is_answered_without_a_key() {
    let anyone = server().client();
    for path in [PATH, "/v1/review/businessId/1", "/nope", "/w/turned/v1/qna/unanswered/get", "/w/nowhere/x"]
    {
        let answer = preflight(&anyone, path)
            .header("access-control-request-headers", "x-api-key, x-custom")
            .header("access-control-request-private-network", "true")
            .send();
        assert_eq!((answer.status, answer.bytes.len()), (204, 0), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(answer.header("access-control-allow-private-network"), Some("true"));
        assert!(has(&answer, "access-control-allow-methods", "post"));
        for allowed in ["content-type", "x-api-key", "x-business-number", "prefer", "x-custom"] {
            assert!(has(&answer, "access-control-allow-headers", allowed), "{allowed}");
        }
    }
    let plain = preflight(&anyone, PATH).send();
    assert_eq!(plain.header("access-control-allow-private-network"), None);
}

#[test]
fn options_without_a_requested_method_is_not_a_preflight() {
    let answer = server().client().call("OPTIONS", PATH).header("origin", "https://app.test").send();
    assert_eq!(answer.refused(405, 405, "Method not allowed").header("allow"), Some("POST"));
}

#[test]
fn without_cors_no_header_is_sent_and_a_preflight_is_an_ordinary_request() {
    let client = server().world("no-cors").with_key("any");
    let refused = preflight(&client, PATH).send().refused(405, 405, "Method not allowed");
    assert_eq!(refused.header("allow"), Some("POST"));
    assert_eq!(preflight(&client, "/nope").send().status, 404);
    let ok = client.qna(1).header("origin", "https://app.test").send();
    for answer in [refused, ok] {
        let cors = |name: &str| name.starts_with("access-control-");
        assert!(!answer.headers.iter().any(|(name, _)| cors(name)), "{:?}", answer.headers);
    }
}

#[test]
fn a_list_of_origins_lets_only_those_read() {
    let client = server().world("some-cors").with_key("any");
    let from = |origin: &str| client.qna(1).header("origin", origin).send();
    for good in ["https://app.test", "http://localhost:3000"] {
        let answer = from(good);
        assert_eq!(answer.header("access-control-allow-origin"), Some(good));
        assert!(has(&answer, "vary", "origin"));
        assert!(has(&answer, "access-control-expose-headers", "retry-after"));
    }
    for other in ["https://evil.test", "https://app.test:444", "http://app.test", "null"] {
        let answer = from(other);
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, None));
        assert!(has(&answer, "vary", "origin"));
    }
    assert_eq!(client.qna(1).send().header("access-control-allow-origin"), None);
    let good = preflight(&client, PATH).send();
    assert_eq!(good.header("access-control-allow-origin"), Some("https://app.test"));
    let bad = client.call("OPTIONS", PATH).header("origin", "https://evil.test");
    let bad = bad.header("access-control-request-method", "POST").send();
    assert_eq!(bad.header("access-control-allow-origin"), None);
}

#[test]
fn the_admin_api_never_sends_cors_headers() {
    let request = server().admin("OPTIONS", "health").header("origin", "https://app.test");
    let answer = request.header("access-control-request-method", "GET").send();
    assert_eq!(answer.status, 403);
    assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control-")));
    let own = server().admin("GET", "health").send();
    assert_eq!(own.header("access-control-allow-origin"), None);
    assert_eq!(own.ok()["status"], json!("ok"));
}

#[test]
fn a_preflight_allows_the_methods_of_the_routes_at_its_path() {
    let text = "standin: 1\nroutes:
  - {name: one, request: {method: GET, path: '/v1/thing/{id}'}, response: {status: 204}}
  - {name: gone, request: {method: [DELETE, PUT], path: '/v1/thing/{id}'}, response: {status: 204}}\n";
    let server = Server::of(&[("things.yaml", text)], &[]);
    let methods = |path: &str| {
        let answer = preflight(&server.client(), path).send();
        answer.header("access-control-allow-methods").map(str::to_owned)
    };
    assert_eq!(methods("/v1/thing/7").unwrap(), "DELETE, GET, POST, PUT");
    assert_eq!(methods("/w/things/resources/v1/thing/7/").unwrap(), "DELETE, GET, POST, PUT");
    assert_eq!(methods(PATH).unwrap(), "POST");
}
