//! Wire faults as a client sees them on a raw socket. They do not delay other clients.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Server, now};

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// FIN.
    Fin,
    /// RST.
    Reset,
}

/// An answer as received.
#[derive(Clone, Debug)]
pub struct RawAnswer {
    /// Status line and headers.
    pub head: String,
    /// The body, which is shorter than its header says if the connection ended.
    pub body: Vec<u8>,
    /// How the connection ended, if it did before the body was complete.
    pub end: Option<End>,
    /// The number of reads for the body.
    pub reads: usize,
}

impl RawAnswer {
    pub fn status(&self) -> u16 {
        self.head.split(' ').nth(1).unwrap().parse().unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    /// The length in the header.
    pub fn length(&self) -> usize {
        self.header("content-length").unwrap_or_else(|| panic!("{}", self.head)).parse().unwrap()
    }
}

/// A raw connection.
pub struct RawConnection(TcpStream);

impl RawConnection {
    pub fn to(server: &Server) -> Self {
        let stream = TcpStream::connect(server.base.strip_prefix("http://").unwrap()).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Self(stream)
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).unwrap();
    }

    /// Reads until the other side ends the connection.
    pub fn rest(&mut self) -> (Vec<u8>, End) {
        let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
        loop {
            match self.read(&mut buffer) {
                Ok(read) => seen.extend_from_slice(&buffer[..read]),
                Err(end) => return (seen, end),
            }
        }
    }

    /// Reads once. An error says how the connection ended.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, End> {
        match self.0.read(buffer) {
            Ok(0) => Err(End::Fin),
            Ok(read) => Ok(read),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Err(End::Reset),
            Err(error) => panic!("{error}"),
        }
    }

    /// Whether neither bytes nor an end have arrived.
    pub fn is_silent(&self) -> bool {
        self.0.set_nonblocking(true).unwrap();
        let read = self.0.peek(&mut [0]);
        self.0.set_nonblocking(false).unwrap();
        read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }

    /// Reads one answer.
    pub fn answer(&mut self) -> RawAnswer {
        let mut bytes = Vec::new();
        // One byte at a time, so that no byte of the body is read with the headers.
        while !bytes.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            let read = self.read(&mut byte);
            assert_eq!(read, Ok(1), "after {:?}", String::from_utf8_lossy(&bytes));
            bytes.push(byte[0]);
        }
        let head = String::from_utf8(bytes).unwrap();
        let mut answer = RawAnswer { head, body: Vec::new(), end: None, reads: 0 };
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        while answer.body.len() < length && answer.end.is_none() {
            let mut buffer = vec![0; length - answer.body.len()];
            match self.read(&mut buffer) {
                Ok(read) => answer.body.extend_from_slice(&buffer[..read]),
                Err(end) => answer.end = Some(end),
            }
            answer.reads += 1;
        }
        answer
    }
}

/// The bytes of a POST request. Header lines end with `\r\n`.
pub fn post(path: &str, headers: &str, body: &Value) -> String {
    let body = body.to_string();
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
}

const WIRE: &str = r"
standin: 1
name: wire
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k}]
businesses: [{number: 1, name: One, locations: [{number: 11, name: L, reviews: [{generate: 50}], questions: [{generate: 20}]}]}]
faults:
  - {name: stall, when: {header: {x-case: stall}}, then: {connection: stall}}
  - {name: pause, when: {header: {x-case: pause}}, then: {connection: stall, for: 150ms}}
  - {name: late-reset, when: {header: {x-case: late-reset}}, then: {delay: 150ms, connection: reset}}
  - {name: late-error, when: {header: {x-case: late-error}}, then: {delay: 150ms, error: 89}}
  - {name: one-late, when: {header: {x-case: both-late}}, then: {delay: 100ms}}
  - {name: two-late, when: {header: {x-case: both-late}}, then: {delay: 100ms}}
  - {name: reset, when: {header: {x-case: reset}}, then: {connection: reset}}
  - {name: close, when: {header: {x-case: close}}, then: {connection: close}}
  - {name: garbage, when: {header: {x-case: garbage}}, then: {connection: garbage}}
  - {name: cut, when: {header: {x-case: cut}}, then: {body: {truncate: 33.3%}, headers: {set: {x-cut: yes}}}}
  - {name: cut-all, when: {header: {x-case: cut-all}}, then: {body: {truncate: 100%}}}
  - {name: cut-none, when: {header: {x-case: cut-none}}, then: {body: {truncate: 0%}}}
  - {name: drip, when: {header: {x-case: drip}}, then: {body: {drip: 700 per 30ms}}}
  - {name: malformed, when: {header: {x-case: malformed}}, then: {body: {malformed: true}}}
";

fn server() -> Server {
    Server::of(&[("wire.yaml", WIRE)], &[])
}

fn qna(case: &str) -> String {
    post("/v1/qna/unanswered/get?businessId=1", &format!("x-case: {case}\r\n"), &json!({}))
}

fn reviews(case: &str) -> String {
    post("/v1/review/businessId/1", &format!("x-case: {case}\r\n"), &json!({}))
}

/// The answer without a fault.
fn plain(server: &Server, request: &str) -> RawAnswer {
    let mut wire = RawConnection::to(server);
    wire.send(request);
    wire.answer()
}

#[test]
fn reset_close_stall_and_garbage_can_be_told_apart() {
    let server = server();
    let ask = |request: &str| {
        let mut wire = RawConnection::to(&server);
        wire.send(request);
        wire.rest()
    };
    assert_eq!(ask(&qna("reset")), (vec![], End::Reset));
    assert_eq!(ask(&qna("close")), (vec![], End::Fin));
    let started = now();
    assert_eq!(ask(&qna("pause")), (vec![], End::Fin));
    assert!(started.elapsed() >= Duration::from_millis(150));
    let started = now();
    assert_eq!(ask(&qna("late-reset")), (vec![], End::Reset));
    assert!(started.elapsed() >= Duration::from_millis(150));
    let (bytes, end) = ask(&qna("garbage"));
    assert_eq!(end, End::Fin);
    assert!(!bytes.is_empty() && !bytes[0].is_ascii() && !bytes.starts_with(b"HTTP"));
    assert_ne!(ask(&qna("garbage")).0, bytes, "drawn for each attempt");
    let wire = {
        let mut wire = RawConnection::to(&server);
        wire.send(qna("stall"));
        wire
    };
    assert_eq!(plain(&server, &qna("")).status(), 200, "answered meanwhile");
    assert!(wire.is_silent());
}

#[test]
fn delays_add_up_and_apply_to_injected_answers() {
    let server = server();
    for (case, status, least) in [("late-error", 429, 150), ("both-late", 200, 200)] {
        let started = now();
        assert_eq!(plain(&server, &qna(case)).status(), status);
        assert!(started.elapsed() >= Duration::from_millis(least), "{case}");
    }
}

#[test]
fn a_truncated_answer_has_all_headers_and_the_exact_share_before_the_reset() {
    let server = server();
    for request in [qna, reviews] {
        let whole = plain(&server, &request(""));
        for (case, parts) in [("cut", 333_000), ("cut-all", 1_000_000), ("cut-none", 0)] {
            let mut wire = RawConnection::to(&server);
            wire.send(request(case));
            let mut heard = wire.answer();
            assert_eq!((heard.status(), heard.length()), (200, whole.body.len()), "{case}");
            assert_eq!(heard.header("x-cut"), (case == "cut").then_some("yes"));
            assert_eq!(heard.header("content-type"), Some("application/json"));
            let end = heard.end.take().unwrap_or_else(|| wire.rest().1);
            assert_eq!(end, End::Reset, "{case}");
            let share = whole.body.len() * parts / 1_000_000;
            assert_eq!(heard.body.len(), share, "{case}");
            assert!(whole.body.starts_with(&heard.body));
        }
    }
}

#[test]
fn a_dripped_answer_is_complete_and_keeps_the_connection_open() {
    let server = server();
    let whole = plain(&server, &qna(""));
    let bits = whole.body.len().div_ceil(700);
    assert!(bits > 3, "{bits}");
    let mut wire = RawConnection::to(&server);
    for _ in 0..2 {
        let started = now();
        wire.send(qna("drip"));
        let dripped = wire.answer();
        let least = Duration::from_millis(30) * u32::try_from(bits - 1).unwrap();
        assert!(started.elapsed() >= least, "{:?} for {bits} bits", started.elapsed());
        assert!((2..=bits).contains(&dripped.reads), "{} reads of {bits} bits", dripped.reads);
        assert_eq!((dripped.body, dripped.end), (whole.body.clone(), None));
        wire.send(qna(""));
        assert_eq!(wire.answer().body, whole.body);
    }
}

#[test]
fn pipelined_requests_are_answered_in_order_until_a_fault_ends_the_connection() {
    let server = server();
    let (list, questions) = (plain(&server, &reviews("")).body, plain(&server, &qna("")).body);
    let mut wire = RawConnection::to(&server);
    wire.send(
        [qna("drip"), reviews(""), reviews("malformed"), qna("late-error"), reviews("drip"), qna("")]
            .concat(),
    );
    assert_eq!(wire.answer().body, questions);
    assert_eq!(wire.answer().body, list);
    let malformed = wire.answer();
    assert!(malformed.body.len() < list.len() && list.starts_with(&malformed.body));
    assert_eq!(wire.answer().status(), 429);
    assert_eq!((wire.answer().body, wire.answer().body), (list.clone(), questions.clone()));
    for (case, end) in [("reset", End::Reset), ("close", End::Fin), ("pause", End::Fin)] {
        let mut wire = RawConnection::to(&server);
        wire.send([qna(""), reviews("drip"), qna(case), reviews("")].concat());
        assert_eq!((wire.answer().body, wire.answer().body), (questions.clone(), list.clone()), "{case}");
        assert_eq!(wire.rest(), (vec![], end), "{case}");
    }
}

#[test]
fn a_thousand_stalled_connections_do_not_delay_others() {
    rlimit::increase_nofile_limit(u64::MAX).unwrap();
    let server = server();
    let threads = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).ok()?;
        let line =
            status.lines().find_map(|line| line.strip_prefix("Threads:").map(str::trim).map(str::to_owned));
        line?.parse::<usize>().ok()
    };
    assert_eq!(plain(&server, &qna("")).status(), 200);
    let before = threads();
    let mut stalled = Vec::with_capacity(1_000);
    for _ in 0..1_000 {
        let mut wire = RawConnection::to(&server);
        wire.send(qna("stall"));
        stalled.push(wire);
    }
    let mut wire = RawConnection::to(&server);
    for _ in 0..200 {
        wire.send(qna(""));
        assert_eq!(wire.answer().status(), 200);
    }
    assert!(stalled.iter().all(RawConnection::is_silent), "none has been answered or ended");
    if let (Some(before), Some(now)) = (before, threads()) {
        assert!(now <= before, "{before} threads before, {now} with a thousand stalled");
    }
}

#[test]
fn a_stalled_connection_does_not_keep_the_program_from_ending() {
    let server = server();
    let mut wires: Vec<RawConnection> = (0..3).map(|_| RawConnection::to(&server)).collect();
    for wire in &mut wires {
        wire.send(qna("stall"));
    }
    assert_eq!(plain(&server, &qna("")).status(), 200);
    assert_eq!(server.stop().code(), Some(0));
    for wire in &mut wires {
        assert_eq!(wire.rest().0, b"");
    }
}
