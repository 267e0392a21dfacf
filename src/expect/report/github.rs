//! The report for GitHub Actions: a summary of the job in Markdown, and annotations.

use std::fmt::Write;

use crate::expect::report::{Report, RuleReport, Verdict};
use crate::expect::words;

/// Maximum number of findings of a rule that the summary shows.
const MAX_FINDINGS: usize = 10;
/// Maximum number of annotations of each kind. GitHub shows no more of a step.
const MAX_ANNOTATIONS: usize = 10;
/// Maximum number of characters of a text. A summary has at most 1 MiB.
const MAX_TEXT: usize = 500;

/// What is appended to the file that `GITHUB_STEP_SUMMARY` names.
pub(crate) fn github_summary(report: &Report) -> String {
    let mut text = format!("## Standin: {}, {}\n\n", markdown(&report.scenario), report.verdict.name());
    let _ = write!(text, "{}, seed {}", words::count(report.calls, "call"), report.seed);
    if let Some(command) = &report.command {
        let _ = write!(text, "; {} ended with {}", markdown(&command.argv.join(" ")), command.exit);
    }
    text.push_str(".\n\n");
    if let Some(incomplete) = report.incomplete_message() {
        let _ = writeln!(text, "> {incomplete}\n");
    }
    if !report.rules.is_empty() {
        text.push_str("| rule | verdict | |\n|---|---|---|\n");
        let shown = report.rules.iter().filter(|rule| rule.verdict != Verdict::NotExercised);
        for rule in shown {
            let _ =
                writeln!(text, "| `{}` | {} | {} |", rule.id, strong(rule.verdict), markdown(&rule.message));
        }
        let idle = report.rules.iter().filter(|rule| rule.verdict == Verdict::NotExercised);
        let idle: Vec<String> = idle.map(|rule| format!("`{}`", rule.id)).collect();
        if !idle.is_empty() {
            let _ = writeln!(text, "\nNot exercised: {}.", idle.join(", "));
        }
        text.push('\n');
    }
    for rule in report.rules.iter().filter(|rule| is_conspicuous(rule)) {
        let _ = writeln!(text, "**{}**\n", markdown(rule.title));
        for finding in rule.findings.iter().take(MAX_FINDINGS) {
            let _ = writeln!(text, "- {}: {}", finding.verdict.name(), markdown(&finding.message));
        }
        let more = rule.findings.len().saturating_sub(MAX_FINDINGS);
        if more > 0 {
            let _ = writeln!(text, "- {more} more");
        }
        let _ = writeln!(text, "\n{}\n", markdown(rule.mend));
    }
    if !report.expectations.is_empty() {
        text.push_str("| expectation | | |\n|---|---|---|\n");
        for expectation in &report.expectations {
            let verdict = if expectation.passed { "pass" } else { "**fail**" };
            let (name, message) = (markdown(&expectation.name), markdown(&expectation.message));
            let _ = writeln!(text, "| {name} | {verdict} | {message} |");
        }
    }
    text
}

/// Lines for standard output, which GitHub shows as annotations.
pub(crate) fn annotations(report: &Report) -> Vec<String> {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    if let Some(incomplete) = report.incomplete_message() {
        errors.push(("Standin".to_owned(), incomplete));
    }
    for expectation in report.expectations.iter().filter(|expectation| !expectation.passed) {
        errors.push((format!("Standin: {}", expectation.name), expectation.message.clone()));
    }
    for rule in &report.rules {
        let list = match rule.verdict {
            Verdict::Fail => &mut errors,
            Verdict::Warn => &mut warnings,
            Verdict::Pass | Verdict::NotExercised => continue,
        };
        let first = rule.findings.iter().find(|finding| finding.verdict == rule.verdict);
        let message = first.map_or(&rule.message, |finding| &finding.message);
        list.push((format!("Standin: {}", rule.id), message.clone()));
    }
    let lines = |kind: &'static str, list: Vec<(String, String)>| {
        let shown = list.into_iter().take(MAX_ANNOTATIONS);
        shown.map(move |(title, message)| {
            format!("::{kind} title={}::{}", property(&cut(&title)), data(&cut(&message)))
        })
    };
    lines("error", errors).chain(lines("warning", warnings)).collect()
}

fn is_conspicuous(rule: &RuleReport) -> bool {
    matches!(rule.verdict, Verdict::Warn | Verdict::Fail)
}

fn strong(verdict: Verdict) -> String {
    match verdict {
        Verdict::Fail | Verdict::Warn => format!("**{}**", verdict.name()),
        Verdict::Pass | Verdict::NotExercised => verdict.name().to_owned(),
    }
}

/// Text as one line of Markdown that means nothing else.
fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in cut(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '|' | '~' | '!' => {
                escaped.push('\\');
                escaped.push(c);
            }
            // No mention of a person, and no link.
            '@' => escaped.push_str("&#64;"),
            ':' => escaped.push_str("&#58;"),
            _ if c.is_control() => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// The value of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The beginning of a text, without what a terminal would obey and what changes the direction of its surroundings.
fn cut(text: &str) -> String {
    let is_plain = |c: &char| match c {
        '\n' | '\r' | '\t' => true,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !c.is_control(),
    };
    let mut short: String = text.chars().filter(is_plain).take(MAX_TEXT).collect();
    if text.chars().filter(is_plain).count() > MAX_TEXT {
        short.push('…');
    }
    short
}
