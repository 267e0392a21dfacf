//! `standin health`, what health answers, and the time between SIGTERM and the stop.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};
use std::thread;

use crate::harness::{Server, folder, program, wait_until};
use crate::stage::API;

fn health(arguments: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String) {
    let output: Output =
        program().arg("health").args(arguments).envs(environment.iter().copied()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap().trim_end().to_owned())
}

#[test]
fn health_ends_with_0_when_a_server_is_ready_and_with_1_and_one_line_when_it_is_not() {
    let server = Server::of(&[("api.yaml", API)], &["--grace", "0"]);
    assert_eq!(health(&[&server.base], &[]), (Some(0), "ok".to_owned()));
    assert_eq!(health(&[&format!("{}/w/api/", server.base)], &[]), (Some(0), "ok".to_owned()));
    let port = server.base.rsplit(':').next().unwrap().to_owned();
    assert_eq!(health(&[], &[("STANDIN_PORT", &port)]), (Some(0), "ok".to_owned()));
    drop(server);
    let (code, text) = health(&[], &[("STANDIN_PORT", &port), ("STANDIN_HOST", "0.0.0.0")]);
    assert!(code == Some(1) && text.lines().count() == 1 && text.contains("cannot connect"), "{text}");
}

#[test]
fn a_variable_that_is_wrong_is_named_and_not_the_flag_that_nobody_wrote() {
    for value in ["abc", "tcp://10.0.0.1:80"] {
        let (code, text) = health(&[], &[("STANDIN_PORT", value)]);
        assert_eq!(code, Some(2));
        assert!(
            text.contains("the variable STANDIN_PORT") && text.contains("a number from 0 to 65535"),
            "{text}"
        );
        assert!(text.contains(value) && text.lines().count() == 1, "{text}");
    }
    let (code, text) = health(&[], &[("STANDIN_LOG", "xml")]);
    assert!(
        code == Some(2) && text.contains("STANDIN_LOG") && text.contains("allowed are text, json"),
        "{text}"
    );
    let output = program().args(["serve", "--port", "abc"]).env("STANDIN_PORT", "abc").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && text.contains("'--port <PORT>'"), "{text}");
}

#[test]
fn a_server_with_a_broken_scenario_is_ready() {
    let server = Server::of(&[("api.yaml", API), ("bad.yaml", "standin: 1\nnonsense: 1\n")], &[]);
    assert_eq!(health(&[&server.base], &[]), (Some(0), "degraded".to_owned()));
}

#[test]
fn health_ends_with_2_for_a_bad_url_and_with_1_for_another_server() {
    for url in ["", "localhost:8080", "https://127.0.0.1", "http://127.0.0.1:99999"] {
        let (code, text) = health(&[url], &[]);
        assert!(code == Some(2) && text.lines().count() == 1, "{url}: {code:?} {text}");
    }
    assert_eq!(health(&[], &[("STANDIN_PORT", "0")]).0, Some(2));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let other = thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let _ = client.read(&mut [0; 1_000]);
        client.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").unwrap();
    });
    let (code, text) = health(&[&url], &[]);
    other.join().unwrap();
    assert!(code == Some(1) && text.contains("not as Standin does"), "{text}");
}

#[test]
fn health_is_answered_in_short_when_the_admin_side_is_off() {
    let server = Server::of(&[("api.yaml", API)], &["--host", "0.0.0.0"]);
    let base = server.base.replace("0.0.0.0", "127.0.0.1");
    assert_eq!(health(&[&base], &[]), (Some(0), "ok".to_owned()));
    let mut stream = TcpStream::connect(base.strip_prefix("http://").unwrap()).unwrap();
    stream
        .write_all(b"GET /__admin/health HTTP/1.1\r\nhost: elsewhere.test\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let body = answer.split("\r\n\r\n").nth(1).unwrap();
    assert_eq!(body, format!(r#"{{"status":"ok","version":"{}"}}"#, env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_server_that_drains_is_not_ready_and_still_answers_calls() {
    let server = Server::of(&[("api.yaml", API)], &["--drain", "1h"]);
    server.admin("GET", "health").send().ok();
    server.send_signal("-TERM");
    wait_until("it is not ready", || server.admin("GET", "health").send().status == 503);
    assert!(server.admin("GET", "health").send().text().starts_with(r#"{"status":"draining","#));
    let (code, text) = health(&[&server.base], &[]);
    assert!(code == Some(1) && text.ends_with("it is draining"), "{text}");
    let client = server.client().with_key("all");
    assert_eq!(client.reviews(100).send().status, 200);
    // A second signal ends it at once; one within a moment counts as the same.
    let address = server.base.strip_prefix("http://").unwrap();
    let pid = server.pid().to_string();
    wait_until("it has ended", || {
        let _ = Command::new("kill").args(["-TERM", &pid]).output();
        TcpStream::connect(address).is_err()
    });
    assert_eq!(server.wait().code(), Some(130));
}

#[test]
fn a_server_stops_when_it_has_drained_and_ctrl_c_does_not_drain() {
    let server = Server::of(&[("api.yaml", API)], &["--drain", "300ms"]);
    // It listens to signals when it answers.
    server.admin("GET", "health").send().ok();
    server.send_signal("-TERM");
    assert_eq!(server.wait().code(), Some(0));
    let server = Server::of(&[("api.yaml", API)], &["--drain", "1h"]);
    server.admin("GET", "health").send().ok();
    server.send_signal("-INT");
    assert_eq!(server.wait().code(), Some(0));
    let scenarios = folder(&[("api.yaml", API)]);
    let output =
        program().current_dir(scenarios.path()).args(["serve", "--drain", "2h", "."]).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && text.contains("at most 1h"), "{text}");
}
