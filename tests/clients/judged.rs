use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use serde_json::Value;

/// What `standin run` came to.
#[derive(Debug)]
pub struct Judged {
    pub exit: i32,
    pub report: Value,
    pub stdout: String,
    pub stderr: String,
}

/// A rule of the report.
#[derive(Debug)]
pub struct Rule {
    pub id: String,
    pub verdict: String,
    /// What its findings say.
    pub messages: Vec<String>,
    /// How many calls and deliveries its findings name.
    pub named: usize,
}

/// Runs a command against a scenario.
pub fn run(scenario: &str, flags: &[&str], command: &[String]) -> Judged {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let mut standin = Command::new(env!("CARGO_BIN_EXE_standin"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("STANDIN_") {
            standin.env_remove(name);
        }
    }
    // On GitHub, the report of a test is no annotation of the job.
    standin.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
    // What webhooks.yaml and webhook-faults sign with; unsigned deliveries would be refused.
    if scenario.contains("webhook") {
        standin.env("WEBHOOK_SECRET", "whsec_c3RhbmRpbi1zdGFuZGluLXN0YW5kaW4=");
    }
    standin.current_dir(env!("CARGO_MANIFEST_DIR")).args(["run", "--timeout", "300s", "--json"]);
    let output = standin.arg(&report).args(flags).args([scenario, "--"]).args(command).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = std::fs::read_to_string(&report).unwrap_or_default();
    Judged {
        exit: output.status.code().unwrap(),
        report: serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{scenario}: {error}: {text:?}: {stderr}")),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr,
    }
}

impl Judged {
    pub fn rules(&self) -> Vec<Rule> {
        let rules = self.report["rules"].as_array().unwrap();
        rules
            .iter()
            .map(|rule| {
                let findings = rule["findings"].as_array().unwrap();
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                let named = |finding: &Value, what: &str| finding[what].as_array().map_or(0, Vec::len);
                Rule {
                    id: text(&rule["id"]),
                    verdict: text(&rule["verdict"]),
                    messages: findings.iter().map(|finding| text(&finding["message"])).collect(),
                    named: findings
                        .iter()
                        .map(|finding| named(finding, "calls") + named(finding, "deliveries"))
                        .sum(),
                }
            })
            .collect()
    }

    /// The rules that have something against the client.
    pub fn against(&self) -> Vec<Rule> {
        self.rules().into_iter().filter(|rule| matches!(&*rule.verdict, "warn" | "fail")).collect()
    }

    pub fn passes(&self, id: &str) -> bool {
        self.rules().iter().any(|rule| rule.id == id && rule.verdict == "pass")
    }
}

/// Most runs at once of a test. They mostly wait.
const AT_ONCE: usize = 6;

/// Does all jobs, several at once, and panics with what is wrong with any of them.
pub fn all<T: Sync>(jobs: &[T], check: impl Fn(&T) -> Result<(), String> + Sync) {
    let (next, problems) = (Mutex::new(jobs.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(jobs.len()) {
            scope.spawn(|| {
                loop {
                    let Some(job) = next.lock().unwrap().next() else { break };
                    if let Err(problem) = check(job) {
                        problems.lock().unwrap().push(problem);
                    }
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// Most times that a check is made. What a client does depends on real time: on a busy machine, one that does not wait comes late,
/// and one that does is late for another reason.
const TIMES: usize = 3;

/// Makes a check until it succeeds, and says what was wrong each time.
pub fn tried(check: impl Fn() -> Result<(), String>) -> Result<(), String> {
    let mut problems = Vec::new();
    for _ in 0..TIMES {
        match check() {
            Ok(()) => return Ok(()),
            Err(problem) => problems.push(problem),
        }
    }
    Err(problems.join("\n\nand again: "))
}

/// A path of the project.
pub fn path(relative: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative).display().to_string()
}
