//! The example clients against every ready-made fault scenario.

use std::path::Path;

use crate::judged::{Judged, all, path, run, tried};
use crate::tools::{built, has_python, node, skipped, works};

/// How a client ends.
#[derive(Clone, Copy)]
enum End {
    /// With 0; all records are read.
    Done,
    /// With 1, and a line that has this text.
    Says(&'static str),
    /// In one way or the other: chance decides what fails, and the clients have a port of their own in each run.
    Chance,
}
use End::{Chance, Done, Says};

/// The end of a job whose subscription got no answer.
const LOST: &str = "it may have taken effect, so it is not sent again";
const GAVE_UP: &str = "gave up after 3 tries";

struct Case {
    scenario: &'static str,
    /// Flags that make it shorter.
    flags: &'static [&'static str],
    end: End,
    /// Rules that it exercises for sure.
    rules: &'static [&'static str],
}

const fn case(scenario: &'static str, end: End, rules: &'static [&'static str]) -> Case {
    Case { scenario, flags: &[], end, rules }
}

const CASES: &[Case] = &[
    case("demo", Done, &["pages-whole", "key-in-header", "same-read"]),
    case("bad-key", Says("contact: 1161 Invalid API key"), &["no-retry-on-refusal"]),
    case("broken-answers", Says(LOST), &["notices-broken-body", "attempts", "pages-whole"]),
    case("dirty-network", Chance, &["key-in-header"]),
    case("down", Says("contact: gave up after 3 tries: HTTP 503"), &["backs-off", "attempts"]),
    case("first-try-fails", Done, &["backs-off", "attempts", "pages-whole"]),
    case("flaky", Chance, &["key-in-header"]),
    case("invalid-enterprise", Says("locations: 2151"), &["no-retry-on-refusal"]),
    case("invalid-number", Says("locations: 1027"), &["no-retry-on-1027"]),
    case("lost-answers", Says(LOST), &["lost-contact", "lost-subscription"]),
    Case {
        flags: &[
            "--fault",
            "down={during: 0s-2s, then: {status: 503, headers: {set: {retry-after: \"2\"}}}}",
            "--fault",
            "shaky={during: 2s-4s, chance: 50%, then: {error: 500}}",
        ],
        ..case("outage", Chance, &["key-in-header"])
    },
    Case {
        flags: &["--fault", "first-try-limited={per: request, hits: 1, then: {error: 89, retry_after: 1s}}"],
        ..case("rate-limited", Done, &["retry-after", "attempts"])
    },
    case("schema-drift", Done, &["pages-whole"]),
    Case {
        flags: &["--fault", "silence={operation: contact, per: request, hits: 1, then: {connection: stall}}"],
        ..case("silent", Done, &["gives-up-waiting"])
    },
    case("slow", Chance, &["key-in-header"]),
    case("tight-limit", Done, &["pages-whole"]),
    case("webhook-faults", Done, &["pages-whole"]),
    case("examples/clients/webhooks.yaml", Done, &["pages-whole"]),
];

/// What takes minutes: each request waits.
const LONG: &[Case] =
    &[case("rate-limited", Done, &["retry-after"]), case("silent", Says(LOST), &["gives-up-waiting"])];

/// The rules that are exercised where the client has a receiver.
const HOOKS: [&str; 5] =
    ["hook-acknowledged", "hook-signature", "hook-twice", "hook-out-of-order", "hook-unknown-event"];

fn check(case: &Case, command: &[String], receives: bool) -> Result<(), String> {
    let Case { scenario, flags, end, rules } = *case;
    let judged = run(scenario, flags, command);
    let problem = |what: String| Err(format!("{scenario}: {what}\n{}{}", judged.stdout, judged.stderr));
    // A machine that is busy with other tests answers late.
    let against: Vec<_> = judged
        .against()
        .into_iter()
        .filter(|rule| rule.id != "hook-acknowledged" || rule.verdict == "fail")
        .collect();
    if !against.is_empty() {
        return problem(format!("{against:?}"));
    }
    let hooks: &[&str] = if receives && scenario == "webhook-faults" { &HOOKS[1..] } else { &[] };
    if let Some(rule) = rules.iter().chain(hooks).find(|rule| !judged.passes(rule)) {
        return problem(format!("{rule} does not pass"));
    }
    if !ends_so(&judged, end, scenario) {
        return problem(format!("it ended with {}", judged.exit));
    }
    Ok(())
}

fn ends_so(judged: &Judged, end: End, scenario: &str) -> bool {
    let has = |text: &str| judged.stdout.lines().any(|line| line.starts_with(text));
    let reviews = if scenario.ends_with("webhooks.yaml") { "535 reviews" } else { "3305 reviews" };
    let is_done = judged.exit == 0 && has("contact ") && has(reviews) && has("subscription ");
    let says = |text: &str| judged.exit == 1 && judged.stderr.contains(text);
    match end {
        Done => is_done,
        Says(text) => says(text),
        Chance => is_done || says(LOST) || says(GAVE_UP),
    }
}

fn python() -> Option<Vec<String>> {
    if !has_python() || !works("python3", &["-c", "import requests"]) {
        skipped("the example client in Python", "there is no python3 (3.10 or later) with requests");
        return None;
    }
    Some(vec!["python3".to_owned(), path("examples/clients/python/main.py")])
}

fn typescript() -> Option<Vec<String>> {
    let Some(node) = node() else {
        skipped("the example client in TypeScript", "there is no node (22.6 or later)");
        return None;
    };
    Some([node, vec![path("examples/clients/typescript/client.ts")]].concat())
}

fn rust() -> Option<Vec<String>> {
    let built = built("examples/clients/rust/Cargo.toml", "nightly-sync");
    built.map_err(|why| skipped("the example client in Rust", why)).ok().map(|program| vec![program])
}

fn shell() -> Option<Vec<String>> {
    if !["bash", "curl", "jq"].iter().all(|tool| works(tool, &["--version"])) {
        skipped("the example client in shell", "it needs bash, curl and jq");
        return None;
    }
    Some(vec![path("examples/clients/shell/client.sh")])
}

fn passes(cases: &[Case], command: Option<Vec<String>>, receives: bool) {
    if let Some(command) = command {
        all(cases, |case| tried(|| check(case, &command, receives)));
    }
}

#[test]
fn the_python_client_passes_every_ready_made_scenario() {
    passes(CASES, python(), true);
}

#[test]
fn the_typescript_client_passes_every_ready_made_scenario() {
    passes(CASES, typescript(), true);
}

#[test]
fn the_rust_client_passes_every_ready_made_scenario() {
    passes(CASES, rust(), false);
}

#[test]
fn the_shell_client_passes_every_ready_made_scenario() {
    passes(CASES, shell(), false);
}

#[test]
#[ignore = "takes minutes; tests/clients/run runs it"]
fn all_clients_pass_the_long_scenarios() {
    let clients = [(python(), true), (typescript(), true), (rust(), false), (shell(), false)];
    let clients = clients.into_iter().filter_map(|(command, receives)| Some((command?, receives)));
    let runs: Vec<_> =
        clients.flat_map(|client| LONG.iter().map(move |case| (case, client.clone()))).collect();
    all(&runs, |(case, (command, receives))| tried(|| check(case, command, *receives)));
}

#[test]
fn every_ready_made_fault_scenario_is_tried() {
    for entry in std::fs::read_dir(path("scenarios/faults")).unwrap() {
        let file = entry.unwrap().path();
        let name = Path::new(&file).file_stem().unwrap().to_str().unwrap();
        assert!(CASES.iter().any(|case| case.scenario == name), "{name}");
    }
}
