//! `standin run`: what the command gets, how the run ends, and what the flags change.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Client, folder, program, wait_until};

const SMALL: &str = "standin: 1
keys:
  - {key: k-old, name: old, revoked: true}
  - {key: k-own, name: apart, world: own}
  - {key: k-2, name: second, accounts: [200]}
  - {key: k-all, name: all}
businesses:
  - {number: 50, name: Group, type: reseller}
  - {number: 100, name: One, locations: [{number: 1001, name: A, reviews: [{generate: 3}]}]}
  - {number: 200, name: Two, parent: 50, locations: [{number: 2001, name: B}]}
faults:
  - {name: first, hits: 1, then: {error: 89}}
  - {name: second, enabled: false, then: {error: 1161}}
";

/// `standin run` with those arguments.
fn run(cwd: &Path, arguments: &[&str]) -> Command {
    let mut command = program();
    command.current_dir(cwd).arg("run").args(arguments);
    command
}

fn output(cwd: &Path, arguments: &[&str]) -> Output {
    run(cwd, arguments).output().unwrap()
}

#[track_caller]
fn ends(output: &Output, code: i32, about: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert!(errors.contains(about), "{errors}");
}

/// A run whose command shows its environment and then reads its input.
pub struct Running {
    child: Child,
    input: Option<ChildStdin>,
    /// The variables of the command.
    pub env: BTreeMap<String, String>,
    _folder: TempDir,
}

impl Running {
    pub fn start(cwd: &Path, arguments: &[&str]) -> Self {
        let folder = folder(&[]);
        let (file, whole) = (folder.path().join("part"), folder.path().join("env"));
        let script = format!(
            "env >'{}'; mv '{}' '{}'; cat >/dev/null",
            file.display(),
            file.display(),
            whole.display()
        );
        let mut child = run(cwd, arguments)
            .args(["--", "sh", "-c", &script])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_until("the command runs", || whole.exists() || child.try_wait().unwrap().is_some());
        let mut running = Self { input: child.stdin.take(), child, env: BTreeMap::new(), _folder: folder };
        let Ok(text) = std::fs::read_to_string(&whole) else {
            let output = running.child.wait_with_output().unwrap();
            panic!("it ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
        };
        let lines = text.lines().filter_map(|line| line.split_once('='));
        running.env = lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        running
    }

    /// A client with what the command got.
    pub fn client(&self) -> Client {
        Client::of(&self.env["STANDIN_BASE_URL"]).with_key(&self.env["STANDIN_API_KEY"])
    }

    pub fn admin(&self, path: &str) -> Value {
        Client::of(&self.env["STANDIN_ADMIN_URL"]).call("GET", path).send().ok()
    }

    /// Lets the command end, and returns the exit code and what was said.
    pub fn end(mut self) -> (i32, String) {
        drop(self.input.take());
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap().code().unwrap(), errors)
    }
}

fn env(running: &Running, name: &str) -> String {
    running.env.get(name).cloned().unwrap_or_else(|| panic!("there is no {name}"))
}

#[test]
fn the_exit_code_is_that_of_the_command_as_a_shell_has_it() {
    let dir = folder(&[("small.yaml", SMALL)]);
    let code = |command: &[&str]| {
        let arguments = [&["--allow-no-calls", "small.yaml", "--"], command].concat();
        let output = output(dir.path(), &arguments);
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(code(&["true"]).0, 0);
    let (exit, report) = code(&["sh", "-c", "exit 3"]);
    assert_eq!(exit, 3);
    assert!(report.starts_with("fail: 0 calls; the command ended with 3; "), "{report}");
    assert_eq!(code(&["sh", "-c", "kill -TERM $$"]).0, 128 + 15);
    assert_eq!(code(&["sh", "-c", "kill -KILL $$"]).0, 128 + 9);
    assert_eq!(code(&["sh", "-c", "kill -SEGV $$"]).0, 128 + 11);
    let (missing, why) = code(&["no-such-program"]);
    assert_eq!((missing, why.lines().count()), (127, 1), "{why}");
    assert!(why.contains("cannot run no-such-program"), "{why}");
    assert_eq!(code(&["./small.yaml"]).0, 126);
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_code_124() {
    let dir = folder(&[("small.yaml", SMALL)]);
    let output = output(dir.path(), &["small.yaml", "--timeout", "50ms", "--", "sleep", "1000"]);
    ends(&output, 124, "the command was still running after 50ms (--timeout), and was ended");
}

#[test]
fn input_and_output_are_those_of_the_command_and_standin_speaks_after_it() {
    let dir = folder(&[("small.yaml", SMALL)]);
    let arguments = ["small.yaml", "--", "sh", "-c", "echo to-out; echo to-err >&2"];
    let output = output(dir.path(), &arguments);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "to-out\n");
    let errors = String::from_utf8_lossy(&output.stderr);
    let expected = "to-err\nstandin: no calls: does the client use STANDIN_BASE_URL?\nfail: 0 calls; ";
    assert!(errors.starts_with(expected), "{errors}");
}

#[test]
fn a_run_without_calls_fails_unless_it_is_allowed() {
    let dir = folder(&[("small.yaml", SMALL)]);
    ends(&output(dir.path(), &["small.yaml", "--", "true"]), 1, "no calls");
    ends(&output(dir.path(), &["small.yaml", "--", "sh", "-c", "exit 7"]), 7, "no calls");
    let called = Running::start(dir.path(), &["small.yaml"]);
    called.client().reviews(100).send();
    let (exit, report) = called.end();
    assert_eq!(exit, 0);
    assert!(report.starts_with("pass: 1 call; "), "{report}");
    let reset = Running::start(dir.path(), &["small.yaml"]);
    reset.client().call("GET", "/nothing-there").send();
    Client::of(&env(&reset, "STANDIN_ADMIN_URL")).call("POST", "/worlds/default/reset").send();
    assert_eq!(reset.end().0, 0, "a call before a reset is one, too");
    let only_admin = Running::start(dir.path(), &["small.yaml"]);
    only_admin.admin("/worlds");
    assert_eq!(only_admin.end().0, 1);
}

#[test]
fn the_command_gets_the_addresses_the_key_and_the_number() {
    let dir = folder(&[("small.yaml", SMALL)]);
    let templates =
        ["--env", "API_URL={{base_url}}/v1", "--env", "PLAIN=a b", "--env", "WHO={{api_key}}@{{port}}"];
    let running = Running::start(dir.path(), &[&["small.yaml"][..], &templates].concat());
    let base = env(&running, "STANDIN_BASE_URL");
    let port = base.strip_prefix("http://127.0.0.1:").unwrap();
    assert_eq!(env(&running, "STANDIN_ADMIN_URL"), format!("{base}/__admin"));
    assert_eq!(
        env(&running, "STANDIN_API_KEY"),
        "k-2",
        "the first that is not revoked and has no world of its own"
    );
    assert_eq!(env(&running, "STANDIN_BUSINESS_NUMBER"), "200", "the first enterprise that it covers");
    assert_eq!(env(&running, "STANDIN_WORLD"), "default");
    assert_eq!(env(&running, "API_URL"), format!("{base}/v1"));
    assert_eq!((env(&running, "PLAIN").as_str(), env(&running, "WHO")), ("a b", format!("k-2@{port}")));
    assert_eq!(running.admin("/worlds/default")["scenario"], "small");
}

#[test]
fn another_key_can_be_chosen_by_its_name() {
    let dir = folder(&[("small.yaml", SMALL)]);
    let all = Running::start(dir.path(), &["small.yaml", "--key", "all"]);
    assert_eq!(
        (env(&all, "STANDIN_API_KEY"), env(&all, "STANDIN_BUSINESS_NUMBER")),
        ("k-all".into(), "100".into())
    );
    let own = Running::start(dir.path(), &["small.yaml", "--key", "apart"]);
    assert_eq!((env(&own, "STANDIN_API_KEY"), env(&own, "STANDIN_WORLD")), ("k-own".into(), "apart".into()));
    let unknown = output(dir.path(), &["small.yaml", "--key", "al", "--", "true"]);
    ends(&unknown, 2, "has no key of that name: did you mean `all`?");
}

#[test]
fn a_scenario_without_a_usable_key_gets_one() {
    let revoked = SMALL.replace("k-2, ", "k-2, revoked: true, ").replace("name: all}", "revoked: true}");
    let none = "standin: 1\nbusinesses: [{number: 1, name: One}]\n";
    let dir = folder(&[("revoked.yaml", &revoked), ("none.yaml", none)]);
    for (scenario, business) in [("revoked.yaml", "100"), ("none.yaml", "1")] {
        let running = Running::start(dir.path(), &[scenario]);
        assert!(env(&running, "STANDIN_API_KEY").starts_with("standin-"));
        assert_eq!(env(&running, "STANDIN_BUSINESS_NUMBER"), business);
        let client = running.client();
        client.reviews(business).send();
        client.reviews(business).send().ok();
    }
}

#[test]
fn faults_are_added_in_front_or_replace_the_one_of_their_name() {
    let dir = folder(&[("small.yaml", SMALL)]);
    let faults = [
        "--fault",
        "second={hits: 2, then: {error: 89}}",
        "--fault",
        "a={operation: qna, then: {error: 89}}",
        "--fault",
        "b={operation: qna, then: {delay: 1s}}",
    ];
    let running = Running::start(dir.path(), &[&["small.yaml"][..], &faults].concat());
    let names = || -> Vec<(String, Value)> {
        let faults = running.admin("/worlds/default/faults");
        let faults = faults.as_array().unwrap().clone();
        faults
            .iter()
            .map(|fault| (fault["name"].as_str().unwrap().to_owned(), fault["fault"]["hits"].clone()))
            .collect()
    };
    let expected: Vec<(String, Value)> =
        [("a", Value::Null), ("b", Value::Null), ("first", json!(1)), ("second", json!(2))]
            .map(|(name, hits)| (name.to_owned(), hits))
            .into();
    assert_eq!(names(), expected);
    Client::of(&env(&running, "STANDIN_ADMIN_URL")).call("POST", "/worlds/default/reset").send();
    assert_eq!(names(), expected, "a reset keeps them");
    let wrong = output(dir.path(), &["small.yaml", "--fault", "a={thn: {error: 89}}", "--", "true"]);
    ends(&wrong, 2, "--> --fault a:1:2");
    ends(&wrong, 2, "did you mean `then`?");
}

#[test]
fn seed_clock_and_present_can_be_given() {
    let dir = folder(&[("small.yaml", SMALL)]);
    let arguments = ["small.yaml", "--seed", "77", "--freeze", "--now", "2026-06-30T17:00:00Z"];
    let running = Running::start(dir.path(), &arguments);
    let world = running.admin("/worlds/default");
    assert_eq!(world["seed"], 77);
    let clock = running.admin("/worlds/default/clock");
    assert_eq!((&clock["mode"], &clock["now"]), (&json!("frozen"), &json!("2026-06-30T17:00:00Z")));
    Client::of(&env(&running, "STANDIN_ADMIN_URL")).call("POST", "/worlds/default/reset").send();
    assert_eq!(running.admin("/worlds/default")["seed"], 77, "a reset keeps it");
}

#[test]
fn a_scenario_is_a_file_or_a_name_in_scenarios_or_one_of_the_program() {
    let named = "standin: 1\nname: other\nbusinesses: [{number: 9, name: Nine}]\n";
    let dir = folder(&[
        ("s.yaml", SMALL),
        ("scenarios/deep/file.yaml", named),
        ("scenarios/demo.yaml", SMALL),
        ("slow/x", ""),
    ]);
    let scenario = |name: &str| {
        let running = Running::start(dir.path(), &[name]);
        running.admin("/worlds/default")["scenario"].as_str().unwrap().to_owned()
    };
    assert_eq!(scenario("s.yaml"), "s");
    assert_eq!(scenario("other"), "other");
    assert_eq!(
        env(&Running::start(dir.path(), &["demo"]), "STANDIN_API_KEY"),
        "k-2",
        "the folder comes first"
    );
    assert_eq!(scenario("slow"), "slow", "a folder of that name is no scenario");
    assert_eq!(scenario("rate-limited"), "rate-limited");
}

#[test]
fn a_scenario_that_is_broken_or_missing_ends_the_run_with_3() {
    let dir = folder(&[("bad.yaml", "standin: 1\nbusineses: []\n")]);
    let broken = output(dir.path(), &["bad.yaml", "--", "touch", "ran"]);
    ends(&broken, 3, "bad.yaml:2:1");
    ends(&broken, 3, "standin: cannot serve bad.yaml: fix the errors above");
    ends(&output(dir.path(), &["rate-limit", "--", "touch", "ran"]), 3, "did you mean `rate-limited`?");
    assert!(!dir.path().join("ran").exists());
}

#[test]
fn a_wrong_command_line_ends_the_run_with_2() {
    let dir = folder(&[("small.yaml", SMALL)]);
    for (arguments, about) in [
        (&["small.yaml"][..], "<COMMAND>"),
        (&["small.yaml", "--"], "<COMMAND>"),
        (&["small.yaml", "true"], "unexpected argument 'true'"),
        (&["--env", "A", "small.yaml", "--", "true"], "it must be a name, `=` and a value"),
        (&["--env", "A={{", "small.yaml", "--", "true"], "--env A: syntax error"),
        (
            &["--env", "A={{bse_url}}", "small.yaml", "--", "true"],
            "`bse_url` is unknown: a template may use base_url",
        ),
        (&["--fault", "{}", "small.yaml", "--", "true"], "it must be a name"),
        (&["--timeout", "10", "small.yaml", "--", "true"], "a span of time"),
        (&["--timeout", "0s", "small.yaml", "--", "true"], "more than 0"),
        (&["--seed", "9007199254740992", "small.yaml", "--", "true"], "9007199254740992 is not in"),
        (&["--now", "noon", "small.yaml", "--", "true"], "it must be an instant"),
    ] {
        ends(&output(dir.path(), arguments), 2, about);
    }
}

#[test]
fn forty_runs_at_once_do_not_meet() {
    let dir = folder(&[("small.yaml", SMALL)]);
    let runs: Vec<Running> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..40)
            .map(|_| {
                scope.spawn(|| {
                    Running::start(
                        dir.path(),
                        &["small.yaml", "--fault", "first={enabled: false, then: {error: 89}}"],
                    )
                })
            })
            .collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    let store = |number: usize, run: &Running| {
        let body = json!({ "email": format!("c{number}@mail.test"), "businessIds": [2001] });
        run.client().contact(200).json(&body).send().ok();
    };
    runs.iter().enumerate().for_each(|(number, run)| store(number, run));
    for (number, run) in runs.into_iter().enumerate() {
        let contacts = run.admin("/worlds/default/contacts");
        let emails: Vec<&Value> =
            contacts.as_array().unwrap().iter().map(|contact| &contact["email"]).collect();
        assert_eq!(emails, [&json!(format!("c{number}@mail.test"))]);
        assert_eq!(run.end().0, 0);
    }
}
