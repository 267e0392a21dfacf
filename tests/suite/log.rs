//! The log on standard output: a reader that stalls costs log lines, never answers.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Client, folder, program, wait_until};

const SCENARIO: &str = "standin: 1\nbusinesses: [{number: 1, name: One}]\n";

/// The program, whose standard output only the test reads.
struct Unread {
    child: Child,
    output: BufReader<ChildStdout>,
    base: String,
    _folder: TempDir,
}

impl Drop for Unread {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Unread {
    /// Starts it and reads the first line of its log, but no more.
    fn start() -> Self {
        let dir = folder(&[("a.yaml", SCENARIO)]);
        let mut child = program()
            .current_dir(dir.path())
            .args(["a.yaml", "--port", "0", "--log", "json", "--workers", "1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let listening: Value = serde_json::from_str(&line).unwrap();
        Self { child, output, base: listening["baseUrl"].as_str().unwrap().to_owned(), _folder: dir }
    }

    fn stop(mut self) -> String {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let mut status = None;
        wait_until("the program has ended", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        assert_eq!(status.and_then(|status| status.code()), Some(0));
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        rest
    }
}

#[test]
fn diagnostics_on_standard_error_that_nobody_reads_do_not_delay_the_start() {
    let unknown: Vec<String> = (0..100).map(|number| format!("unknown-key-{number}: 1\n")).collect();
    let broken = format!("standin: 1\n{}", unknown.concat());
    let files = [
        ("a.yaml", SCENARIO),
        ("b.yaml", &broken),
        ("c.yaml", &broken),
        ("d.yaml", &broken),
        ("e.yaml", &broken),
    ];
    let dir = folder(&files);
    let mut child = program()
        .current_dir(dir.path())
        .args([".", "--port", "0", "--log", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(output.lines().next()));
    let line = lines.recv_timeout(Duration::from_secs(10)).expect("it starts").unwrap().unwrap();
    assert!(line.contains("listening"), "{line}");
    let mut diagnostics = child.stderr.take().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let mut text = Vec::new();
    diagnostics.read_to_end(&mut text).unwrap();
    assert!(!String::from_utf8(text).unwrap().contains("e.yaml"), "the pipe was full");
}

/// Makes requests whose log lines fill the pipe (64 KiB) and the queue (2 MiB) until lines are dropped.
fn fill(client: &Client) {
    let path = format!("/{}", "long-path".repeat(800));
    for _ in 0..400 {
        assert_eq!(client.call("POST", &path).send().status, 404);
    }
}

/// The number of dropped lines in the metrics.
fn dropped(client: &Client) -> u64 {
    let metrics = client.call("GET", "/metrics").send().text();
    let line = metrics.lines().find_map(|line| line.strip_prefix("standin_log_lines_dropped_total "));
    line.unwrap().parse().unwrap()
}

#[test]
fn a_full_pipe_that_nobody_reads_stops_no_request_and_the_dropped_lines_are_reported() {
    let mut server = Unread::start();
    let client = Client::of(&server.base);
    fill(&client);
    let count = dropped(&client);
    assert!(count > 0);
    let (mut logged, mut reported) = (0, None);
    while reported.is_none() {
        let mut line = String::new();
        server.output.read_line(&mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        match line["event"].as_str() {
            Some("request") => logged += 1,
            Some("dropped") => reported = line["lines"].as_u64(),
            _ => panic!("{line}"),
        }
    }
    // The request for the metrics came after them.
    assert_eq!((logged + count, reported), (400, Some(count + 1)));
    assert_eq!(client.call("POST", "/later").send().status, 404);
    let rest = server.stop();
    assert!(rest.lines().all(|line| line.contains("/later") || line.contains("/metrics")), "{rest}");
    assert!(rest.ends_with("}\n"), "{rest}");
}

#[test]
fn a_full_pipe_does_not_keep_the_program_from_ending_and_what_it_holds_are_whole_lines() {
    let server = Unread::start();
    let client = Client::of(&server.base);
    for number in 0..1000 {
        assert_eq!(client.call("POST", &format!("/{number}")).send().status, 404);
    }
    let rest = server.stop();
    assert!(rest.lines().count() < 1000, "the pipe was full");
    for line in rest.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
    }
}
