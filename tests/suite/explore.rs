//! `standin explore`: what it finds in clients with one defect, and how it plans, repeats, accepts and goes on.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{folder, program, wait_until};

const SCENARIO: &str = "standin: 1
name: explored
seed: 7
keys: [{key: k-all, name: all}]
businesses:
  - number: 100
    name: One
    locations: [{number: 1001, name: A, reviews: [{generate: 3}], questions: [{generate: 5}]}]
";

/// How the client is started, if Python is here.
fn client() -> Option<Vec<String>> {
    // Not by a wrapper that looks for the right version each time, and without what it does not need.
    let find = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let Some(python) = find.ok().filter(|output| output.status.success()) else {
        eprintln!("SKIPPED: python3 is not here");
        return None;
    };
    let python = String::from_utf8_lossy(&python.stdout).trim().to_owned();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/client.py");
    Some(vec![python, "-I".to_owned(), "-S".to_owned(), script.display().to_string()])
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
    let command = [client.iter().map(String::as_str).collect(), arguments.to_vec()].concat();
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

/// Most runs of an exploration side by side. They mostly wait.
const JOBS: [&str; 2] = ["--jobs", "4"];

/// Explores a client, and compares what is found. Returns what is wrong.
fn finds(arguments: &[&str], wanted: &[&str]) -> Result<(), String> {
    let dir = scenario();
    let Some((exit, report)) = explored(dir.path(), &JOBS, arguments) else { return Ok(()) };
    let errors: Vec<&Value> = list(&report, "runs").iter().filter(|run| run["outcome"] == "error").collect();
    let unconfirmed = |finding: &&Value| finding["confirmed"] != 2 || finding["flaky"] != false;
    if kinds(&report) != wanted
        || !errors.is_empty()
        || exit != i32::from(!wanted.is_empty())
        || list(&report, "findings").iter().any(|finding| unconfirmed(&finding))
    {
        return Err(format!("{arguments:?}: exit {exit}, {errors:#?}, {:#}", report["findings"]));
    }
    let made = &report["made"];
    let parts = ["baselines", "planned", "confirmations", "shrinking"];
    let sum: u64 = parts.iter().map(|part| made[part].as_u64().unwrap()).sum();
    assert_eq!(made["runs"], sum);
    assert_eq!(made["planned"], list(&report, "runs").len());
    Ok(())
}

/// Clients, and what is found in each: the one thing that it does wrong.
const CLIENTS: [(&[&str], &[&str]); 12] = [
    (&["no-timeout", "reviews"], &["hang lasting"]),
    (&["none", "qna"], &[]),
    // One that goes on with something else when it does not get what it wants.
    (&["none", "fallback"], &[]),
    (&["none", "greet"], &[]),
    (&["no-retry", "contact"], &["exit transient"]),
    (&["ignores-retry-after", "reviews"], &["retry-after transient"]),
    (&["retries-1161", "contact"], &["no-retry-on-refusal lasting"]),
    // It repeats one whose answer it cannot read, too.
    (&["repeats-lost-subscription", "subscribe"], &["lost-subscription lost", "state shape"]),
    (&["loops-on-empty", "qna"], &["storm shape"]),
    (&["swallows-malformed", "qna"], &["notices-broken-body shape"]),
    (&["loses-page", "qna"], &["pages-whole lasting", "pages-whole transient"]),
    (&["greets-otherwise", "greet"], &["state transient"]),
];

#[test]
fn what_a_client_does_wrong_is_found_and_nothing_else() {
    // Clients wait in real time. Where a busy machine has spoilt that, they are tried again, one at a time.
    let failed = Mutex::new(Vec::new());
    at_once(4, &CLIENTS, |(arguments, wanted)| {
        if let Err(problem) = finds(arguments, wanted) {
            failed.lock().unwrap().push((*arguments, *wanted, problem));
        }
    });
    for (arguments, wanted, first) in failed.into_inner().unwrap() {
        if let Err(problem) = finds(arguments, wanted) {
            panic!("{first}\nand alone: {problem}");
        }
    }
}

/// Does something with each of some things, so many at once.
fn at_once<T: Sync>(threads: usize, all: &[T], job: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    job(one);
                }
            });
        }
    });
}

/// No run has all the faults of another one that failed.
#[track_caller]
fn has_no_superset_of_what_failed(report: &Value) {
    let points = |run: &Value| list(run, "points").iter().map(Value::to_string).collect::<Vec<_>>();
    let runs = list(report, "runs");
    let failing = runs.iter().filter(|run| run["outcome"] == "finding").map(points);
    for failed in failing.collect::<Vec<_>>() {
        let larger = runs
            .iter()
            .map(points)
            .find(|points| points.len() > failed.len() && failed.iter().all(|point| points.contains(point)));
        assert_eq!(larger, None);
    }
}

#[test]
fn a_fallback_that_breaks_is_found_and_no_failing_fault_is_tried_with_another() {
    let dir = scenario();
    let Some((exit, report)) = explored(dir.path(), &JOBS, &["breaks-in-fallback", "fallback"]) else {
        return;
    };
    assert_eq!(exit, 1);
    let is_pair = |finding: &&Value| list(finding, "points").len() == 2 && finding["oracle"] == "state";
    assert!(list(&report, "findings").iter().any(|finding| is_pair(&finding)), "{:#}", report["findings"]);
    has_no_superset_of_what_failed(&report);
}

#[test]
fn what_only_two_faults_together_break_is_found_by_a_pair() {
    let dir = scenario();
    let Some((exit, report)) = explored(dir.path(), &JOBS, &["breaks-without-both", "two"]) else { return };
    assert_eq!((exit, kinds(&report)), (1, vec!["state lasting".to_owned()]), "{:#}", report["findings"]);
    let [finding] = list(&report, "findings") else { panic!("{:#}", report["findings"]) };
    let classes: Vec<&Value> = list(finding, "points").iter().map(|point| &point["class"]).collect();
    assert_eq!(classes, ["qna-1", "reviews-1"]);
    let run = list(&report, "runs").iter().find(|run| run["run"] == finding["runs"][0]).unwrap();
    assert_eq!(run["phase"], "pair");
    has_no_superset_of_what_failed(&report);
}

/// How often a line is pasted. All ten of ten pastes failed when this was tried at length.
const TIMES: usize = 3;

/// Pastes a line into a shell some times, and returns the exit codes. What only waits is pasted all at once.
fn pasted(dir: &Path, line: &str, only_waits: bool) -> Vec<Option<i32>> {
    let bin = Path::new(env!("CARGO_BIN_EXE_standin")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let codes = Mutex::new(Vec::new());
    at_once(if only_waits { TIMES } else { 2 }, &[(); TIMES], |()| {
        let mut shell = Command::new("sh");
        shell.current_dir(dir).env("PATH", &path).env_remove("GITHUB_ACTIONS").args(["-c", line]);
        let status = shell.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        codes.lock().unwrap().push(status.code());
    });
    codes.into_inner().unwrap()
}

/// Clients whose findings are of each kind, and the number of runs that show it.
const KINDS: [(&[&str], &str, &str); 6] = [
    (&["no-timeout", "reviews"], "11", "hang"),
    (&["no-retry", "contact"], "3", "exit"),
    (&["loops-on-empty", "qna"], "16", "storm"),
    (&["swallows-malformed", "qna"], "12", "rule"),
    (&["repeats-lost-subscription", "subscribe"], "13", "state"),
    (&["greets-otherwise", "greet"], "2", "state"),
];

#[test]
fn the_line_of_each_kind_of_finding_fails_every_time_that_it_is_pasted() {
    at_once(2, &KINDS, |(arguments, runs, kind)| {
        let dir = scenario();
        let flags = [&["--runs", runs], &JOBS[..]].concat();
        // A machine that is so busy that a baseline has retries has other runs.
        let explored = (0..3).map_while(|_| Some(explored(dir.path(), &flags, arguments)?.1));
        let line = |report: Value| {
            let finding = list(&report, "findings").iter().find(|finding| finding["oracle"] == *kind)?;
            Some(finding["line"].as_str()?.to_owned())
        };
        let Some(line) = explored.map(line).find(Option::is_some) else {
            assert!(client().is_none(), "{arguments:?} has no such finding");
            return;
        };
        let line = &line.unwrap();
        // 124 where `--timeout` of the line ended it. 2 and 3 would mean that the line itself is wrong.
        let codes = pasted(dir.path(), line, *kind == "hang");
        assert!(codes.iter().all(|code| matches!(code, Some(1 | 124))), "{codes:?}: {line}");
    });
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
fn when_the_budget_is_over_the_rest_is_cut_and_that_is_no_failure() {
    let dir = scenario();
    let Some((exit, report)) = explored(dir.path(), &["--budget", "1ms"], &["none", "reviews"]) else {
        return;
    };
    assert_eq!((exit, report["verdict"].as_str()), (0, Some("pass")));
    let runs = list(&report, "runs");
    assert!(!runs.is_empty() && runs.iter().all(|run| run["outcome"] == "cut"));
    assert_eq!(
        (&report["plan"]["runs"], &report["plan"]["cut"]),
        (&Value::from(0), &Value::from(runs.len()))
    );
    assert_eq!(report["made"]["runs"], 2);
}

#[test]
fn random_values_and_the_time_of_day_are_masked_and_every_fault_strikes() {
    let masked = |flags: &[&str], client: &str| {
        let dir = scenario();
        let (exit, report) = explored(dir.path(), &[&["--runs", "4"], flags].concat(), &[client, "contact"])?;
        assert_eq!((exit, list(&report, "baselines").len()), (0, 3), "{report:#}");
        let places = list(&report, "masked").iter().map(|mask| mask["where"].as_str().unwrap().to_owned());
        Some(places.collect::<Vec<_>>())
    };
    let Some(random) = masked(&[], "random") else { return };
    assert_eq!(random, ["body /customFields/0/fieldValue", "body /externalId"]);
    // Side by side, both baselines may fall into the same second.
    assert_eq!(masked(&["--jobs", "4"], "random").unwrap(), random);
    assert_eq!(masked(&["--jobs", "4"], "timed").unwrap(), ["body /customFields/0/fieldValue"]);
    assert_eq!(masked(&[], "timed").unwrap(), ["body /customFields/0/fieldValue"]);
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
        "if [ -e was ]; then rm was; else touch was; set -- contact; fi; {} none reviews $1",
        client.join(" ")
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
        "echo x >>runs; [ $(wc -l <runs) -gt 2 ] && touch skip; {} skips contact reviews",
        client.join(" ")
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

/// Explores with a file to go on from, until some runs are made. Returns it and what its processes have in the environment.
#[cfg(target_os = "linux")]
fn half_explored(dir: &Path, name: &str, command: &[String]) -> (std::process::Child, String) {
    let marker = format!("explore-{name}-{}", std::process::id());
    let mut program = program();
    program.current_dir(dir).env("LEFTOVERS", &marker);
    program.args(["explore", "--resume", "kept", "--json", "out.json", "explored.yaml", "--"]).args(command);
    let child = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let kept = || std::fs::read_to_string(dir.join("kept")).unwrap_or_default().lines().count();
    wait_until("some runs are made", || kept() > 3);
    (child, marker)
}

#[test]
#[cfg(target_os = "linux")]
fn an_exploration_that_is_killed_leaves_no_process_and_goes_on_where_it_was() {
    use crate::run_leftovers::{left, signal};
    let Some(client) = client() else { return };
    let command = [client, ["none", "reviews"].map(str::to_owned).into()].concat();
    for (name, code) in [("-KILL", None), ("-TERM", Some(143))] {
        let dir = scenario();
        let (mut child, marker) = half_explored(dir.path(), name, &command);
        signal(name, &child.id());
        assert_eq!(child.wait().unwrap().code(), code);
        wait_until("nothing is left", || left(&marker).is_empty());
        if name == "-TERM" {
            assert_eq!(report(dir.path())["verdict"], "interrupted");
        }
        let kept =
            || std::fs::read_to_string(dir.path().join("kept")).unwrap().matches("{\"result\"").count();
        let before = kept();
        let (exit, report) =
            explored(dir.path(), &["--resume", "kept", "--jobs", "4"], &["none", "reviews"]).unwrap();
        assert_eq!((exit, report["verdict"].as_str()), (0, Some("pass")), "{report:#}");
        assert!(before >= 3, "{before}");
        assert_eq!(kept(), list(&report, "runs").len(), "no run is made twice");
    }
}

#[test]
fn reports_equal_but_for_times_whatever_the_number_of_jobs() {
    let without_times = |mut report: Value| {
        for part in ["baselines", "runs"] {
            for run in report[part].as_array_mut().unwrap() {
                run.as_object_mut().unwrap().remove("durationMs");
            }
        }
        report
    };
    // The whole plan, with findings of several kinds.
    let explored = |jobs| explored(scenario().path(), &["--jobs", jobs], &["no-retry", "contact"]);
    let (one, eight) = thread::scope(|scope| {
        let one = scope.spawn(|| explored("1"));
        let eight = explored("8");
        (one.join().unwrap(), eight)
    });
    let (Some((_, one)), Some((_, eight))) = (one, eight) else { return };
    assert!(list(&one, "runs").len() > 15 && !list(&one, "findings").is_empty());
    assert_eq!(without_times(one), without_times(eight));
}
