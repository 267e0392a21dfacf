//! What is logged, counted and written down of a request whose answer is delayed: when it has been answered, or when its
//! client has left.

use std::io::Write;
use std::net::TcpStream;

use serde_json::Value;

use crate::harness::{Server, wait_until};
use crate::stage::API;

fn delayed(delay: &str) -> Server {
    let faults = format!("faults: [{{name: slow, operation: reviews, then: {{delay: {delay}}}}}]");
    Server::of(&[("api.yaml", &format!("{API}{faults}\n"))], &[])
}

/// The journal's entry of the only request.
fn entry(server: &Server) -> Option<Value> {
    server.admin("GET", "worlds/api/requests").send().ok().get(0).cloned()
}

/// How many requests were counted with that status.
fn count(server: &Server, status: &str) -> usize {
    let labels = format!(r#"{{operation="reviews",status="{status}",code="",fault="slow"}} 1"#);
    server.client().call("GET", "/metrics").send().text().matches(&labels).count()
}

/// The log line of the request.
fn log_line(server: &Server) -> Option<Value> {
    let log = server.log.lock().unwrap();
    log.iter().find(|line| line["path"] == "/v1/review/businessId/100").cloned()
}

#[test]
fn a_client_that_leaves_during_a_delay_is_logged_and_counted_when_it_does() {
    let server = delayed("1h");
    let address = server.base.strip_prefix("http://").unwrap();
    let mut client = TcpStream::connect(address).unwrap();
    let request =
        "POST /v1/review/businessId/100 HTTP/1.1\r\nhost: x\r\nx-api-key: all\r\ncontent-length: 0\r\n\r\n";
    client.write_all(request.as_bytes()).unwrap();
    wait_until("the request is decided", || entry(&server).is_some());
    assert!(entry(&server).unwrap()["durationMs"].is_null());
    assert_eq!(count(&server, ""), 0);
    drop(client);
    wait_until("the request is counted", || count(&server, "") == 1);
    assert!(entry(&server).unwrap()["durationMs"].as_f64().unwrap() > 0.0);
    wait_until("the request is logged", || log_line(&server).is_some());
    assert!(log_line(&server).unwrap()["status"].is_null());
    wait_until("the journal says that it left", || entry(&server).unwrap()["hungUpMs"].is_number());
    assert!(entry(&server).unwrap()["answeredMs"].is_null());
}

#[test]
fn the_duration_of_a_delayed_request_has_the_delay_in_it() {
    let server = delayed("50ms");
    server.client().with_key("all").reviews(100).send().ok();
    wait_until("the request is logged", || log_line(&server).is_some());
    let line = log_line(&server).unwrap();
    assert_eq!((&line["status"], &line["fault"]), (&200.into(), &"slow".into()));
    assert!(line["durationUs"].as_u64().unwrap() >= 50_000, "{line}");
    assert_eq!(count(&server, "200"), 1);
    assert!(entry(&server).unwrap()["durationMs"].as_f64().unwrap() >= 50.0);
}

/// Sends one call and leaves after a second look at the journal. Returns its entry when it has ended.
fn left(faults: &str) -> Value {
    let server = Server::of(&[("api.yaml", &format!("{API}faults: [{faults}]\n"))], &[]);
    let mut client = TcpStream::connect(server.base.strip_prefix("http://").unwrap()).unwrap();
    let request =
        "POST /v1/review/businessId/100 HTTP/1.1\r\nhost: x\r\nx-api-key: all\r\ncontent-length: 0\r\n\r\n";
    client.write_all(request.as_bytes()).unwrap();
    wait_until("the request is decided", || entry(&server).is_some());
    assert!(entry(&server).unwrap()["hungUpMs"].is_null());
    drop(client);
    let has_ended = |entry: Value| entry["hungUpMs"].is_number() || entry["answeredMs"].is_number();
    wait_until("the exchange has ended", || entry(&server).is_some_and(has_ended));
    entry(&server).unwrap()
}

#[test]
fn a_client_that_leaves_a_stalled_connection_or_half_an_answer_has_hung_up() {
    for fault in [
        "{name: stalled, then: {connection: stall}}",
        "{name: stalled, then: {connection: stall, for: 1h}}",
        "{name: slow, then: {body: {drip: 1 per 1h}}}",
    ] {
        let entry = left(fault);
        assert!(entry["hungUpMs"].is_number() && entry["answeredMs"].is_null(), "{fault}: {entry}");
    }
}
