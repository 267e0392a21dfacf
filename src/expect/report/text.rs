//! The report as a short text for terminals.

use std::fmt::Write;
use std::time::Duration;

use anstyle::{AnsiColor, Color, Style};

use crate::expect::report::{FaultReport, Overall, Report, RuleReport, Verdict};
use crate::expect::words;

const GREEN: Style = colour(AnsiColor::Green);
const YELLOW: Style = colour(AnsiColor::Yellow);
const RED: Style = colour(AnsiColor::Red);
const PLAIN: Style = Style::new();

/// Most findings of a rule that are written. The others are counted.
const SHOWN: usize = 3;

const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour))).bold()
}

/// The report for people, with a final line break. `coloured` is for terminals.
pub(crate) fn text(report: &Report, coloured: bool) -> String {
    let mut text = Text { out: String::new(), coloured };
    text.verdict(report);
    for expectation in report.expectations.iter().filter(|expectation| !expectation.passed) {
        text.head("fail", RED, &expectation.name);
        text.line(&expectation.message);
    }
    for wanted in [Verdict::Fail, Verdict::Warn] {
        for rule in report.rules.iter().filter(|rule| rule.verdict == wanted) {
            text.rule(rule);
        }
    }
    text.not_exercised(&report.rules);
    for fault in &report.faults {
        text.fault(fault);
    }
    let coverage = &report.coverage;
    let _ = writeln!(text.out, "coverage: {} of {} answers of the operations", coverage.met, coverage.of);
    text.out
}

/// A text without control characters, which a terminal would obey.
fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter })
        .collect()
}

struct Text {
    out: String,
    coloured: bool,
}

impl Text {
    fn head(&mut self, word: &str, style: Style, title: &str) {
        let style = if self.coloured { style } else { PLAIN };
        let _ = writeln!(self.out, "{style}{word}{style:#}: {}", printable(title));
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "      {}", printable(line));
    }

    fn verdict(&mut self, report: &Report) {
        let rules = |verdict| report.rules.iter().filter(|rule| rule.verdict == verdict).count();
        let failed = report.expectations.iter().filter(|expectation| !expectation.passed).count();
        let (word, style) = match report.verdict {
            Overall::Pass => ("pass", GREEN),
            Overall::Fail => ("fail", RED),
            Overall::Incomplete => ("incomplete", YELLOW),
        };
        let mut parts = vec![words::count(report.calls, "call")];
        if let Some(command) = report.command.as_ref().filter(|command| command.exit != 0) {
            parts.push(format!("the command ended with {}", command.exit));
        }
        if !report.expectations.is_empty() {
            parts.push(format!(
                "{failed} of {} failed",
                words::count(report.expectations.len(), "expectation")
            ));
        }
        parts.push(format!(
            "rules: {} passed, {} warned, {} failed, {} not exercised",
            rules(Verdict::Pass),
            rules(Verdict::Warn),
            rules(Verdict::Fail),
            rules(Verdict::NotExercised)
        ));
        if report.dropped > 0 {
            let are =
                if report.dropped == 1 { "1 call is" } else { &format!("{} calls are", report.dropped) };
            parts.push(format!("{are} not known any more, so that nothing passes"));
        }
        self.head(word, style, &parts.join("; "));
    }

    fn rule(&mut self, rule: &RuleReport) {
        let (word, style) = if rule.verdict == Verdict::Fail { ("fail", RED) } else { ("warn", YELLOW) };
        self.head(word, style, &format!("{} ({})", rule.title, rule.id));
        for finding in rule.findings.iter().take(SHOWN) {
            self.line(&finding.message);
        }
        if let Some(more) = rule.findings.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            self.line(&format!("and {more} more"));
        }
        self.line(&format!("{} [{}]", rule.mend, rule.source));
    }

    fn not_exercised(&mut self, rules: &[RuleReport]) {
        let rules: Vec<_> = rules.iter().filter(|rule| rule.verdict == Verdict::NotExercised).collect();
        if rules.is_empty() {
            return;
        }
        let mut scenarios: Vec<&str> = Vec::new();
        for rule in &rules {
            if !scenarios.contains(&rule.exercise) {
                scenarios.push(rule.exercise);
            }
        }
        let number = words::count(rules.len(), "rule");
        let _ = writeln!(self.out, "not exercised: {number}; scenarios that would: {}", scenarios.join(", "));
    }

    fn fault(&mut self, fault: &FaultReport) {
        let struck = words::count(fault.struck, "time");
        let mut parts = Vec::new();
        for did in ["retried", "hammered", "hung up", "gave up"] {
            let all: Vec<_> = fault.then.iter().filter(|reaction| reaction.did == did).collect();
            let waits = all.iter().filter_map(|reaction| reaction.after_ms);
            let time =
                |millis: f64| words::time(Duration::try_from_secs_f64(millis / 1000.0).unwrap_or_default());
            let longest = waits.clone().max_by(f64::total_cmp).map(time);
            let when = match (waits.min_by(f64::total_cmp).map(time), longest) {
                (Some(shortest), Some(longest)) if shortest == longest => format!(" after {shortest}"),
                (Some(shortest), Some(longest)) => format!(" after {shortest} to {longest}"),
                _ => String::new(),
            };
            if !all.is_empty() {
                parts.push(format!("{} {did}{when}", all.len()));
            }
        }
        let then = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        let _ = writeln!(self.out, "fault {} struck {struck}{then}", printable(&fault.name));
    }
}
