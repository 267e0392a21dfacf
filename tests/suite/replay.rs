//! `standin run --bundle` and `standin replay`.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::json;

use crate::harness::{Client, folder, program, raw, write};
use crate::run::Running;

/// Without generated words, so that this stays the same when a phrase bank changes.
const SCENARIO: &str = "standin: 1
include: [parts/keys.yaml]
businesses:
  - number: 100
    name: One
    locations:
      - number: 1001
        name: A
        reviews:
          - {id: '1', rating: 5, date: -1d, comments: The first.}
          - {id: '2', rating: 2, date: -400d, comments: The second.}
faults:
  - {name: busy, operation: reviews, chance: 40%, then: {error: 89, retry_after: 2s}}
  - {name: lost, operation: contact, per: request, hits: 1, then: {lost: reset}}
";
const KEYS: &str = "standin: 1\npart: true\nkeys: [{key: secret-key, name: all, rate_limit: 30 per 1m}]\n";
const FILES: [(&str, &str); 2] = [("a.yaml", SCENARIO), ("parts/keys.yaml", KEYS)];

/// A run whose command uses everything that changes an answer.
fn record(cwd: &Path, arguments: &[&str], bundle: &Path) {
    let bundle = bundle.to_str().unwrap();
    let own = [
        "--fault",
        "extra={operation: qna, hits: 1, then: {error: 500}}",
        "--score",
        "warn",
        "--bundle",
        bundle,
    ];
    let running = Running::start(cwd, &[arguments, &own].concat());
    let client = running.client();
    for count in 1..20 {
        client.reviews(100).query("count", &count.to_string()).send();
    }
    let contact = json!({"email": "ann@b.test", "firstName": "Ann", "businessIds": [1001]}).to_string();
    let key = &running.env["STANDIN_API_KEY"];
    for _ in 0..2 {
        let head = "POST /v1/contact/external/preferences/saveCustomer HTTP/1.1\r\nhost: x\r\nx-business-number: 100";
        let length = contact.len();
        let request = format!(
            "{head}\r\nx-api-key: {key}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{contact}"
        );
        raw(&running.env["STANDIN_BASE_URL"], request.as_bytes());
    }
    change(&running, "POST", "/worlds/default/clock", &json!({"advance": "61s"}));
    change(
        &running,
        "POST",
        "/worlds/default/reviews",
        &json!({"businessId": 1001, "rating": 1, "comments": "Arrived."}),
    );
    change(
        &running,
        "PUT",
        "/worlds/default/faults/put",
        &json!({"operation": "reviews", "hits": 2, "then": {"error": 1161}}),
    );
    for count in 1..5 {
        client.reviews(100).query("count", &count.to_string()).send();
        client.qna(100).query("n", &count.to_string()).send();
    }
    let (code, errors) = running.end();
    assert_eq!(code, 0, "{errors}");
}

fn change(running: &Running, method: &str, path: &str, body: &serde_json::Value) {
    let answer = Client::of(&running.env["STANDIN_ADMIN_URL"]).call(method, path).json(body).send();
    assert!((200..300).contains(&answer.status), "{path}: {}", answer.text());
}

fn replay(cwd: &Path, arguments: &[&str]) -> Output {
    program().current_dir(cwd).arg("replay").args(arguments).output().unwrap()
}

#[track_caller]
fn ends(output: &Output, code: i32, about: &[&str]) {
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{text}");
    for about in about {
        assert!(text.contains(about), "{about}\n{text}");
    }
}

#[test]
fn a_run_is_replayed_from_its_bundle_alone() {
    let dir = folder(&FILES);
    let bundle = dir.path().join("run.standin");
    record(dir.path(), &["a.yaml"], &bundle);
    let elsewhere = folder(&[]);
    let bundle = bundle.to_str().unwrap();
    std::fs::remove_dir_all(dir.path().join("parts")).unwrap();
    ends(
        &replay(elsewhere.path(), &[bundle]),
        0,
        &["scenario a,", "29 calls, 3 actions", "29 calls: all answers are as in the run"],
    );
    let bytes = std::fs::read(bundle).unwrap();
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0, "nothing is written");
    assert_eq!(std::fs::read(bundle).unwrap(), bytes);
}

#[test]
fn a_scenario_of_the_program_on_another_day_is_replayed() {
    let dir = folder(&[]);
    let bundle = dir.path().join("run.standin");
    record(dir.path(), &["rate-limited", "--now", "2024-02-29T23:59:58Z"], &bundle);
    ends(
        &replay(dir.path(), &["run.standin"]),
        0,
        &["loaded at 2024-02-29T23:59:58Z", "all answers are as in the run"],
    );
}

#[test]
fn a_run_with_a_key_of_its_own_and_another_seed_is_replayed() {
    let revoked = KEYS.replace("rate_limit: 30 per 1m", "revoked: true");
    let dir = folder(&[("a.yaml", SCENARIO), ("parts/keys.yaml", &revoked)]);
    record(dir.path(), &["a.yaml", "--seed", "7", "--freeze"], &dir.path().join("run.standin"));
    ends(&replay(dir.path(), &["run.standin"]), 0, &["seed 7,", "29 calls: all answers are as in the run"]);
}

#[test]
fn another_scenario_gives_the_first_difference_or_all_of_them() {
    let dir = folder(&FILES);
    record(dir.path(), &["a.yaml"], &dir.path().join("run.standin"));
    write(dir.path(), "b.yaml", &SCENARIO.replace("The first.", "Another text."));
    ends(
        &replay(dir.path(), &["run.standin", "--scenario", "a.yaml"]),
        0,
        &["all answers are as in the run"],
    );
    let output = replay(dir.path(), &["run.standin", "--scenario", "b.yaml"]);
    ends(
        &output,
        1,
        &[
            "body /0/comments (reviewId 1)\n    expected \"The first.\"\n    received \"Another text.\"\n",
            "the scenario changed at a.yaml:10, now b.yaml:10\n",
            "1 answer of ",
            "--all goes on",
        ],
    );
    let output = replay(dir.path(), &["run.standin", "--scenario", "b.yaml", "--all"]);
    ends(&output, 1, &["answers of 29 differ"]);
    write(dir.path(), "broken.yaml", "standin: 1\nbusineses: []\n");
    let output = replay(dir.path(), &["run.standin", "--scenario", "broken.yaml"]);
    ends(
        &output,
        3,
        &["run.standin cannot be replayed: its scenario has errors", "did you mean `businesses`"],
    );
    ends(&replay(dir.path(), &["run.standin", "--scenario", "none.yaml"]), 3, &["there is no file"]);
    ends(&replay(dir.path(), &["run.standin", "--scenario", "parts"]), 3, &["parts is a folder"]);
}

#[test]
fn what_is_no_bundle_is_refused_with_one_line_and_code_3() {
    let dir = folder(&[("text.standin", "standin: 1\n")]);
    for (file, why) in [
        ("none.standin", "there is no such file"),
        ("text.standin", "it is no whole zip file"),
        (".", "it is not a regular file"),
    ] {
        let output = replay(dir.path(), &[file]);
        ends(&output, 3, &[&format!("standin: {file} cannot be replayed: {why}")]);
        assert_eq!(
            (String::from_utf8_lossy(&output.stderr).matches('\n').count(), output.stdout.len()),
            (1, 0)
        );
    }
    ends(&replay(dir.path(), &[]), 2, &["Usage"]);
}

#[test]
fn a_bundle_that_cannot_be_written_is_told_before_the_command_runs() {
    let dir = folder(&FILES);
    let arguments =
        ["run", "a.yaml", "--bundle", "no/such/folder/run.standin", "--", "sh", "-c", "touch ran"];
    let output = program().current_dir(dir.path()).args(arguments).output().unwrap();
    ends(&output, 3, &["cannot write no/such/folder/run.standin"]);
    assert!(!dir.path().join("ran").exists());
}

/// A bundle that an earlier build has written. `UPDATE=1 cargo test an_earlier_build` writes it anew, which is right only if
/// answers were meant to change.
#[test]
fn a_bundle_of_an_earlier_build_is_replayed_without_a_difference() {
    let bundle = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/bundles/run.standin");
    if std::env::var_os("UPDATE").is_some() {
        let dir = folder(&FILES);
        record(dir.path(), &["a.yaml", "--now", "2026-06-30T17:00:00Z"], &bundle);
    }
    let output = replay(Path::new("/"), &[bundle.to_str().unwrap()]);
    ends(&output, 0, &["written by standin 0.1.", "29 calls: all answers are as in the run"]);
}
