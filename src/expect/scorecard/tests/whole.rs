//! The report as a whole.

use serde_json::json;

use super::rule;
use super::script::{Script, client};
use crate::expect::report::text::text;
use crate::expect::report::{ExpectationReport, Overall, Report, Score, Verdict};
use crate::fault::effect::Kind;

/// A client that does not wait, and gives up on another call.
fn hasty() -> Script {
    let script = client().call("reviews a").at(0).answered(3, 429).code(89).asks(2).struck(3, Kind::Error);
    let script = script.call("reviews a").at(215).answered(3, 200).call("qna").at(300).answered(1, 503);
    script
        .struck(1, Kind::Status)
        .call("contact")
        .at(400)
        .struck(2, Kind::Reset)
        .call("contact")
        .at(405)
        .answered(1, 200)
}

fn report(script: &Script, score: Score) -> Report {
    Report::new(&script.record(), Vec::new(), score)
}

#[test]
fn the_report_is_that_of_the_document() {
    let mut json = serde_json::to_value(report(&hasty(), Score::Normal)).unwrap();
    let rules = json["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 21);
    let first = &rules[0];
    assert_eq!(
        *first,
        json!({"id": "retry-after", "title": "Waits as long as Retry-After asks", "verdict": "fail", "message": "1 answer asked to wait",
            "findings": [{"verdict": "fail", "calls": [1, 2], "message": "call 2 came 212 ms after an 89 that asked for 2 s"}],
            "mend": first["mend"], "source": "RFC 9110 10.2.3, RFC 6585 4", "exercise": "rate-limited"})
    );
    assert_eq!(rules[2]["verdict"], "not exercised");
    json.as_object_mut().unwrap().remove("rules");
    assert_eq!(
        json,
        json!({"standin": 1, "report": "run", "scenario": "", "seed": 0, "world": "", "verdict": "fail", "incomplete": false,
            "dropped": 0, "calls": 5, "transportRetries": 0, "expectations": [],
            "faults": [
                {"name": "error", "struck": 1, "then": [{"call": 1, "did": "retried", "next": 2, "afterMs": 212.0}]},
                {"name": "status", "struck": 1, "then": [{"call": 3, "did": "gave up", "next": null, "afterMs": null}]},
                {"name": "reset", "struck": 1, "then": [{"call": 4, "did": "hammered", "next": 5, "afterMs": 3.0}]}],
            "coverage": {"met": 3, "of": 61, "pairs": [
                {"operation": "contact", "code": null, "calls": 1},
                {"operation": "reviews", "code": null, "calls": 1},
                {"operation": "reviews", "code": 89, "calls": 1}]}})
    );
}

#[test]
fn a_report_of_a_command_has_it_and_fails_with_it() {
    let quiet = || client().call("reviews").answered(1, 200);
    assert_eq!(report(&quiet().exit(0), Score::Normal).verdict, Overall::Pass);
    let failed = report(&quiet().exit(3), Score::Normal);
    assert_eq!(failed.verdict, Overall::Fail);
    assert_eq!(
        serde_json::to_value(failed.command).unwrap(),
        json!({"argv": ["client"], "exit": 3, "signal": null, "timedOut": false, "durationMs": 1})
    );
}

#[test]
fn the_score_decides_what_fails_the_whole() {
    let verdict = |script: &Script, score| report(script, score).verdict;
    assert_eq!(verdict(&hasty(), Score::Warn), Overall::Pass);
    let warned = client().call("reviews").at(0).answered(1, 503).call("reviews").at(2).answered(1, 200);
    assert_eq!(rule(&warned, "backs-off").verdict, Verdict::Warn);
    assert_eq!(verdict(&warned, Score::Normal), Overall::Pass);
    assert_eq!(verdict(&warned, Score::Strict), Overall::Fail);
    let told = client().call("qna").at(0).answered(1, 200).call("qna").at(9).answered(1, 200);
    assert_eq!(rule(&told, "same-read").verdict, Verdict::Warn);
    assert_eq!(verdict(&told, Score::Strict), Overall::Pass, "it is told and never fails");
}

#[test]
fn an_expectation_that_does_not_hold_fails_the_whole_whatever_the_score() {
    let expected =
        |passed| ExpectationReport { name: "e".into(), passed, message: "m".into(), nearest: None };
    let verdict = |passed| Report::new(&client().record(), vec![expected(passed)], Score::Warn).verdict;
    assert_eq!([verdict(true), verdict(false)], [Overall::Pass, Overall::Fail]);
}

#[test]
fn nothing_passes_where_calls_are_missing() {
    let script = client().call("reviews").answered(1, 200).dropped(3, 0);
    let incomplete = report(&script, Score::Normal);
    assert_eq!(
        (incomplete.verdict, incomplete.incomplete, incomplete.dropped),
        (Overall::Incomplete, true, 3)
    );
    assert!(incomplete.rules.iter().all(|rule| rule.verdict == Verdict::NotExercised));
    let failed = report(&hasty().dropped(3, 0), Score::Normal);
    assert_eq!((failed.verdict, failed.incomplete), (Overall::Fail, true), "what was seen was seen");
    let hooks = client().delivery("message.added", "c").attempt(0, 5, 200).dropped(0, 1);
    assert_eq!(rule(&hooks, "hook-acknowledged").verdict, Verdict::NotExercised);
}

#[test]
fn the_same_record_gives_the_same_bytes() {
    let bytes = || serde_json::to_string(&report(&hasty(), Score::Normal)).unwrap();
    assert_eq!(bytes(), bytes());
}

#[test]
fn many_findings_are_cut_and_the_worst_come_first() {
    let script = (0..150).fold(client(), |script, turn| {
        let asked = script.call(&format!("reviews {turn}")).at(turn * 100_000).answered(1, 503).asks(1);
        let wait = if turn == 149 { 10 } else { 90_000 };
        asked.call(&format!("reviews {turn}")).at(turn * 100_000 + 1 + wait).answered(1, 200)
    });
    let report = rule(&script, "retry-after");
    assert_eq!((report.findings.len(), report.findings[0].verdict), (100, Verdict::Fail));
    assert_eq!(report.message, "150 answers asked to wait; 50 more findings are left out");
}

#[test]
fn the_text_says_what_failed_and_what_would_exercise_the_rest() {
    insta::assert_snapshot!(text(&report(&hasty(), Score::Normal), false), @r"
    fail: 5 calls; rules: 3 passed, 1 warned, 1 failed, 16 not exercised
    fail: Waits as long as Retry-After asks (retry-after)
          call 2 came 212 ms after an 89 that asked for 2 s
          Read Retry-After and wait at least that long, plus a little at random, before any call with that key. [RFC 9110 10.2.3, RFC 6585 4]
    warn: Waits before a retry without a hint (backs-off)
          the median of 1 wait after a 5xx or a broken connection is 3 ms; call 5 came 3 ms after a reset
          Wait before each retry: for example 100 ms, then twice as long each time, each time a random part of it. [AWS SDK defaults]
    not exercised: 16 rules; scenarios that would: down, flaky, bad-key, invalid-number, lost-answers, silent, broken-answers, first-try-fails, tight-limit, live-conversation, webhook-faults
    fault error struck 1 time: 1 retried after 212 ms
    fault status struck 1 time: 1 gave up
    fault reset struck 1 time: 1 hammered after 3 ms
    coverage: 3 of 61 answers of the operations
    ");
    let coloured = text(&report(&hasty(), Score::Normal), true);
    assert!(coloured.contains("\u{1b}[1m\u{1b}[31mfail\u{1b}[0m"), "{coloured:?}");
}
