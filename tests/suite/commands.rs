//! The commands: what they print, and their exit codes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::harness::{Server, examples, folder, program, wait_until};

const GOOD: &str = "standin: 1\nbusinesses: [{number: 1, name: One}]\n";
const BROKEN: &str = "standin: 1\nbusineses: []\nseed: x\n";
const WARNED: &str = "standin: 1\nclock: {mode: frozen}\nkeys: [{key: k, rate_limit: 1 per 1m}]\n";

fn run(cwd: &Path, arguments: &[&str]) -> Output {
    program().current_dir(cwd).args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[track_caller]
fn ends(output: &Output, code: i32, about: &str) {
    assert_eq!(output.status.code(), Some(code), "{}{}", out(output), err(output));
    let last = err(output).trim_end().lines().last().unwrap_or_default().to_owned();
    assert!(last.contains(about), "{}", err(output));
}

#[test]
fn check_of_a_good_scenario_exits_with_0() {
    let dir = folder(&[("scenarios/good.yaml", GOOD)]);
    for arguments in [
        &["check"][..],
        &["check", "scenarios"],
        &["check", "scenarios/good.yaml"],
        &["check", "scenarios", "--strict"],
    ] {
        let output = run(dir.path(), arguments);
        ends(&output, 0, "");
        assert_eq!(out(&output), "1 scenario checked: 0 errors, 0 warnings\n");
    }
    let output = run(dir.path(), &["check", "scenarios", "--format", "json"]);
    assert_eq!(
        (output.status.code(), serde_json::from_slice(&output.stdout).ok()),
        (Some(0), Some(json!([])))
    );
    assert_eq!(out(&run(dir.path(), &["check", "scenarios", "--format", "github"])), "");
}

#[test]
fn check_prints_all_errors_and_exits_with_1() {
    let dir = folder(&[("a.yaml", BROKEN), ("b.yaml", GOOD)]);
    let output = run(dir.path(), &["check", "."]);
    assert_eq!(output.status.code(), Some(1));
    let shown = out(&output);
    for part in ["a.yaml:2:1", "businesses", "a.yaml:3:7", "2 scenarios checked: 2 errors, 0 warnings"] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert!(!shown.contains('\u{1b}'), "no colour into a pipe");
}

#[test]
fn check_prints_json_github_and_sarif() {
    let dir = folder(&[("a.yaml", BROKEN)]);
    let of = |format: &str| {
        let output = run(dir.path(), &["check", "a.yaml", "--format", format]);
        assert_eq!(output.status.code(), Some(1));
        out(&output)
    };
    let problems: Value = serde_json::from_str(&of("json")).unwrap();
    let first = &problems[0];
    assert_eq!(
        (&first["severity"], &first["line"], &first["column"]),
        (&json!("error"), &json!(2), &json!(1))
    );
    assert_eq!((&first["file"], &first["code"]), (&json!("a.yaml"), &json!("unknown-key")));
    assert_eq!(problems.as_array().unwrap().len(), 2);
    let github = of("github");
    assert_eq!(github.lines().count(), 2);
    assert!(github.starts_with("::error file=a.yaml,line=2,col=1,title=unknown-key::"), "{github}");
    let sarif: Value = serde_json::from_str(&of("sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 2);
    let output = run(dir.path(), &["check", "a.yaml", "--format", "xml"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn strict_treats_warnings_as_errors() {
    let dir = folder(&[("w.yaml", WARNED)]);
    let output = run(dir.path(), &["check", "w.yaml"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(out(&output).contains("1 scenario checked: 0 errors, 1 warning\n"), "{}", out(&output));
    assert_eq!(run(dir.path(), &["check", "w.yaml", "--strict"]).status.code(), Some(1));
    let by_variable =
        program().current_dir(dir.path()).env("STANDIN_STRICT", "true").args(["check", "w.yaml"]).output();
    assert_eq!(by_variable.unwrap().status.code(), Some(1));
}

#[test]
fn check_of_a_missing_file_is_an_error() {
    let dir = folder(&[]);
    let output = run(dir.path(), &["check", "nowhere.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("nowhere.yaml"));
}

#[test]
fn a_path_outside_the_root_is_refused_unless_root_is_given() {
    let files = [("in/a.yaml", "standin: 1\ninclude: [../b.yaml]\n"), ("b.yaml", "standin: 1\npart: true\n")];
    let dir = folder(&files);
    assert_eq!(run(dir.path(), &["check", "in"]).status.code(), Some(0));
    let inside = dir.path().join("in");
    assert_eq!(run(&inside, &["check", "a.yaml"]).status.code(), Some(1));
    assert_eq!(run(&inside, &["check", "a.yaml", "--root", ".."]).status.code(), Some(0));
    assert_eq!(run(dir.path(), &["check", "in", "--root", "in"]).status.code(), Some(1));
}

#[test]
fn a_wrong_command_line_exits_with_2() {
    let dir = folder(&[("a.yaml", GOOD)]);
    for arguments in [
        &["serve", "--port", "x"][..],
        &["serve", "--port", "70000"],
        &["--nope"],
        &["check", "--nope"],
        &["new"],
        &["completions", "tcsh9"],
        &["serve", "a.yaml", "--workers", "0"],
    ] {
        assert_eq!(run(dir.path(), arguments).status.code(), Some(2), "{arguments:?}");
    }
    for token in ["", "  "] {
        ends(
            &run(dir.path(), &["serve", "a.yaml", "--port", "0", "--admin-token", token]),
            2,
            "--admin-token",
        );
    }
    let by_variable = program()
        .current_dir(dir.path())
        .env("STANDIN_ADMIN_TOKEN", "")
        .args(["serve", "a.yaml", "--port", "0"])
        .output();
    ends(&by_variable.unwrap(), 2, "--admin-token");
}

#[test]
fn a_failed_start_exits_with_3_and_says_what_to_do() {
    let dir = folder(&[
        ("good/a.yaml", GOOD),
        ("good/b.yaml", BROKEN),
        ("bad/c.yaml", BROKEN),
        ("none/x.txt", "x"),
        ("two/a.yaml", GOOD),
        ("two/b.yaml", "standin: 1\nname: a\n"),
    ]);
    let start = |arguments: &[&str]| run(dir.path(), &[&["serve", "--port", "0"], arguments].concat());
    ends(&start(&["good/b.yaml"]), 3, "good/b.yaml");
    ends(&start(&["good", "good/b.yaml"]), 3, "good/b.yaml");
    ends(&start(&["bad"]), 3, "fix the errors above");
    ends(&start(&["none"]), 3, "standin new");
    ends(&start(&["two"]), 3, "fix the errors above");
    ends(&start(&["schem"]), 2, "`standin schema`");
    ends(&start(&["nowhere.yaml"]), 3, "nowhere.yaml");
    ends(&start(&["good", "--default", "nope"]), 3, "`nope`");
    ends(&start(&["good", "--default", "b"]), 3, "`b`");
    ends(&start(&["good", "--host", "host.invalid"]), 3, "host.invalid");
    ends(&start(&["scenarios"]), 3, "scenarios");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    ends(&run(dir.path(), &["serve", "good/a.yaml", "--port", &port]), 3, "--port");
    let by_variable =
        program().current_dir(dir.path()).env("STANDIN_PORT", &port).args(["good/a.yaml"]).output().unwrap();
    ends(&by_variable, 3, &port);
}

#[test]
fn without_a_folder_of_scenarios_those_of_the_program_are_served() {
    let empty = folder(&[]);
    let server = Server::start(empty.path(), &[]);
    assert_eq!(server.listening["scenario"], "demo");
    assert!(server.listening["worlds"].as_array().unwrap().contains(&json!("review-bomb")));
    let reviews = server.client().with_key("demo-key").reviews(100).query("count", "1").send().ok();
    assert_eq!(reviews.as_array().unwrap().len(), 1);
}

#[test]
fn a_scenario_of_the_program_is_served_by_its_name_and_other_worlds_run_the_others() {
    let dir = folder(&[("scenarios/good.yaml", GOOD)]);
    let server = Server::start(dir.path(), &["rate-limited"]);
    assert_eq!(server.listening["scenario"], "rate-limited");
    assert_eq!(server.listening["worlds"], json!(["rate-limited"]));
    let world = |name: &str, scenario: &str| {
        server.admin("POST", "worlds").json(&json!({"name": name, "scenario": scenario})).send()
    };
    assert_eq!(world("one", "down").status, 201);
    assert_eq!(server.world("one").with_key("demo-key").reviews(100).send().status, 503);
    // Once it is served, it stays as it is.
    assert_eq!(world("two", "down").status, 201);
    let health = server.admin("GET", "health").send().ok();
    let names: Vec<&Value> = health["scenarios"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["down", "rate-limited"]);
    assert_eq!(health["scenarios"][0]["generation"], 1);
    assert_eq!(world("three", "nowhere").status, 400);
}

#[test]
fn with_until_eof_the_server_stops_when_its_standard_input_ends() {
    let dir = folder(&[("a.yaml", GOOD)]);
    let mut child = program()
        .current_dir(dir.path())
        .args(["serve", "a.yaml", "--port", "0", "--log", "json", "--until-eof"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("listening"));
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"what is written is ignored\n").unwrap();
    assert!(child.try_wait().unwrap().is_none());
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_folder_with_good_and_broken_scenarios_is_served_as_degraded() {
    let server = Server::of(&[("a.yaml", GOOD), ("b.yaml", BROKEN)], &[]);
    assert_eq!(server.listening["worlds"], json!(["a"]));
    let health = server.admin("GET", "health").send().ok();
    assert_eq!(health["status"], "degraded");
    let broken = &health["scenarios"][1];
    assert_eq!(
        (&broken["name"], &broken["generation"], &broken["loadedAt"]),
        (&json!("b"), &json!(0), &Value::Null)
    );
    assert_eq!(broken["diagnostics"].as_array().unwrap().len(), 2);
    assert_eq!(server.admin("GET", "scenarios").send().ok().as_array().unwrap().len(), 1);
    assert!(server.errors().contains("b.yaml:2:1"), "{}", server.errors());
}

#[test]
fn the_default_is_demo_or_else_the_first_by_name() {
    let named = |name: &str| format!("standin: 1\nname: {name}\n");
    let (demo, alpha, zulu) = (named("demo"), named("alpha"), named("zulu"));
    let with_demo = Server::of(&[("1.yaml", &zulu), ("2.yaml", &demo), ("3.yaml", &alpha)], &[]);
    assert_eq!(with_demo.listening["scenario"], "demo");
    let without = Server::of(&[("1.yaml", &zulu), ("3.yaml", &alpha)], &[]);
    assert_eq!(without.listening["scenario"], "alpha");
    let server = Server::of(&[("1.yaml", &zulu), ("2.yaml", &demo)], &["--default", "zulu"]);
    assert_eq!(server.listening["scenario"], "zulu");
}

#[test]
fn port_0_picks_a_free_port_and_the_ready_line_names_it() {
    let text = "standin: 1\nname: shop\nseed: 12\nkeys: [{key: a}, {key: b, revoked: true}]\n";
    let server = Server::of(&[("shop.yaml", text)], &[]);
    let port: u16 = server.base.rsplit(':').next().unwrap().parse().unwrap();
    assert!(port > 0);
    let expected = json!({"event": "listening", "baseUrl": server.base, "scenario": "shop", "seed": 12, "keys": ["a"], "worlds": ["shop"]});
    assert_eq!(server.listening, expected);
    server.client().with_key("a").call("POST", "/nope").send();
    wait_until("the request is logged", || {
        server
            .log
            .lock()
            .unwrap()
            .iter()
            .any(|line| line["event"] == "request" && line["path"] == "/nope" && line["status"] == 404)
    });
}

#[test]
fn a_random_seed_is_printed() {
    let server = Server::of(&[("r.yaml", "standin: 1\nseed: random\n")], &[]);
    let seed = server.listening["seed"].as_u64().unwrap();
    assert!(seed < 1 << 53);
    assert_eq!(server.admin("POST", "worlds/default/reset").send().ok()["seed"], seed);
}

#[test]
fn a_signal_stops_the_program_with_exit_code_0() {
    let server = Server::of(&[("a.yaml", GOOD)], &[]);
    server.client().with_key("k").qna(1).send().ok();
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_request_in_flight_is_finished_before_the_program_ends() {
    for signal in ["-TERM", "-INT"] {
        let server = Server::of(&[("a.yaml", GOOD)], &[]);
        let mut stream = TcpStream::connect(server.base.strip_prefix("http://").unwrap()).unwrap();
        let head = "POST /v1/qna/unanswered/get?businessId=1 HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\n";
        write!(stream, "{head}expect: 100-continue\r\ncontent-length: 2\r\n\r\n").unwrap();
        let mut answer = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        answer.read_line(&mut line).unwrap();
        assert!(line.starts_with("HTTP/1.1 100"), "the body is being waited for: {line}");
        server.send_signal(signal);
        stream.write_all(b"{}").unwrap();
        let mut rest = String::new();
        answer.read_to_string(&mut rest).unwrap();
        assert!(rest.contains("HTTP/1.1 200 OK") && rest.ends_with(r#""questionsAndAnswers":[]}"#), "{rest}");
        assert_eq!(server.wait().code(), Some(0));
    }
}

#[test]
fn the_greeting_shows_the_address_and_a_command_to_paste() {
    let dir = examples();
    let mut child = program()
        .current_dir(&dir)
        .args(["walkthrough.yaml", "--port", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut greeting = String::new();
    for line in lines {
        greeting.push_str(&line);
        greeting.push('\n');
        if line.contains("Ctrl-C") {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(greeting.contains("Base URL  http://127.0.0.1:"), "{greeting}");
    for part in [
        "walkthrough",
        "walk-key",
        "Seed      7",
        "curl -s http://127.0.0.1:",
        "-H 'x-api-key: walk-key'",
        "/__admin/health",
    ] {
        assert!(greeting.contains(part), "{part}\n{greeting}");
    }
    assert!(!greeting.contains("old-key"), "a revoked key is nothing to try");
    assert!(!greeting.contains('\u{1b}'), "no colour into a pipe");
}

#[test]
fn the_pasted_command_is_answered() {
    let server = Server::start(&examples(), &["walkthrough.yaml"]);
    let body = json!({"businessNumbers": [900], "startDate": "07/01/2025", "endDate": "06/30/2026"});
    let client = server.client().with_key("walk-key");
    assert_eq!(client.benchmark(900).json(&body).send().ok()["actual"]["score"], 70.8);
}

#[test]
fn new_writes_a_valid_starter_scenario_once() {
    let dir = folder(&[]);
    let output = run(dir.path(), &["new", "mine"]);
    ends(&output, 0, "");
    assert!(out(&output).contains("standin serve scenarios/mine.yaml"), "{}", out(&output));
    let first = std::fs::read_to_string(dir.path().join("scenarios/mine.yaml")).unwrap();
    ends(&run(dir.path(), &["new", "mine"]), 2, "never overwritten");
    assert_eq!(std::fs::read_to_string(dir.path().join("scenarios/mine.yaml")).unwrap(), first);
    for wrong in ["default", "../x", "-x", "a b", ""] {
        assert_eq!(run(dir.path(), &["new", wrong]).status.code(), Some(2), "{wrong}");
    }
    assert_eq!(run(dir.path(), &["check", "--strict"]).status.code(), Some(0));
    let schema = std::fs::read(dir.path().join("scenarios/standin.schema.json")).unwrap();
    assert_eq!(schema, run(dir.path(), &["schema"]).stdout);
    assert!(first.starts_with("# yaml-language-server: $schema=standin.schema.json\n"), "{first}");
    let server = Server::start(dir.path(), &["mine"]);
    assert_eq!(server.listening["scenario"], "mine");
}

/// Parses YAML into a JSON value.
fn yaml(text: &str) -> Value {
    let options = serde_yaml::options! {
        budget: None,
        non_finite_float_policy: serde_yaml::options::NonFiniteFloatPolicy::AsString,
    };
    serde_yaml::from_str_with_options(text, options).unwrap()
}

/// The paths in a value that the schema does not allow.
fn unknown(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return unknown(root, root.pointer(name.trim_start_matches('#')).unwrap(), value, path);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let meant = choices.iter().filter(|choice| value.is_null() || choice["type"] != "null");
        let tried = meant.map(|choice| unknown(root, choice, value, path));
        return tried.min_by_key(Vec::len).unwrap_or_default();
    }
    match value {
        Value::Object(members)
            if schema["properties"].is_object() || schema["additionalProperties"].is_object() =>
        {
            let member = |(name, value): (&String, &Value)| {
                let path = format!("{path}/{name}");
                match (&schema["properties"][name], &schema["additionalProperties"]) {
                    (Value::Null, Value::Object(_)) => {
                        unknown(root, &schema["additionalProperties"], value, &path)
                    }
                    (Value::Null, _) => vec![path],
                    (known, _) => unknown(root, known, value, &path),
                }
            };
            members.iter().flat_map(member).collect()
        }
        Value::Object(_) if schema["type"] == "array" || schema["enum"].is_array() => vec![path.to_owned()],
        Value::Array(_) if schema["type"] == "object" => vec![path.to_owned()],
        Value::Array(elements) if schema["items"].is_object() => {
            elements.iter().flat_map(|element| unknown(root, &schema["items"], element, path)).collect()
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => Vec::new(),
    }
}

#[test]
fn the_schema_has_every_key_of_the_shipped_scenarios() {
    let output = run(&examples(), &["schema"]);
    assert_eq!(output.status.code(), Some(0));
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut checked = 0;
    for folder in [examples(), shipped] {
        let files = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "yaml")) {
            let text = std::fs::read_to_string(&file).unwrap();
            let value: Value = yaml(&text);
            assert_eq!(unknown(&schema, &schema, &value, ""), Vec::<String>::new(), "{}", file.display());
            checked += 1;
        }
    }
    assert!(checked >= 4);
    let wrong = json!({"standin": 1, "sed": 1, "businesses": [{"number": 1, "locations": [{"nam": 1}]}]});
    let mut found = unknown(&schema, &schema, &wrong, "");
    found.sort();
    assert_eq!(found, ["/businesses/locations/nam", "/sed"]);
}

#[test]
fn completions_are_printed_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(&examples(), &["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        assert!(out(&output).contains("admin-token"), "{shell}");
    }
}

#[test]
fn help_and_version_are_printed() {
    let output = run(&examples(), &["--help"]);
    assert_eq!(output.status.code(), Some(0));
    for command in ["serve", "check", "new", "schema", "completions"] {
        assert!(out(&output).contains(command), "{command}");
    }
    assert!(out(&run(&examples(), &["--version"])).contains(env!("CARGO_PKG_VERSION")));
}

const FRESH: &str = "standin: 1\nclock: {start: now, mode: frozen}\nbusinesses: [{number: 1, name: A, locations: [{number: 11, name: L, reviews: [{id: '7', rating: 5, date: -1d}, {rating: 4, date: 2026-07-02}]}]}]\n";

#[test]
fn an_instant_stands_in_for_the_systems_clock() {
    let server = Server::of(&[("a.yaml", FRESH)], &["--now", "2026-06-30T17:00:00Z"]);
    assert_eq!(server.listening["clockStart"], "2026-06-30T17:00:00Z");
    let health = server.admin("GET", "health").send().ok();
    assert_eq!(health["scenarios"][0]["clockStart"], "2026-06-30T17:00:00Z");
    assert_eq!(health["scenarios"][0]["diagnostics"][0]["code"], "future-date");
    let reviews = server.client().with_key("k").reviews(1).send().ok();
    assert_eq!(reviews[1]["reviewDate"], "Jun 29, 2026");
    let made = json!({"name": "made", "clock": {"start": "now"}});
    assert_eq!(server.admin("POST", "worlds").json(&made).send().status, 201);
    assert_eq!(server.admin("GET", "worlds/made/clock").send().ok()["now"], "2026-06-30T17:00:00Z");
    let dir = folder(&[("a.yaml", FRESH)]);
    let check = |now: &str| {
        program()
            .current_dir(dir.path())
            .args(["check", "--strict", "a.yaml", "--now", now])
            .output()
            .unwrap()
    };
    assert_eq!(check("2026-07-01").status.code(), Some(1));
    assert_eq!(check("2026-07-02").status.code(), Some(0));
    let wrong = check("tomorrow");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        err(&wrong).contains("it must be an instant with its offset, such as 2026-06-30T17:00:00Z"),
        "{}",
        err(&wrong)
    );
}

#[test]
fn without_it_a_clock_starts_at_the_present_which_health_tells() {
    let server = Server::of(&[("a.yaml", FRESH)], &[]);
    let start = server.listening["clockStart"].as_str().unwrap().to_owned();
    assert_eq!(server.admin("GET", "health").send().ok()["scenarios"][0]["clockStart"], start);
    assert_eq!(server.admin("GET", "worlds/a/clock").send().ok()["now"], start);
    assert!(start.as_str() > "2026-07-02", "{start}");
}
