//! `…/stream`: the events of a world as Server-Sent Events.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::harness::{Server, write};
use crate::receiver::{Receiver, Response};
use crate::stage::API;

/// A client of the stream, connected.
struct Watcher(BufReader<TcpStream>);

impl Watcher {
    fn new(server: &Server, world: &str, headers: &str) -> Self {
        let address = server.base.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(10))).unwrap();
        write!(stream, "GET /__admin/worlds/{world}/stream HTTP/1.1\r\nhost: {address}\r\n{headers}\r\n")
            .unwrap();
        Self(BufReader::new(stream))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn until(&mut self, wanted: &str) -> String {
        loop {
            let line = self.line();
            if line.starts_with(wanted) {
                return line;
            }
        }
    }

    /// The next event: its kind and its data.
    fn event(&mut self) -> (String, Value) {
        let kind = self.until("event: ")["event: ".len()..].to_owned();
        (kind, serde_json::from_str(&self.line()["data: ".len()..]).unwrap())
    }
}

#[test]
fn calls_faults_and_reloads_are_streamed_as_they_happen() {
    let faulty = format!("{API}faults: [{{name: down, operation: qna, then: {{status: 503}}}}]\n");
    let server = Server::of(&[("api.yaml", &faulty)], &[]);
    let mut watcher = Watcher::new(&server, "api", "");
    assert_eq!(watcher.line(), "HTTP/1.1 200 OK");
    assert_eq!(watcher.until("content-type"), "content-type: text/event-stream");
    watcher.until(": standin");
    server.client().with_key("all").reviews(100).send().ok();
    let (kind, call) = watcher.event();
    assert_eq!((kind.as_str(), &call["seq"], &call["operation"]), ("request", &1.into(), &"reviews".into()));
    assert_eq!(call["headers"]["x-api-key"], "key:1");
    server.client().with_key("all").qna(100).send();
    assert_eq!(watcher.event().0, "request");
    let (kind, fault) = watcher.event();
    assert_eq!((kind.as_str(), &fault["name"], &fault["seq"]), ("fault", &"down".into(), &2.into()));
    write(server.path(), "api.yaml", API);
    let (kind, reload) = watcher.event();
    assert_eq!((kind.as_str(), &reload["generation"]), ("reload", &2.into()));
}

#[test]
fn a_change_of_a_fault_is_streamed_as_such_and_not_as_a_reload() {
    let server = Server::of(&[("api.yaml", API)], &[]);
    let mut watcher = Watcher::new(&server, "api", "");
    watcher.until(": standin");
    let send = |method: &str, body: Value| {
        let answer = server.admin(method, "worlds/api/faults/down").json(&body).send();
        assert!((200..300).contains(&answer.status), "{method} {}", answer.text());
    };
    let fault = json!({"name": "down", "operation": "qna", "then": {"status": 503}});
    let mut change = |expected: &str| {
        assert_eq!(watcher.event(), ("fault".to_owned(), json!({"name": "down", "change": expected})));
    };
    send("PUT", fault.clone());
    change("added");
    send("PUT", fault);
    change("replaced");
    send("PATCH", json!({"enabled": false}));
    change("disabled");
    send("PATCH", json!({"enabled": true}));
    change("enabled");
    send("DELETE", Value::Null);
    change("removed");
}

#[test]
fn deliveries_are_streamed_when_an_attempt_ends() {
    let server = Server::of(&[("api.yaml", API)], &[]);
    let receiver = Receiver::new(&[Response::Answer(200)]);
    let body = json!({"businessNumber": 100, "apiKey": "all", "events": ["message.added"], "endpoint": receiver.url});
    server.client().subscribe().json(&body).send().ok();
    let mut watcher = Watcher::new(&server, "api", "");
    watcher.until(": standin");
    let event = json!({"event": "message.added", "business": 100, "conversation": "c"});
    let emitted = server.admin("POST", "worlds/api/events").json(&event).send();
    assert_eq!(watcher.event().0, "conversation");
    let (kind, delivery) = watcher.event();
    assert_eq!((kind.as_str(), &delivery["status"]), ("delivery", &"delivered".into()));
    assert_eq!(delivery["eventId"], emitted.json["eventId"]);
}

#[test]
fn a_stream_has_only_the_events_of_its_world() {
    let server = Server::of(&[("api.yaml", API)], &[]);
    let mut watcher = Watcher::new(&server, "own-world", "");
    watcher.until(": standin");
    server.client().with_key("all").reviews(100).send().ok();
    server.client().with_key("own").reviews(100).send().ok();
    let (_, call) = watcher.event();
    assert_eq!((&call["world"], &call["seq"]), (&"own-world".into(), &1.into()));
}

#[test]
fn a_stream_follows_the_rules_of_the_admin_api() {
    let server = Server::of(&[("api.yaml", API)], &["--admin-token", "secret"]);
    assert_eq!(Watcher::new(&server, "api", "").line(), "HTTP/1.1 401 Unauthorized");
    let allowed = "authorization: Bearer secret\r\n";
    assert_eq!(Watcher::new(&server, "api", allowed).line(), "HTTP/1.1 200 OK");
    let foreign = format!("{allowed}origin: http://a.test\r\n");
    assert_eq!(Watcher::new(&server, "api", &foreign).line(), "HTTP/1.1 403 Forbidden");
    assert_eq!(Watcher::new(&server, "nowhere", allowed).line(), "HTTP/1.1 404 Not Found");
}
