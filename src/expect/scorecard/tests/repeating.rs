//! attempts, retry-budget, no-retry-on-refusal, no-retry-on-1027.

use super::script::{Script, client};
use super::{Case, case, rule};
use crate::expect::report::Verdict::{Fail, NotExercised, Pass, Warn};
use crate::expect::scorecard::settings::Limit;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("attempts", NotExercised, "no call failed", tries(1, 0)),
        case("attempts", Pass, "at most 3 attempts", tries(1, 2)),
        case("attempts", Warn, "calls 1, 2, 3 and 4 made 4 attempts at one request", tries(1, 3)),
        case("attempts", Warn, "5 attempts", tries(1, 4)),
        case("attempts", Fail, "made 6 attempts", tries(1, 5)),
        case("retry-budget", NotExercised, "19 first tries", budget(19, 19)),
        case("retry-budget", NotExercised, "no call failed", budget(20, 0)),
        case("retry-budget", Pass, "4 retries of 20 first tries (20%)", budget(20, 4)),
        case("retry-budget", Warn, "5 retries of 20 first tries (25%)", budget(20, 5)),
        case("retry-budget", Warn, "20 retries of 20 first tries (100%)", budget(20, 20)),
        case("retry-budget", Fail, "40 retries of 20 first tries (200%)", tries(20, 2)),
        case("no-retry-on-refusal", NotExercised, "no call was refused", repeated(&[408, 425])),
        case(
            "no-retry-on-refusal",
            Pass,
            "1 call refused",
            client().call("reviews").answered(1, 401).code(1161),
        ),
        case(
            "no-retry-on-refusal",
            Fail,
            "call 2 repeated call 1, which got a 400, 600 ms before",
            repeated(&[400, 200]),
        ),
        case("no-retry-on-1027", NotExercised, "no call got a 1027", tries(1, 0)),
        case("no-retry-on-1027", Pass, "1 call got a 1027", numbers(1)),
        case("no-retry-on-1027", Warn, "call 1 got a 1027 and was repeated once", numbers(2)),
        case("no-retry-on-1027", Fail, "call 1 got a 1027 and was repeated 2 times", numbers(3)),
    ]
}

/// So many requests, each of which fails so often and then succeeds.
fn tries(requests: u64, failures: u64) -> Script {
    (0..requests).fold(client(), |mut script, request| {
        for attempt in 0..=failures {
            let status = if attempt < failures { 503 } else { 200 };
            let at = request * 100_000 + attempt * (600 + attempt);
            script = script.call(&format!("reviews {request}")).at(at).answered(1, status);
        }
        script
    })
}

/// So many requests, of which so many fail once.
fn budget(requests: u64, failing: u64) -> Script {
    (0..requests).fold(client(), |mut script, request| {
        let (what, at) = (format!("reviews {request}"), request * 10_000);
        if request < failing {
            script = script.call(&what).at(at).answered(1, 503);
        }
        script.call(&what).at(at + 500).answered(1, 200)
    })
}

fn repeated(statuses: &[u16]) -> Script {
    let calls = statuses.iter().zip(0..);
    calls.fold(client(), |script, (status, turn)| script.call("reviews").at(turn * 601).answered(1, *status))
}

fn numbers(times: u64) -> Script {
    (0..times).fold(client(), |script, turn| {
        script.call("sentiment-benchmark").at(turn * 601).answered(1, 429).code(1027)
    })
}

#[test]
fn a_call_after_a_success_is_a_new_first_try() {
    let script = (0..10).fold(client(), |script, turn| {
        let script = script.call("contact").at(turn * 10_000).answered(1, 503);
        script.call("contact").at(turn * 10_000 + 500).answered(1, 200)
    });
    assert_eq!(rule(&script, "attempts").verdict, Pass);
    assert_eq!(rule(&script, "attempts").message, "10 requests failed; at most 2 attempts were made");
}

#[test]
fn thresholds_and_rules_are_set_by_the_scenario() {
    let script = tries(1, 6);
    assert_eq!(rule(&script, "attempts").verdict, Fail);
    let generous = script.clone().set("attempts", &[("fail", Limit::Count(8))]);
    assert_eq!(rule(&generous, "attempts").verdict, Warn);
    let off = super::rules(&script.off("attempts"));
    assert_eq!((off.len(), off.iter().any(|rule| rule.id == "attempts")), (20, false));
}
