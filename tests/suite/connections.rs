//! What happens to a connection: upgrades, requests sent ahead, clients that stand still, and the end of the program.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use crate::harness::{Server, folder, now, program, raw, wait_until};
use crate::stage::{API, server};

const CALL: &str =
    "POST /v1/review/businessId/100?count=1 HTTP/1.1\r\nhost: x\r\nx-api-key: all\r\ncontent-length: 0\r\n";

fn slow(delay: &str) -> String {
    format!("{API}faults: [{{name: slow, operation: reviews, then: {{delay: {delay}}}}}]\n")
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.base.strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Reads until that many answers have come.
fn read_answers(stream: &mut TcpStream, count: usize) -> String {
    let (mut text, mut buffer) = (Vec::new(), vec![0; 1 << 20]);
    loop {
        let read = stream.read(&mut buffer).unwrap();
        assert_ne!(read, 0, "{}", String::from_utf8_lossy(&text));
        text.extend_from_slice(&buffer[..read]);
        let seen = String::from_utf8_lossy(&text);
        if seen.matches("HTTP/1.1 ").count() >= count && seen.ends_with(['}', ']']) {
            return seen.into_owned();
        }
    }
}

/// Reads to the end, which may be a reset.
fn read_rest(stream: &mut TcpStream) -> usize {
    let (mut size, mut buffer) = (0, vec![0; 1 << 20]);
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return size,
            Ok(read) => size += read,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return size,
            Err(error) => panic!("{error} after {size} bytes"),
        }
    }
}

#[test]
fn an_upgrade_is_ignored_and_the_connection_stays_open() {
    let upgrades = [
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA\r\n",
        "connection: keep-alive, Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n",
        "Connection: upgrade\r\nUpgrade: WebSocket\r\n",
        "upgrade: websocket\r\n",
    ];
    for upgrade in upgrades {
        let sent = format!("{CALL}{upgrade}\r\n{CALL}connection: close\r\n\r\n");
        let answers = raw(&server().base, sent.as_bytes());
        let (first, last) = answers.split_once("]HTTP/1.1 200 OK").unwrap();
        assert!(first.starts_with("HTTP/1.1 200 OK"), "{upgrade}: {answers}");
        assert!(!first.contains("connection:") && last.contains("connection: close"), "{upgrade}: {answers}");
    }
}

#[test]
fn connect_is_answered_at_once_and_the_connection_is_closed() {
    for target in ["example.test:443", "/v1/review/businessId/100"] {
        let answer = raw(&server().base, format!("CONNECT {target} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes());
        let status = if target.starts_with('/') { "HTTP/1.1 405" } else { "HTTP/1.1 404" };
        assert!(answer.starts_with(status) && answer.contains("connection: close"), "{answer}");
    }
}

#[test]
fn head_is_answered_like_get_without_the_body() {
    let server = Server::of(&[("api.yaml", API)], &[]);
    for path in [
        "/",
        "/docs",
        "/docs/",
        "/docs/page.css",
        "/docs/page.js",
        "/openapi.json",
        "/w/api/openapi.json",
        "/w/api/docs",
        "/__admin/worlds",
        "/__admin/scenarios",
        "/__admin/worlds/api/reviews",
        "/v1/nope",
        "/v1/qna/unanswered/get",
    ] {
        let get = server.client().call("GET", path).send();
        let head = server.client().call("HEAD", path).send();
        assert_eq!((head.status, head.bytes.len()), (get.status, 0), "{path}");
        for name in ["content-type", "content-length", "allow"] {
            assert_eq!(head.header(name), get.header(name), "{path}");
        }
    }
    // Requests sent ahead do not change each other's answers, and a stream has an end.
    let requests = ["GET /", "HEAD /", "HEAD /__admin/worlds/api/stream", "GET /"];
    let requests = requests.map(|line| format!("{line} HTTP/1.1\r\nhost: localhost\r\n\r\n")).concat();
    let mut stream = connect(&server);
    stream.write_all(requests.as_bytes()).unwrap();
    let answers = read_answers(&mut stream, 4);
    assert_eq!(answers.matches("\"operations\"").count(), 2, "{answers}");
}

#[test]
fn requests_sent_ahead_of_a_delayed_answer_are_all_answered() {
    let server = Server::of(&[("api.yaml", &slow("200ms"))], &[]);
    let mut stream = connect(&server);
    let fast = format!("GET /nope HTTP/1.1\r\nhost: x\r\nx-filler: {}\r\n\r\n", "f".repeat(100));
    stream.write_all(format!("{CALL}\r\n{}", fast.repeat(500)).as_bytes()).unwrap();
    wait_until("the first request is decided", || {
        server.admin("GET", "worlds/api/requests").send().ok().get(0).is_some()
    });
    stream.write_all(fast.repeat(1000).as_bytes()).unwrap();
    let answers = read_answers(&mut stream, 1501);
    assert!(answers.starts_with("HTTP/1.1 200"));
    assert_eq!(answers.matches("HTTP/1.1 404").count(), 1500);
}

#[test]
fn a_request_or_an_answer_that_stands_still_is_cut() {
    let reviews = "businesses: [{number: 100, name: One, locations: [{number: 1, name: A, reviews: [{generate: 20000}]}]}]";
    let many = format!("standin: 1\nname: many\n{reviews}\n");
    let server = Server::of(&[("api.yaml", API), ("many.yaml", &many)], &["--stall", "1"]);
    for part in ["POST / HTTP/1.1\r\nhost", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{"] {
        let mut stream = connect(&server);
        // The first request is whole, since actix has a time limit of its own for the first head.
        stream.write_all(format!("{CALL}\r\n").as_bytes()).unwrap();
        read_answers(&mut stream, 1);
        let started = now();
        stream.write_all(part.as_bytes()).unwrap();
        assert_eq!(read_rest(&mut stream), 0);
        assert!(started.elapsed() >= Duration::from_secs(1));
    }
    let mut stream = connect(&server);
    let body = "POST /w/many/v1/review/businessId/100?count=20000 HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\ncontent-length: 0\r\n\r\n";
    stream.write_all(body.as_bytes()).unwrap();
    let answered = || server.client().call("GET", "/metrics").send().text().contains("status=\"200\"");
    wait_until("the answer is being sent", answered);
    wait_until("the connection is closed", || {
        // The server's end is closed when it takes no more input.
        stream.write_all(b"GET / HTTP/1.1\r\n").is_err()
    });
    assert!(read_rest(&mut stream) < 14_000_000);
}

#[test]
fn an_open_event_stream_does_not_delay_the_end() {
    let server = Server::of(&[("api.yaml", API)], &["--grace", "20"]);
    let mut stream = connect(&server);
    stream.write_all(b"GET /__admin/worlds/api/stream HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut seen = String::new();
    while !seen.contains(": standin") {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).unwrap();
        seen.push_str(str::from_utf8(&buffer[..read]).unwrap());
    }
    let started = now();
    assert_eq!(server.stop().code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(10));
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("0\r\n\r\n"), "the stream has an end: {rest:?}");
}

#[test]
fn a_second_signal_ends_the_program_at_once() {
    for signals in [["-INT", "-INT"], ["-TERM", "-INT"], ["-TERM", "-TERM"]] {
        let server = Server::of(&[("api.yaml", &slow("1h"))], &["--grace", "600"]);
        let mut stream = connect(&server);
        stream.write_all(format!("{CALL}\r\n").as_bytes()).unwrap();
        wait_until("the request is decided", || {
            server.admin("GET", "worlds/api/requests").send().ok().get(0).is_some()
        });
        server.send_signal(signals[0]);
        // Signals that come at nearly the same time are one.
        server.send_signal(signals[1]);
        stream.set_nonblocking(true).unwrap();
        assert!(stream.peek(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock));
        wait_until("the connection is cut", || {
            server.send_signal(signals[1]);
            stream.peek(&mut [0]).map_or_else(|error| error.kind() != ErrorKind::WouldBlock, |size| size == 0)
        });
        assert_eq!(server.wait().code(), Some(130), "{signals:?}");
    }
}

#[test]
fn an_escaped_letter_of_a_path_is_the_letter() {
    let client = server().client().with_key("all");
    let plain = client.reviews(100).send().ok();
    for path in [
        "/v1/review/%62usiness%49d/100",
        "/%76%31/review/businessId/%31%300",
        "/%77/api/v1/review/businessId/100",
    ] {
        assert_eq!(client.call("POST", path).send().ok(), plain, "{path}");
    }
    assert_eq!(client.call("POST", "/v1/review%2FbusinessId/100").send().status, 404);
}

#[test]
fn numbers_beyond_64_bits_are_shown_as_they_were_sent() {
    let client = server().client().with_key("all");
    let number = "123456789012345678901234567890";
    let dates = r#""startDate":"01/01/2026","endDate":"02/01/2026""#;
    let benchmark = client.benchmark(100).bytes(format!(r#"{{"businessNumbers":[1001,{number}],{dates}}}"#));
    let detail = format!("businessNumbers[1]: {number} is not a business of this enterprise");
    assert_eq!(benchmark.send().detail(), detail);
    let contact = |body: String| client.contact(100).bytes(body).send();
    let unknown = contact(format!(r#"{{"id":-{number}}}"#));
    assert_eq!(unknown.detail(), format!("id: -{number} is no contact of this enterprise"));
    let business = contact(format!(r#"{{"email":"a@b.test","businessIds":["{number}"]}}"#));
    assert_eq!(business.detail(), format!("businessIds[0]: {number} is not a business of this enterprise"));
}

#[test]
fn half_of_a_surrogate_pair_and_a_repeated_member_within_another_are_refused() {
    let client = server().client().with_key("all");
    let search = client.reviews(100).bytes(r#"{"searchStr":"\ud800"}"#).send();
    assert_eq!(
        search.invalid("searchStr must be a string").detail(),
        r#"searchStr: "\ud800" is not a string"#
    );
    let repeated =
        r#"{"email":"a@b.test","businessIds":[1001],"customFields":[{"fieldName":"a","fieldName":"b"}]}"#;
    let repeated = client.contact(100).bytes(repeated).send().refused(400, 2466, "Invalid input request");
    assert_eq!(repeated.detail(), "customFields[0]: duplicate field `fieldName`");
}

#[test]
fn a_program_that_may_open_too_few_files_does_not_start() {
    let folder = folder(&[("a.yaml", API)]);
    let output = Command::new("sh")
        .args(["-c", "ulimit -n 20; exec \"$0\" a.yaml --port 0 --workers 2"])
        .arg(program().get_program())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("`ulimit -n 1024`") && error.lines().count() == 1, "{error}");
}
