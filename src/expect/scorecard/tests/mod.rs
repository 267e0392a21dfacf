//! Rules against minimal records: each verdict, and that verdict alone.

mod script;
mod waiting;
mod repeating;
mod writing;
mod reading;
mod key;
mod hooks;
mod whole;

use std::collections::BTreeSet;

use crate::expect::chain::Chains;
use crate::expect::report::{Finding, RuleReport, Verdict};
use crate::expect::scorecard::judge;
use crate::expect::scorecard::table::TABLE;
use script::Script;

/// A record, and the verdict of one rule on it.
struct Case {
    rule: &'static str,
    verdict: Verdict,
    script: Script,
    /// A part of the message of its first finding, or of the rule's message if it found nothing.
    says: &'static str,
}

fn case(rule: &'static str, verdict: Verdict, says: &'static str, script: Script) -> Case {
    Case { rule, verdict, script, says }
}

fn rules(script: &Script) -> Vec<RuleReport> {
    let record = script.record();
    judge(&record, &Chains::new(&record.calls))
}

/// What a rule says.
fn rule(script: &Script, id: &str) -> RuleReport {
    rules(script).into_iter().find(|rule| rule.id == id).unwrap()
}

fn messages(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.message.as_str()).collect()
}

fn cases() -> Vec<Case> {
    [waiting::cases(), repeating::cases(), writing::cases(), reading::cases(), key::cases(), hooks::cases()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn each_record_has_the_wanted_verdict_of_one_rule_and_nothing_against_any_other() {
    for Case { rule, verdict, script, says } in cases() {
        for report in rules(&script) {
            if report.id == rule {
                assert_eq!(report.verdict, verdict, "{rule}, {says}: {report:#?}");
                let message =
                    report.findings.first().map_or(report.message.as_str(), |finding| &finding.message);
                assert!(message.contains(says), "{rule}: {says:?} is not in {message:?}");
            } else {
                let is_fine = report.verdict <= Verdict::Pass;
                assert!(is_fine, "{rule}, {says}: also {}: {:?}", report.id, messages(&report.findings));
            }
        }
    }
}

#[test]
fn every_verdict_of_every_rule_has_a_record() {
    let tried: BTreeSet<(&str, Verdict)> = cases().iter().map(|case| (case.rule, case.verdict)).collect();
    for rule in &TABLE {
        let wanted = [Verdict::Pass, Verdict::Warn, Verdict::Fail].into_iter().zip(rule.verdicts);
        let wanted = wanted.filter(|(_, when)| !when.is_empty()).map(|(verdict, _)| verdict);
        for verdict in wanted.chain([Verdict::NotExercised]) {
            assert!(tried.contains(&(rule.id, verdict)), "no record for {verdict:?} of {}", rule.id);
        }
    }
}

#[test]
fn an_empty_record_exercises_nothing() {
    for rule in rules(&script::client()) {
        assert_eq!((rule.verdict, rule.findings.len()), (Verdict::NotExercised, 0), "{}", rule.id);
    }
}
