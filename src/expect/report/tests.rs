//! The forms of a report with hostile texts in it.

use serde_json::json;

use crate::expect::report::github::{annotations, github_summary};
use crate::expect::report::html::html;
use crate::expect::report::junit::junit;
use crate::expect::report::{
    CommandReport, Coverage, ExpectationReport, FaultReport, Finding, Member, Nearest, Overall, Pair,
    Reaction, Report, RuleReport, Verdict,
};

/// What a review text may be.
const SCRIPT: &str = "<script>alert('x')</script>\u{0}\u{1b}[31m\u{202e}\"]]>&amp;";

fn rule(id: &'static str, verdict: Verdict, message: &str) -> RuleReport {
    RuleReport {
        id,
        title: "A wait that the server asks for is kept",
        verdict,
        message: message.to_owned(),
        findings: Vec::new(),
        mend: "Wait as long as Retry-After says before the next call.",
        source: "RFC 9110 10.2.3",
        exercise: "rate-limited",
    }
}

fn finding(verdict: Verdict, message: &str) -> Finding {
    Finding { verdict, calls: vec![13, 14], deliveries: vec![], message: message.to_owned() }
}

pub(super) fn sample() -> Report {
    let asked = "call 14 came 212 ms after an 89 that asked for 2 s";
    let member = |member: &str, expected, received, agrees| Member {
        member: member.to_owned(),
        expected,
        received,
        agrees,
    };
    Report {
        standin: 1,
        report: "run",
        scenario: "demo".to_owned(),
        seed: 42,
        world: "default".to_owned(),
        verdict: Overall::Fail,
        incomplete: false,
        dropped: 0,
        calls: 17,
        transport_retries: 1,
        exit: Some(1),
        command: Some(CommandReport {
            argv: vec!["npm".to_owned(), "test".to_owned()],
            exit: 0,
            signal: None,
            timed_out: false,
            duration_ms: 812,
        }),
        expectations: vec![
            ExpectationReport {
                name: "gives up on a bad key".to_owned(),
                passed: true,
                message: "no call was answered 1161, so that nothing is expected".to_owned(),
                nearest: None,
            },
            ExpectationReport {
                name: "stores Ann".to_owned(),
                passed: false,
                message: "no call matches; expected: 1".to_owned(),
                nearest: Some(Nearest {
                    call: 14,
                    members: vec![
                        member("operation", json!("contact"), json!("contact"), true),
                        member("key", json!("key:demo"), json!("key:demo"), true),
                        member("body /firstName", json!("Ann"), json!("Bob"), false),
                        member("body /comments", json!("fine"), json!(SCRIPT), false),
                        member("body /tags", json!(["vip", "new"]), json!(null), false),
                    ],
                }),
            },
        ],
        rules: vec![
            RuleReport {
                findings: vec![finding(Verdict::Fail, asked), finding(Verdict::Fail, SCRIPT)],
                ..rule("retry-after", Verdict::Fail, "2 of 3 waits were too short")
            },
            RuleReport {
                findings: vec![finding(Verdict::Warn, "4 attempts of one call")],
                ..rule("attempts", Verdict::Warn, "4 attempts, 3 are enough")
            },
            rule("same-read", Verdict::Pass, "no read was answered twice within 5 s"),
            rule("grows", Verdict::NotExercised, "fewer than 8 chains of 4 attempts"),
        ],
        faults: vec![FaultReport {
            name: "limit".to_owned(),
            struck: 3,
            then: vec![
                Reaction { call: 13, did: "retried", next: Some(14), after_ms: Some(212.4) },
                Reaction { call: 15, did: "hammered", next: Some(16), after_ms: Some(0.42) },
                Reaction { call: 17, did: "gave up", next: None, after_ms: None },
            ],
        }],
        coverage: Coverage {
            met: 5,
            of: 61,
            pairs: vec![
                Pair { operation: "reviews", code: None, calls: 12 },
                Pair { operation: "reviews", code: Some(89), calls: 3 },
                Pair { operation: "contact", code: None, calls: 2 },
            ],
        },
    }
}

#[test]
fn junit_has_a_case_for_each_rule_and_expectation() {
    let xml = junit(&sample());
    for part in [
        "<testsuites name=\"standin\" tests=\"6\" failures=\"2\" errors=\"0\">",
        "<testsuite name=\"scorecard\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\">",
        "<testsuite name=\"expectations\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">",
        "name=\"retry-after\" time=\"0\">\n      <failure type=\"fail\" message=\"2 of 3 waits were too short\">",
        "name=\"same-read\" time=\"0\"/>",
        "<skipped message=\"fewer than 8 chains of 4 attempts; the scenario rate-limited exercises it\"/>",
        "<system-out>4 attempts, 3 are enough\nwarn: 4 attempts of one call (calls 13, 14)",
        "! body /firstName: expected &quot;Ann&quot;, received &quot;Bob&quot;",
    ] {
        assert!(xml.contains(part), "{part}\n{xml}");
    }
}

#[test]
fn junit_passes_no_rule_of_an_incomplete_journal() {
    let report = Report { incomplete: true, dropped: 1, verdict: Overall::Incomplete, ..sample() };
    let xml = junit(&report);
    assert!(xml.contains("failures=\"2\" errors=\"3\""), "{xml}");
    assert!(xml.contains("incomplete: the journal has dropped 1 entry, so nothing can pass"), "{xml}");
}

#[test]
fn hostile_texts_are_text_in_every_form() {
    let report = sample();
    for form in [junit(&report), html(&report), github_summary(&report)] {
        assert!(!form.contains("<script"), "{form}");
        assert!(!form.contains(['\u{0}', '\u{1b}']), "{form}");
    }
    assert!(html(&report).contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
    assert!(!junit(&report).contains("]]>"));
}

#[test]
fn the_page_has_every_part_and_loads_nothing() {
    let page = html(&sample());
    for part in [
        "<span class=\"verdict fail\">fail</span>",
        "call 14 came 212 ms after an 89 that asked for 2 s",
        "<tr class=\"differs\"><td><bdi>body /firstName</bdi></td>",
        "struck 3 times",
        "hammered",
        "0.4 ms",
        "5 of 61 pairs",
        "<code><bdi>npm test</bdi></code> ended with 0 after 812 ms",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["http://", "https://", "src=", "<script", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn failures_are_annotations_in_the_syntax_of_workflow_commands() {
    let mut report = sample();
    report.expectations[1].name = "a: b, c 100%".to_owned();
    report.expectations[1].message = "first\r\nsecond 5%".to_owned();
    let lines = annotations(&report);
    assert_eq!(lines[0], "::error title=Standin%3A a%3A b%2C c 100%25::first%0D%0Asecond 5%25");
    assert_eq!(
        lines[1],
        "::error title=Standin%3A retry-after::call 14 came 212 ms after an 89 that asked for 2 s"
    );
    assert_eq!(lines[2], "::warning title=Standin%3A attempts::4 attempts of one call");
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line.lines().count() == 1));
}

#[test]
fn the_summary_is_markdown_that_no_text_breaks() {
    let mut report = sample();
    report.expectations[1].message = "a | b\n# c [d](http://e) @f".to_owned();
    let summary = github_summary(&report);
    assert!(summary.starts_with("## Standin: demo, fail\n"), "{summary}");
    assert!(summary.contains("| `retry-after` | **fail** | 2 of 3 waits were too short |"), "{summary}");
    assert!(
        summary.contains(r"| stores Ann | **fail** | a \| b \# c \[d\]\(http&#58;//e\) &#64;f |"),
        "{summary}"
    );
    assert!(summary.contains("Not exercised: `grows`."), "{summary}");
}

/// Writes the forms into a folder, to look at them and to check them with other programs.
#[test]
#[ignore = "for the eye: REPORT_SAMPLES=FOLDER cargo test --lib report_samples -- --ignored"]
fn report_samples_are_written() {
    let Ok(folder) = std::env::var("REPORT_SAMPLES") else { return };
    let incomplete = Report { incomplete: true, dropped: 3, verdict: Overall::Incomplete, ..sample() };
    let empty =
        Report { verdict: Overall::Pass, expectations: vec![], rules: vec![], faults: vec![], ..sample() };
    for (name, report) in [("sample", sample()), ("incomplete", incomplete), ("empty", empty)] {
        for (ending, text) in
            [("xml", junit(&report)), ("html", html(&report)), ("md", github_summary(&report))]
        {
            std::fs::write(format!("{folder}/{name}.{ending}"), text).unwrap();
        }
    }
}
