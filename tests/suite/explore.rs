//! `standin explore`: what it finds in clients with one defect, and how it plans, repeats, accepts and goes on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{folder, program};

const SCENARIO: &str = "standin: 1
name: explored
seed: 7
keys: [{key: k-all, name: all}]
businesses:
  - number: 100
    name: One
    locations: [{number: 1001, name: A, reviews: [{generate: 3}], questions: [{generate: 5}]}]
";

/// The client, and whether it can be run here.
fn client() -> Option<PathBuf> {
    let is_there =
        Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("SKIPPED: python3 is not here");
    }
    is_there.then(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/client.py"))
}

fn scenario() -> TempDir {
    folder(&[("explored.yaml", SCENARIO)])
}

fn explore(cwd: &Path, flags: &[&str], command: &[&str]) -> Output {
    let mut program = program();
    program.current_dir(cwd).arg("explore").args(flags).args(["--json", "out.json", "explored.yaml", "--"]);
    program.args(command).output().unwrap()
}

fn report(cwd: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(cwd.join("out.json")).unwrap()).unwrap()
}

/// Explores a client with a defect, and returns the exit code and the report.
fn explored(cwd: &Path, flags: &[&str], arguments: &[&str]) -> Option<(i32, Value)> {
    let client = client()?;
    let command = [&["python3", client.to_str().unwrap()], arguments].concat();
    let output = explore(cwd, flags, &command);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(cwd.join("out.json").exists(), "{errors}");
    Some((output.status.code().unwrap(), report(cwd)))
}

fn list<'a>(report: &'a Value, name: &str) -> &'a [Value] {
    report[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// By what each finding was noticed, and in which group: `exit transient`, `no-retry-on-refusal lasting`.
fn kinds(report: &Value) -> Vec<String> {
    let mut kinds: Vec<String> = list(report, "findings")
        .iter()
        .map(|finding| {
            let kind = finding["rule"].as_str().or(finding["oracle"].as_str()).unwrap();
            format!("{kind} {}", finding["group"].as_str().unwrap())
        })
        .collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

#[track_caller]
fn finds(arguments: &[&str], wanted: &[&str]) {
    let dir = scenario();
    let Some((exit, report)) = explored(dir.path(), &["--jobs", "4"], arguments) else { return };
    assert_eq!(kinds(&report), wanted, "{:#}", report["findings"]);
    assert_eq!(exit, i32::from(!wanted.is_empty()));
    let made = &report["made"];
    let parts = ["baselines", "planned", "confirmations", "shrinking"];
    let sum: u64 = parts.iter().map(|part| made[part].as_u64().unwrap()).sum();
    assert_eq!(made["runs"], sum);
    assert_eq!(made["planned"], list(&report, "runs").len());
    for finding in list(&report, "findings") {
        assert_eq!(
            (&finding["confirmed"], &finding["flaky"]),
            (&Value::from(2), &Value::from(false)),
            "{finding:#}"
        );
    }
}

#[test]
fn a_proper_client_has_no_finding() {
    finds(&["none", "contact"], &[]);
}

#[test]
fn a_client_that_never_retries_is_found() {
    finds(&["no-retry", "contact"], &["exit transient"]);
}

#[test]
fn a_client_that_does_not_wait_as_asked_is_found() {
    finds(&["ignores-retry-after", "reviews"], &["retry-after transient"]);
}

#[test]
fn a_client_that_repeats_a_refused_call_is_found() {
    finds(&["retries-1161", "contact"], &["no-retry-on-refusal lasting"]);
}

#[test]
fn a_line_pasted_into_a_shell_repeats_its_finding() {
    let dir = scenario();
    let arguments = ["no-retry", "contact"];
    let Some((_, report)) = explored(dir.path(), &["--runs", "3", "--jobs", "2"], &arguments) else { return };
    let line = list(&report, "findings")[0]["line"].as_str().unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_standin")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    for _ in 0..3 {
        let output =
            Command::new("sh").current_dir(dir.path()).env("PATH", &path).args(["-c", line]).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn accepted_deviations_do_not_fail_and_a_new_one_does() {
    let dir = scenario();
    let flags = ["--runs", "4", "--write-accept", "accept.yaml"];
    let Some((exit, _)) = explored(dir.path(), &flags, &["no-retry", "reviews"]) else { return };
    assert_eq!(exit, 1);
    let accept = ["--runs", "4", "--accept", "accept.yaml"];
    let (exit, report) = explored(dir.path(), &accept, &["no-retry", "reviews"]).unwrap();
    assert_eq!((exit, report["verdict"].as_str()), (0, Some("pass")));
    assert!(list(&report, "findings").iter().all(|finding| finding["accepted"] == true));
    assert_eq!(list(&report, "runs")[0]["outcome"], "accepted");
    let (exit, _) = explored(dir.path(), &accept, &["no-retry", "qna"]).unwrap();
    assert_eq!(exit, 1);
}

#[test]
fn the_plan_is_what_is_run_and_what_is_cut_is_told() {
    let dir = scenario();
    let Some((exit, plan)) = explored(dir.path(), &["--plan"], &["none", "reviews"]) else { return };
    assert_eq!(exit, 0);
    let runs = list(&plan, "runs");
    assert!(runs.iter().all(|run| run["outcome"] == "planned"));
    assert_eq!(plan["made"]["runs"], 2);
    let (_, report) = explored(dir.path(), &["--runs", "2"], &["none", "reviews"]).unwrap();
    let ran = list(&report, "runs").iter().filter(|run| run["phase"] == "plan");
    let names: Vec<&Value> = ran.map(|run| &run["run"]).collect();
    assert_eq!(names, runs.iter().map(|run| &run["run"]).collect::<Vec<_>>());
    assert_eq!((&report["plan"]["runs"], &report["made"]["planned"]), (&Value::from(2), &Value::from(2)));
    assert_eq!(report["plan"]["cut"], list(&report, "runs").len() - 2);
}

#[test]
fn random_values_are_masked_and_every_fault_strikes() {
    let dir = scenario();
    let Some((exit, report)) = explored(dir.path(), &["--runs", "4"], &["random", "contact"]) else { return };
    assert_eq!(exit, 0, "{report:#}");
    let masked: Vec<&str> =
        list(&report, "masked").iter().map(|mask| mask["where"].as_str().unwrap()).collect();
    assert_eq!(masked, ["body /customFields/0/fieldValue", "body /externalId"]);
}

#[test]
fn a_command_that_fails_or_makes_no_call_is_not_explored() {
    let dir = scenario();
    for (command, about) in [("exit 3", "it ended with 3"), ("exit 0", "no calls")] {
        let output = explore(dir.path(), &[], &["sh", "-c", command]);
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(about) && text.trim_end().lines().count() == 1, "{text}");
        assert_eq!(report(dir.path())["verdict"], "error");
    }
}

#[test]
fn a_client_that_makes_other_calls_each_time_is_not_deterministic() {
    let dir = scenario();
    let Some(client) = client() else { return };
    let script = format!(
        "if [ -e was ]; then rm was; else touch was; set -- contact; fi; python3 '{}' none reviews $1",
        client.display()
    );
    let output = explore(dir.path(), &[], &["sh", "-c", &script]);
    assert_eq!(output.status.code(), Some(1));
    let report = report(dir.path());
    assert_eq!(report["verdict"], "not deterministic");
    assert!(list(&report, "differs").iter().all(|call| call["operation"] == "contact"), "{report:#}");
    assert!(list(&report, "runs").is_empty() && !list(&report, "differs").is_empty());
}

#[test]
fn a_fault_that_does_not_strike_is_an_error() {
    let dir = scenario();
    let Some(client) = client() else { return };
    // The third run and those after it leave a call out.
    let script = format!(
        "echo x >>runs; [ $(wc -l <runs) -gt 2 ] && touch skip; python3 '{}' skips reviews contact",
        client.display()
    );
    let output = explore(dir.path(), &["--runs", "2"], &["sh", "-c", &script]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    let report = report(dir.path());
    assert!(list(&report, "runs").iter().any(|run| run["outcome"] == "error"), "{report:#}");
}

#[test]
fn an_exploration_goes_on_from_its_file_and_refuses_that_of_another_command() {
    let dir = scenario();
    let flags = ["--runs", "2", "--resume", "kept"];
    let Some((exit, _)) = explored(dir.path(), &flags, &["none", "reviews"]) else { return };
    assert_eq!(exit, 0);
    let before = std::fs::read_to_string(dir.path().join("kept")).unwrap();
    let (exit, _) = explored(dir.path(), &flags, &["none", "reviews"]).unwrap();
    assert_eq!(exit, 0);
    // Nothing was run again.
    assert_eq!(std::fs::read_to_string(dir.path().join("kept")).unwrap().trim_end(), before.trim_end());
    let output = explore(dir.path(), &flags, &["true"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("it belongs to another command"));
}

#[test]
fn reports_equal_but_for_times_whatever_the_number_of_jobs() {
    let dir = scenario();
    let without_times = |mut report: Value| {
        for part in ["baselines", "runs"] {
            for run in report[part].as_array_mut().unwrap() {
                run.as_object_mut().unwrap().remove("durationMs");
            }
        }
        report
    };
    let Some((_, one)) = explored(dir.path(), &["--runs", "4"], &["no-retry", "reviews"]) else { return };
    let (_, eight) = explored(dir.path(), &["--runs", "4", "--jobs", "8"], &["no-retry", "reviews"]).unwrap();
    assert_eq!(without_times(one), without_times(eight));
}
