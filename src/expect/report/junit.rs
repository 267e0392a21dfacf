//! The report as JUnit XML: the suites `scorecard` and `expectations`, with a case for each rule and expectation.

use std::fmt::Write;

use crate::expect::report::escape::escape;
use crate::expect::report::{ExpectationReport, Member, Report, RuleReport, Verdict};

/// The result of a case.
enum Outcome {
    Passed,
    Failed,
    /// Nobody can tell, since the journal is incomplete.
    Error,
    Skipped,
}

struct Case {
    name: String,
    outcome: Outcome,
    /// One line.
    message: String,
    /// The details.
    text: String,
}

pub(crate) fn junit(report: &Report) -> String {
    let rules: Vec<Case> = report.rules.iter().map(|rule| rule_case(report, rule)).collect();
    let expectations: Vec<Case> = report.expectations.iter().map(expectation_case).collect();
    let (failures, errors) =
        (count(&rules, &expectations, is_failure), count(&rules, &expectations, is_error));
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let total = rules.len() + expectations.len();
    let _ = writeln!(
        xml,
        "<testsuites name=\"standin\" tests=\"{total}\" failures=\"{failures}\" errors=\"{errors}\">"
    );
    suite(&mut xml, report, "scorecard", &rules);
    suite(&mut xml, report, "expectations", &expectations);
    xml.push_str("</testsuites>\n");
    xml
}

fn is_failure(case: &Case) -> bool {
    matches!(case.outcome, Outcome::Failed)
}

fn is_error(case: &Case) -> bool {
    matches!(case.outcome, Outcome::Error)
}

fn count(rules: &[Case], expectations: &[Case], is: fn(&Case) -> bool) -> usize {
    rules.iter().chain(expectations).filter(|case| is(case)).count()
}

fn rule_case(report: &Report, rule: &RuleReport) -> Case {
    let mut text = String::new();
    for finding in &rule.findings {
        let cited = finding.cited();
        let cited = if cited.is_empty() { cited } else { format!(" ({cited})") };
        let _ = writeln!(text, "{}: {}{cited}", finding.verdict.name(), finding.message);
    }
    let is_conspicuous = matches!(rule.verdict, Verdict::Warn | Verdict::Fail);
    if is_conspicuous && !rule.mend.is_empty() {
        let _ = writeln!(text, "To mend it: {}", rule.mend);
    }
    if is_conspicuous && !rule.source.is_empty() {
        let _ = writeln!(text, "Source: {}", rule.source);
    }
    let (outcome, message) = match (rule.verdict, report.incomplete_message()) {
        (Verdict::Fail, _) => (Outcome::Failed, rule.message.clone()),
        (_, Some(incomplete)) => (Outcome::Error, incomplete),
        (Verdict::NotExercised, None) => {
            let exercise = match rule.exercise {
                "" => String::new(),
                name => format!("; the scenario {name} exercises it"),
            };
            (Outcome::Skipped, format!("{}{exercise}", rule.message))
        }
        (Verdict::Pass | Verdict::Warn, None) => (Outcome::Passed, rule.message.clone()),
    };
    if rule.verdict == Verdict::Warn {
        text = format!("{}\n{text}", rule.message);
    }
    Case { name: rule.id.to_owned(), outcome, message, text }
}

fn expectation_case(expectation: &ExpectationReport) -> Case {
    let mut text = String::new();
    if let Some(nearest) = &expectation.nearest {
        let _ = writeln!(text, "nearest: call {}", nearest.call);
        for Member { member, expected, received, agrees } in &nearest.members {
            let _ = match agrees {
                true => writeln!(text, "  {member}: {received}"),
                false => writeln!(text, "! {member}: expected {expected}, received {received}"),
            };
        }
    }
    Case {
        name: expectation.name.clone(),
        outcome: if expectation.passed { Outcome::Passed } else { Outcome::Failed },
        message: expectation.message.clone(),
        text,
    }
}

fn suite(xml: &mut String, report: &Report, name: &str, cases: &[Case]) {
    let skipped = cases.iter().filter(|case| matches!(case.outcome, Outcome::Skipped)).count();
    let _ = writeln!(
        xml,
        "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{skipped}\">",
        cases.len(),
        count(cases, &[], is_failure),
        count(cases, &[], is_error),
    );
    xml.push_str("    <properties>\n");
    for (name, value) in [
        ("scenario", report.scenario.clone()),
        ("seed", report.seed.to_string()),
        ("world", report.world.clone()),
        ("verdict", report.verdict.name().to_owned()),
        ("calls", report.calls.to_string()),
        ("dropped", report.dropped.to_string()),
    ] {
        let _ = writeln!(xml, "      <property name=\"{name}\" value=\"{}\"/>", escape(&value));
    }
    xml.push_str("    </properties>\n");
    for case in cases {
        write_case(xml, name, case);
    }
    xml.push_str("  </testsuite>\n");
}

fn write_case(xml: &mut String, suite: &str, Case { name, outcome, message, text }: &Case) {
    let (message, text) = (escape(message), escape(text));
    let _ = write!(xml, "    <testcase classname=\"standin.{suite}\" name=\"{}\" time=\"0\"", escape(name));
    let inner = match outcome {
        Outcome::Failed => {
            format!("<failure type=\"fail\" message=\"{message}\">{message}\n{text}</failure>")
        }
        Outcome::Error => format!("<error type=\"incomplete\" message=\"{message}\">{text}</error>"),
        Outcome::Skipped => format!("<skipped message=\"{message}\"/>"),
        Outcome::Passed if text.is_empty() => String::new(),
        Outcome::Passed => format!("<system-out>{text}</system-out>"),
    };
    let _ = if inner.is_empty() {
        writeln!(xml, "/>")
    } else {
        writeln!(xml, ">\n      {inner}\n    </testcase>")
    };
}
