//! `standin run`: the verdict on the client, what it does to the exit code, and the files that are written.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{folder, program};
use crate::run::Running;

const SCENARIO: &str = "standin: 1
name: judged
seed: 7
keys: [{key: k, name: demo}]
businesses:
  - {number: 100, name: One, locations: [{number: 1001, name: A, reviews: [{generate: 30}]}]}
faults:
  - {name: busy, operation: reviews, per: request, hits: 1, then: {error: 89, retry_after: 30s}}
expect:
  - {name: reads reviews, requests: {operation: reviews}, count: 1-}
";

fn judged() -> TempDir {
    folder(&[("judged.yaml", SCENARIO)])
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A client that repeats an 89 at once.
fn hasty(dir: &Path, arguments: &[&str]) -> Running {
    let run = Running::start(dir, &[&["judged.yaml"], arguments].concat());
    for _ in 0..2 {
        run.client().reviews(100).send();
    }
    run
}

#[test]
fn a_client_that_breaks_a_rule_fails_the_run_and_is_told_which_call_it_was() {
    let dir = judged();
    let (code, text) = hasty(dir.path(), &[]).end();
    assert_eq!(code, 1, "{text}");
    assert!(text.starts_with("fail: 2 calls; 0 of 1 expectation failed; "), "{text}");
    assert!(text.contains("(retry-after)\n      call 2 came "), "{text}");
    assert!(text.contains("after an 89 that asked for 30 s"), "{text}");
    assert!(text.contains("fault busy struck 1 time: 1 "), "{text}");
}

#[test]
fn score_says_what_the_scorecard_fails() {
    let dir = judged();
    assert_eq!(hasty(dir.path(), &["--score", "warn"]).end().0, 0);
    let twice = |score: &str| {
        let run = Running::start(
            dir.path(),
            &["judged.yaml", "--score", score, "--fault", "busy={enabled: false, then: {error: 89}}"],
        );
        // The same read twice is told, and fails nothing.
        for _ in 0..2 {
            run.client().reviews(100).send().ok();
        }
        run.end()
    };
    let (code, text) = twice("strict");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("warn: ") && text.contains("(same-read)"), "{text}");
}

#[test]
fn an_expectation_that_does_not_hold_fails_the_run() {
    let dir = judged();
    let run = |expectation: &str| {
        Running::start(dir.path(), &["judged.yaml", "--expect", expectation, "--score", "warn"])
    };
    let (code, text) = run("one contact={contacts: {email: ann@x.test}, count: 1}").end();
    assert_eq!(code, 1);
    assert!(text.contains("2 of 2 expectations failed") && text.contains("fail: one contact"), "{text}");
    let good = run("one contact={contacts: {email: ann@x.test}, count: 1}");
    good.client().contact(100).json(&json!({"email": "ann@x.test", "businessIds": [1001]})).send().ok();
    good.client().reviews(100).send();
    assert_eq!(good.end().0, 0);
    // One of the same name replaces the scenario's.
    let (code, text) = run("reads reviews={requests: {operation: qna}, count: 0}").end();
    assert_eq!(code, 1, "no calls at all");
    assert!(text.contains("0 of 1 expectation failed"), "{text}");
    let wrong = program()
        .current_dir(dir.path())
        .args(["run", "judged.yaml", "--expect", "x={contact: {}}", "--", "true"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&wrong.stderr);
    assert_eq!(wrong.status.code(), Some(2), "{errors}");
    assert!(errors.contains("--> --expect x:1:2") && errors.contains("did you mean `contacts`"), "{errors}");
}

#[test]
fn every_file_is_written_and_the_bundle_replays() {
    let dir = judged();
    let files = [
        "--junit",
        "o.xml",
        "--json",
        "o.json",
        "--html",
        "o.html",
        "--har",
        "o.har",
        "--bundle",
        "o.standin",
    ];
    let run = hasty(dir.path(), &files);
    let (code, _) = run.end();
    assert_eq!(code, 1);
    let report = json(&dir.path().join("o.json"));
    assert_eq!([&report["verdict"], &report["world"], &report["scenario"]], ["fail", "default", "judged"]);
    assert_eq!([&report["exit"], &report["command"]["exit"], &report["calls"]], [1, 0, 2]);
    assert_eq!(report["rules"][0]["id"], "retry-after");
    let har = json(&dir.path().join("o.har"));
    assert_eq!(har["log"]["entries"].as_array().unwrap().len(), 2);
    let text = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    assert!(text("o.xml").contains("<testcase") && text("o.xml").contains("retry-after"));
    assert!(text("o.html").starts_with("<!doctype html>") && !text("o.html").contains("<script"));
    let replay = |arguments: &[&str]| {
        program().current_dir(dir.path()).arg("replay").args(arguments).output().unwrap()
    };
    let same = replay(&["o.standin"]);
    assert!(same.status.success(), "{same:?}");
    let changed = SCENARIO.replace("error: 89, retry_after: 30s", "error: 1161");
    std::fs::write(dir.path().join("changed.yaml"), changed).unwrap();
    let other = replay(&["o.standin", "--scenario", "changed.yaml"]);
    let told = String::from_utf8_lossy(&other.stdout).into_owned() + &String::from_utf8_lossy(&other.stderr);
    assert_eq!(other.status.code(), Some(1), "{told}");
    assert!(told.contains("busy"), "{told}");
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_the_command_begins() {
    let dir = judged();
    let arguments = ["run", "judged.yaml", "--json", "nowhere/o.json", "--", "touch", "begun"];
    let output = program().current_dir(dir.path()).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write nowhere/o.json"));
    assert!(!dir.path().join("begun").exists());
}

#[test]
fn a_mistake_leaves_the_files_of_an_earlier_run_as_they_are() {
    let dir = judged();
    std::fs::write(dir.path().join("o.xml"), "earlier").unwrap();
    for wrong in [&["--key", "nobody"][..], &["--env", "A={{nothing}}"], &["--fault", "x={thn: {}}"]] {
        let arguments = [&["run", "judged.yaml", "--junit", "o.xml"], wrong, &["--", "true"]].concat();
        let output = program().current_dir(dir.path()).args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(std::fs::read_to_string(dir.path().join("o.xml")).unwrap(), "earlier");
    }
}

#[test]
fn on_github_the_summary_is_appended_and_failures_are_annotations() {
    let dir = judged();
    let summary = dir.path().join("summary.md");
    std::fs::write(&summary, "before\n").unwrap();
    let run = |command: &mut Command| {
        command.current_dir(dir.path()).args(["run", "judged.yaml", "--", "true"]).output().unwrap()
    };
    let output = run(program().env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("::error title=Standin%3A reads reviews::"), "{errors}");
    let text = std::fs::read_to_string(&summary).unwrap();
    assert!(text.starts_with("before\n## Standin: judged, fail\n"), "{text}");
    let elsewhere = run(program().env_remove("GITHUB_ACTIONS").env("GITHUB_STEP_SUMMARY", &summary));
    assert!(!String::from_utf8_lossy(&elsewhere.stderr).contains("::error"));
    assert_eq!(std::fs::read_to_string(&summary).unwrap(), text);
}
