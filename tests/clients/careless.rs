//! The careless client: each rule finds what it breaks, and names the calls.

use crate::judged::{all, path, run, tried};
use crate::tools::{has_python, skipped};

struct Case {
    rule: &'static str,
    scenario: &'static str,
    flags: &'static [&'static str],
    verdict: &'static str,
    /// Other rules that may have something against it as well.
    others: &'static [&'static str],
    /// What a finding says.
    says: &'static str,
}

const fn case(rule: &'static str, scenario: &'static str, says: &'static str) -> Case {
    Case { rule, scenario, flags: &[], verdict: "fail", others: &[], says }
}

const WEBHOOKS: &str = "examples/clients/webhooks.yaml";

const CASES: &[Case] = &[
    case("retry-after", "rate-limited", " after an 89 that asked for 2 s"),
    Case { others: &["jitter"], ..case("backs-off", "down", "; call ") },
    Case { verdict: "warn", ..case("backs-off", "first-try-fails", " after a 503") },
    Case {
        others: &["attempts"],
        ..case("grows", "dirty-network", "over 8 chains the median of the first waits is ")
    },
    Case { verdict: "warn", ..case("jitter", "down", "the first retries of ") },
    case("attempts", "dirty-network", "made 7 attempts at one request"),
    case("retry-budget", "dirty-network", "40 retries of 20 first tries (200%)"),
    case("no-retry-on-refusal", "bad-key", "call 2 repeated call 1, which got a 1161, "),
    case("no-retry-on-refusal", "invalid-enterprise", "call 2 repeated call 1, which got a 2151, "),
    case("no-retry-on-1027", "demo", "call 1 got a 1027 and was repeated 2 times, the last time by call 3, "),
    case("no-retry-on-1027", "invalid-number", "call 1 got a 1027 and was repeated 2 times"),
    case("lost-contact", "lost-answers", " and its answer was lost; call 2, "),
    case("lost-subscription", "lost-answers", "made subscription 2, which is alike"),
    case("notices-broken-body", "dirty-network", "and the command ended with 0"),
    case("pages-whole", "demo", "record 25 was never read, and call 2 read on behind it"),
    Case {
        others: &["retry-after"],
        ..case("own-pace", "demo", "200 of 800 calls of key:demo met its limit of 600 per 60 s")
    },
    Case { others: &["retry-after"], ..case("own-pace", "tight-limit", "met its limit of 5 per 2 s") },
    case("key-in-header", "demo", "call 1 sent the key in the query"),
    Case { verdict: "warn", ..case("same-read", "demo", "call 2 got the same answer as call 1, ") },
    Case {
        others: SLOW,
        ..case("hook-signature", "webhook-faults", "had a wrong signature and was answered 200")
    },
    Case { others: SLOW, ..case("hook-signature", WEBHOOKS, "had a wrong signature and was answered 200") },
    Case { others: SLOW, ..case("hook-twice", "webhook-faults", " came twice with the id evt_") },
    Case { others: SLOW, ..case("hook-twice", WEBHOOKS, " came twice with the id evt_") },
    Case {
        others: SLOW,
        ..case("hook-out-of-order", "webhook-faults", "came out of order and was answered 500")
    },
    Case { others: SLOW, ..case("hook-out-of-order", WEBHOOKS, "came out of order and was answered 500") },
    Case {
        others: SLOW,
        ..case(
            "hook-unknown-event",
            "webhook-faults",
            "had an event that nobody subscribed to and was answered 500",
        )
    },
];

/// A machine that is busy with other tests acknowledges late.
const SLOW: &[&str] = &["hook-acknowledged"];

/// Those that take a minute.
const LONG: &[Case] = &[
    Case {
        flags: &["--fault", "stall={on_request: true, then: {connection: stall}}"],
        ..case("gives-up-waiting", "dirty-network", "call 1 waited for ")
    },
    case("gives-up-waiting", "silent", "call 1 waited for "),
    case("hook-acknowledged", WEBHOOKS, "95 of 100 acknowledgements took at most "),
];

fn check(case: &Case) -> Result<(), String> {
    let Case { rule, scenario, flags, verdict, others, says } = *case;
    let command = ["python3", &path("examples/clients/careless/client.py"), rule].map(str::to_owned);
    let judged = run(scenario, flags, &command);
    let against = judged.against();
    let problem = |what: &str| Err(format!("{rule} in {scenario}: {what}\n{against:#?}\n{}", judged.stderr));
    let Some(found) = against.iter().find(|other| other.id == rule) else {
        return problem("it finds nothing");
    };
    let is_said = found.messages.iter().any(|message| message.contains(says));
    if found.verdict != verdict || found.named == 0 || !is_said {
        return problem("it says something else");
    }
    if against.iter().any(|other| other.id != rule && !others.contains(&&*other.id)) {
        return problem("another rule strikes");
    }
    // The client itself always ends with 0.
    let code = i32::from(against.iter().any(|rule| rule.verdict == "fail"));
    if judged.exit != code || !judged.stderr.contains(&format!("({rule})")) {
        return problem("the exit code or the text is wrong");
    }
    Ok(())
}

fn each_is_found(cases: &[Case]) {
    if has_python() {
        all(cases, |case| tried(|| check(case)));
    } else {
        skipped("the careless client", "there is no python3 (3.10 or later)");
    }
}

#[test]
fn each_rule_finds_the_careless_client_and_names_its_calls() {
    each_is_found(CASES);
}

#[test]
#[ignore = "takes minutes; tests/clients/run runs it"]
fn rules_on_long_waits_find_the_careless_client() {
    each_is_found(LONG);
}

#[test]
fn every_rule_of_the_client_is_tried() {
    let client = std::fs::read_to_string(path("examples/clients/careless/client.py")).unwrap();
    let rows = client.lines().filter_map(|line| line.strip_prefix("| ")?.split_whitespace().next());
    let rules: Vec<&str> = rows.filter(|rule| *rule != "RULE").collect();
    assert_eq!(rules.len(), 21);
    for rule in rules {
        assert!(CASES.iter().chain(LONG).any(|case| case.rule == rule), "{rule}");
    }
}
