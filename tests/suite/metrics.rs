//! `/metrics` in the format of Prometheus.

use serde_json::json;

use crate::harness::{Server, wait_until, write};
use crate::stage::API;

/// The value of a line, by its name and labels.
fn value(server: &Server, line: &str) -> Option<f64> {
    let text = server.client().call("GET", "/metrics").send().text();
    text.lines().find_map(|known| known.strip_prefix(line)?.strip_prefix(' ')?.parse().ok())
}

#[test]
fn calls_are_counted_by_operation_status_code_and_fault() {
    let faults = "faults: [{name: down, operation: qna, then: {status: 503}}, {name: gone, operation: subscribe, then: {connection: close}}]";
    let server = Server::of(&[("api.yaml", &format!("{API}{faults}\n"))], &[]);
    let client = server.client().with_key("all");
    for _ in 0..3 {
        client.reviews(100).send().ok();
    }
    client.reviews(7).send();
    client.qna(100).send();
    client.call("GET", "/nowhere").send();
    let gone = server.client();
    assert!(std::thread::spawn(move || gone.subscribe().json(&json!({})).send()).join().is_err());
    for (labels, count) in [
        (r#"operation="reviews",status="200",code="",fault="""#, 3.0),
        (r#"operation="reviews",status="404",code="1011",fault="""#, 1.0),
        (r#"operation="qna",status="503",code="",fault="down""#, 1.0),
        (r#"operation="subscribe",status="",code="",fault="gone""#, 1.0),
        (r#"operation="",status="404",code="404",fault="""#, 1.0),
    ] {
        assert_eq!(value(&server, &format!("standin_requests_total{{{labels}}}")), Some(count), "{labels}");
    }
    let name = r#"standin_request_duration_seconds_count{operation="reviews"}"#;
    assert_eq!(value(&server, name), Some(4.0));
    let largest = r#"standin_request_duration_seconds_bucket{le="+Inf",operation="reviews"}"#;
    assert_eq!(value(&server, largest), Some(4.0));
    assert_eq!(value(&server, "standin_worlds"), Some(3.0));
    assert!(value(&server, "standin_journal_bytes").unwrap() > 1_000.0);
}

#[test]
fn loads_and_their_failures_are_counted() {
    let server = Server::of(&[("api.yaml", API)], &[]);
    let of = |name: &str| value(&server, &format!("standin_scenario_{name}_total{{scenario=\"api\"}}"));
    assert_eq!((of("loads"), of("load_failures")), (Some(1.0), Some(0.0)));
    write(server.path(), "api.yaml", "standin: 1\nname: api\noops: 1\n");
    wait_until("the failure is counted", || of("load_failures") == Some(1.0));
    write(server.path(), "api.yaml", "standin: 1\nname: api\n");
    wait_until("the load is counted", || of("loads") == Some(2.0));
}

#[test]
fn the_text_has_its_media_type_and_the_required_end() {
    let server = Server::of(&[("api.yaml", API)], &[]);
    let answer = server.client().call("GET", "/metrics").send();
    assert_eq!(
        answer.header("content-type"),
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    assert!(answer.text().ends_with("# EOF\n"));
    assert_eq!(server.client().call("POST", "/metrics").send().status, 405);
}

#[test]
fn metrics_follow_the_rules_of_the_admin_api() {
    let server = Server::of(&[("api.yaml", API)], &["--admin-token", "secret"]);
    let call = || server.client().call("GET", "/metrics");
    assert_eq!(call().send().status, 401);
    assert_eq!(call().header("authorization", "Bearer secret").send().status, 200);
    let foreign = call().header("authorization", "Bearer secret").header("origin", "http://a.test");
    assert_eq!(foreign.send().status, 403);
}
