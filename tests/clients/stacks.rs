//! Clients of popular HTTP libraries, configured as their documentation says. The scorecard fails none of them where they
//! can do what they should, and sees neither waits that do not grow nor a crowd. docs/scorecard.md tells what was measured.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::judged::{all, path, run, tried};
use crate::tools::{built, has_python, kept, node, skipped};

/// A run: a scenario, its seed, and the rules that may fail in it.
struct Case {
    scenario: &'static str,
    seed: u64,
    retries: &'static str,
    may_fail: &'static [&'static str],
    /// Rules that have to pass.
    passes: &'static [&'static str],
}

const fn case(scenario: &'static str, seed: u64) -> Case {
    Case { scenario, seed, retries: "2", may_fail: &[], passes: &["attempts"] }
}

fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case { passes: &["attempts", "retry-after"], ..case("rate-limited", 1) },
        case("first-try-fails", 1),
        // Nothing succeeds, and each request is tried four times: more than any budget allows, as the rule has to say.
        Case {
            retries: "3",
            may_fail: &["retry-budget"],
            passes: &["backs-off", "grows"],
            ..case("down", 1)
        },
    ];
    for seed in 1..=5 {
        // What chance does not strike, passes nothing.
        cases.extend(["flaky", "dirty-network"].map(|scenario| Case { passes: &[], ..case(scenario, seed) }));
    }
    cases
}

/// A client, and the rules that rightly fail, because its library cannot do better.
struct Stack<'a> {
    name: &'a str,
    command: &'a [String],
    lacks: &'a [&'a str],
}

fn check(case: &Case, stack: &Stack<'_>) -> Result<(), String> {
    let Case { scenario, seed, retries, may_fail, passes } = *case;
    let Stack { name, command, lacks } = *stack;
    let command = [&["env".to_owned(), format!("RETRIES={retries}")], command].concat();
    let judged = run(scenario, &["--seed", &seed.to_string()], &command);
    let against = judged.against();
    let problem =
        |what: &str| Err(format!("{name}, {scenario}, seed {seed}: {what}\n{against:#?}\n{}", judged.stderr));
    let is_alarm = |rule: &str, verdict: &str| {
        let is_expected = may_fail.contains(&rule) || lacks.contains(&rule);
        (verdict == "fail" && !is_expected) || matches!(rule, "grows" | "jitter")
    };
    if against.iter().any(|rule| is_alarm(&rule.id, &rule.verdict)) {
        return problem("a false alarm");
    }
    if let Some(rule) = passes.iter().find(|rule| !lacks.contains(rule) && !judged.passes(rule)) {
        return problem(&format!("{rule} does not pass"));
    }
    Ok(())
}

fn raises_no_alarm(stack: &Stack<'_>) {
    all(&cases(), |case| tried(|| check(case, stack)));
}

/// Runs a program that installs something.
fn installs(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("its packages cannot be installed: {}", errors.lines().last().unwrap_or_default()))
    }
}

/// Whether a copy of the list of packages says that they are installed; else it is written when `install` has succeeded.
fn once(list: &str, folder: &Path, install: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let wanted = std::fs::read(path(list)).unwrap();
    let done = folder.join("installed");
    if std::fs::read(&done).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    install()?;
    std::fs::write(done, wanted).map_err(|error| error.to_string())
}

fn venv() -> Result<PathBuf, String> {
    if !has_python() {
        return Err("there is no python3 (3.10 or later)".to_owned());
    }
    let folder = kept().join("python");
    let python = folder.join("bin/python");
    let list = "tests/clients/stacks/requirements.txt";
    once(list, &folder, || {
        installs(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        installs(
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
                .arg(path(list)),
        )
    })?;
    Ok(python)
}

fn python_stacks() -> Result<(), String> {
    let python = venv()?.display().to_string();
    for (name, script) in [("urllib3 Retry", "urllib3_retry.py"), ("tenacity", "tenacity_retry.py")] {
        let command = [python.clone(), path(&format!("tests/clients/stacks/{script}"))];
        raises_no_alarm(&Stack { name, command: &command, lacks: &[] });
    }
    Ok(())
}

fn node_stacks() -> Result<(), String> {
    let node = node().ok_or("there is no node (22.6 or later)")?;
    let folder = kept().join("node");
    std::fs::create_dir_all(&folder).unwrap();
    // Node looks for packages beside the script.
    for entry in std::fs::read_dir(path("tests/clients/stacks")).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|ending| ending == "mjs" || ending == "json") {
            std::fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
        }
    }
    once("tests/clients/stacks/package.json", &folder, || {
        let arguments = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
        installs(Command::new("npm").args(arguments).current_dir(&folder))
    })?;
    for (name, script) in
        [("axios-retry", "axios_retry.mjs"), ("got", "got.mjs"), ("undici RetryAgent", "undici.mjs")]
    {
        let command = [&node[..], &[folder.join(script).display().to_string()]].concat();
        raises_no_alarm(&Stack { name, command: &command, lacks: &[] });
    }
    Ok(())
}

#[test]
#[ignore = "installs packages and takes minutes; tests/clients/run runs it"]
fn python_libraries_raise_no_false_alarm() {
    python_stacks().unwrap_or_else(|why| skipped("urllib3 Retry and tenacity", why));
}

#[test]
#[ignore = "installs packages and takes minutes; tests/clients/run runs it"]
fn javascript_libraries_raise_no_false_alarm() {
    node_stacks().unwrap_or_else(|why| skipped("axios-retry, got and undici", why));
}

#[test]
#[ignore = "builds a crate and takes minutes; tests/clients/run runs it"]
fn reqwest_middleware_raises_no_false_alarm() {
    match built("tests/clients/stacks/reqwest/Cargo.toml", "stack-reqwest") {
        // It never reads Retry-After.
        Ok(program) => raises_no_alarm(&Stack {
            name: "reqwest-middleware",
            command: &[program],
            lacks: &["retry-after"],
        }),
        Err(why) => skipped("reqwest-middleware", why),
    }
}
