//! The report as one HTML page without scripts, which loads nothing.

use std::fmt::Write;
use std::time::Duration;

use serde_json::Value;

use crate::expect::report::escape::escape;
use crate::expect::report::{
    CommandReport, Coverage, ExpectationReport, FaultReport, Nearest, Overall, Report, RuleReport, Verdict,
};

const STYLE: &str = include_str!("report.css");
/// Maximum number of findings of a rule, and of reactions to a fault.
const MAX_ROWS: usize = 200;
/// Maximum number of characters of a value.
const MAX_VALUE: usize = 2000;

pub(crate) fn html(report: &Report) -> String {
    let mut page = String::with_capacity(16 << 10);
    let title = format!("{}: {}", report.scenario, report.verdict.name());
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"content-security-policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escape(&title)
    );
    header(&mut page, report);
    page.push_str("<main>\n");
    rules(&mut page, &report.rules);
    expectations(&mut page, &report.expectations);
    faults(&mut page, &report.faults);
    coverage(&mut page, &report.coverage);
    page.push_str(
        "</main>\n<footer>Made by Standin. API keys are shown by name only.</footer>\n</body>\n</html>\n",
    );
    page
}

fn header(page: &mut String, report: &Report) {
    let class = match report.verdict {
        Overall::Pass => "pass",
        Overall::Fail => "fail",
        Overall::Incomplete => "incomplete",
    };
    let _ = write!(
        page,
        "<header class=\"top\">\n<span class=\"verdict {class}\">{}</span>\n<h1>{}</h1>\n<dl class=\"facts\">\n",
        report.verdict.name(),
        text(&report.scenario)
    );
    let mut fact = |name: &str, value: String| {
        let _ = writeln!(page, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    };
    fact("calls", report.calls.to_string());
    if report.transport_retries > 0 {
        fact("transport retries", report.transport_retries.to_string());
    }
    let of = |verdict: Verdict| report.rules.iter().filter(|rule| rule.verdict == verdict).count();
    let counts = [Verdict::Fail, Verdict::Warn, Verdict::Pass, Verdict::NotExercised]
        .into_iter()
        .filter(|verdict| of(*verdict) > 0)
        .map(|verdict| format!("{} {}", of(verdict), verdict.name()));
    let counts: Vec<String> = counts.collect();
    if !counts.is_empty() {
        fact("rules", counts.join(", "));
    }
    if !report.expectations.is_empty() {
        let passed = report.expectations.iter().filter(|expectation| expectation.passed).count();
        fact("expectations", format!("{passed} of {} hold", report.expectations.len()));
    }
    fact("seed", report.seed.to_string());
    fact("world", text(&report.world));
    if let Some(exit) = report.exit {
        fact("exit code", exit.to_string());
    }
    page.push_str("</dl>\n");
    if let Some(command) = &report.command {
        let _ = writeln!(page, "<p class=\"soft\">{}</p>", how_it_ended(command));
    }
    if let Some(incomplete) = report.incomplete_message() {
        let _ = writeln!(page, "<p class=\"notice\">{}</p>", escape(&incomplete));
    }
    page.push_str("</header>\n");
}

fn how_it_ended(CommandReport { argv, exit, signal, timed_out, duration_ms }: &CommandReport) -> String {
    let how = match (timed_out, signal) {
        (true, _) => "was ended after its time".to_owned(),
        (false, Some(signal)) => format!("was ended by signal {signal}"),
        (false, None) => format!("ended with {exit}"),
    };
    format!(
        "{} {how} after {}",
        code(&argv.join(" ")),
        millis(Duration::from_millis(*duration_ms).as_secs_f64() * 1000.0)
    )
}

fn rules(page: &mut String, rules: &[RuleReport]) {
    if rules.is_empty() {
        return;
    }
    page.push_str("<section>\n<h2>Rules</h2>\n");
    let (shown, plain): (Vec<&RuleReport>, Vec<&RuleReport>) =
        rules.iter().partition(|rule| matches!(rule.verdict, Verdict::Fail | Verdict::Warn));
    for rule in shown {
        let _ = write!(
            page,
            "<article>\n<div class=\"head\"><h3>{}</h3>{}</div>\n<p class=\"soft\">{} · {}</p>\n",
            text(rule.title),
            verdict(rule.verdict),
            code(rule.id),
            text(&rule.message)
        );
        if !rule.findings.is_empty() {
            page.push_str("<ul class=\"findings\">\n");
            for finding in rule.findings.iter().take(MAX_ROWS) {
                let cited = finding.cited();
                let cited = if cited.is_empty() {
                    cited
                } else {
                    format!(" <span class=\"soft\">{}</span>", text(&cited))
                };
                let _ = writeln!(page, "<li>{}{cited}</li>", text(&finding.message));
            }
            more(page, rule.findings.len(), ("<li>", "</li>"));
            page.push_str("</ul>\n");
        }
        if !rule.mend.is_empty() {
            let _ = writeln!(page, "<p>{}</p>", text(rule.mend));
        }
        if !rule.source.is_empty() {
            let _ = writeln!(page, "<p class=\"soft\">Source: {}</p>", text(rule.source));
        }
        page.push_str("</article>\n");
    }
    if !plain.is_empty() {
        page.push_str("<div class=\"scroll\"><table>\n<thead><tr><th>rule</th><th>verdict</th><th></th></tr></thead>\n<tbody>\n");
        for rule in plain {
            let exercise = match (rule.verdict, rule.exercise) {
                (Verdict::NotExercised, name) if !name.is_empty() => {
                    format!(" <span class=\"soft\">The scenario {} exercises it.</span>", code(name))
                }
                _ => String::new(),
            };
            let _ = writeln!(
                page,
                "<tr><td>{}<br><span class=\"soft\">{}</span></td><td>{}</td><td>{}{exercise}</td></tr>",
                text(rule.title),
                code(rule.id),
                verdict(rule.verdict),
                text(&rule.message)
            );
        }
        page.push_str("</tbody></table></div>\n");
    }
    page.push_str("</section>\n");
}

fn expectations(page: &mut String, expectations: &[ExpectationReport]) {
    if expectations.is_empty() {
        return;
    }
    page.push_str("<section>\n<h2>Expectations</h2>\n");
    for ExpectationReport { name, passed, message, nearest } in expectations {
        let shown = if *passed { Verdict::Pass } else { Verdict::Fail };
        let _ = write!(
            page,
            "<article>\n<div class=\"head\"><h3>{}</h3>{}</div>\n<p>{}</p>\n",
            text(name),
            verdict(shown),
            text(message)
        );
        if let Some(nearest) = nearest {
            near_miss(page, nearest);
        }
        page.push_str("</article>\n");
    }
    page.push_str("</section>\n");
}

fn near_miss(page: &mut String, Nearest { call, members }: &Nearest) {
    let _ = write!(
        page,
        "<div class=\"scroll\"><table class=\"near\">\n<thead><tr><th>call {call}</th><th>expected</th><th>received</th><th></th></tr></thead>\n<tbody>\n"
    );
    for member in members {
        let (class, word) = if member.agrees { ("agrees", "agrees") } else { ("differs", "differs") };
        let _ = writeln!(
            page,
            "<tr class=\"{class}\"><td>{}</td><td>{}</td><td>{}</td><td>{word}</td></tr>",
            text(&member.member),
            value(&member.expected),
            value(&member.received)
        );
    }
    page.push_str("</tbody></table></div>\n");
}

fn faults(page: &mut String, faults: &[FaultReport]) {
    if faults.is_empty() {
        return;
    }
    page.push_str("<section>\n<h2>Faults, and what the client did</h2>\n");
    for FaultReport { name, struck, then } in faults {
        let times = if *struck == 1 { "once".to_owned() } else { format!("{struck} times") };
        let _ = write!(
            page,
            "<article>\n<div class=\"head\"><h3>{}</h3><span class=\"soft\">struck {times}</span></div>\n",
            text(name)
        );
        if !then.is_empty() {
            page.push_str("<div class=\"scroll\"><table>\n<thead><tr><th class=\"number\">call</th><th>the client</th><th class=\"number\">next call</th><th class=\"number\">after</th></tr></thead>\n<tbody>\n");
            for reaction in then.iter().take(MAX_ROWS) {
                let next = reaction.next.map_or_else(|| "–".to_owned(), |next| next.to_string());
                let _ = writeln!(
                    page,
                    "<tr><td class=\"number\">{}</td><td>{}</td><td class=\"number\">{next}</td><td class=\"number\">{}</td></tr>",
                    reaction.call,
                    text(reaction.did),
                    reaction.after_ms.map_or_else(|| "–".to_owned(), millis)
                );
            }
            more(page, then.len(), ("<tr><td colspan=\"4\">", "</td></tr>"));
            page.push_str("</tbody></table></div>\n");
        }
        page.push_str("</article>\n");
    }
    page.push_str("</section>\n");
}

fn coverage(page: &mut String, Coverage { met, of, pairs }: &Coverage) {
    if *of == 0 {
        return;
    }
    let percent = (met * 100 / of).min(100);
    let _ = write!(
        page,
        "<section>\n<h2>Coverage <small>{met} of {of} pairs of operation and code</small></h2>\n<div class=\"bar\"><div style=\"width: {percent}%\"></div></div>\n"
    );
    if !pairs.is_empty() {
        page.push_str("<div class=\"scroll\"><table>\n<thead><tr><th>operation</th><th>code</th><th class=\"number\">calls</th></tr></thead>\n<tbody>\n");
        for pair in pairs {
            let shown = pair.code.map_or_else(|| "success".to_owned(), |code| code.to_string());
            let _ = writeln!(
                page,
                "<tr><td>{}</td><td>{shown}</td><td class=\"number\">{}</td></tr>",
                code(pair.operation),
                pair.calls
            );
        }
        page.push_str("</tbody></table></div>\n");
    }
    page.push_str("</section>\n");
}

/// A row that tells how many are left out.
fn more(page: &mut String, total: usize, (before, after): (&str, &str)) {
    let left = total.saturating_sub(MAX_ROWS);
    if left > 0 {
        let _ = writeln!(page, "{before}{left} more, see the JSON report{after}");
    }
}

fn verdict(verdict: Verdict) -> String {
    let class = match verdict {
        Verdict::Pass => "pass",
        Verdict::Warn => "warn",
        Verdict::Fail => "fail",
        Verdict::NotExercised => "idle",
    };
    format!("<span class=\"verdict {class}\">{}</span>", verdict.name())
}

/// A text from elsewhere. It cannot change the direction of what stands around it.
fn text(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape(text))
}

fn code(text: &str) -> String {
    format!("<code><bdi>{}</bdi></code>", escape(text))
}

/// A value, and a text in quotes so that an empty one can be seen.
fn value(value: &Value) -> String {
    if value.is_null() {
        return "<span class=\"soft\">nothing</span>".to_owned();
    }
    let written = value.to_string();
    let mut short: String = written.chars().take(MAX_VALUE).collect();
    if short.len() < written.len() {
        short.push('…');
    }
    code(&short)
}

fn millis(millis: f64) -> String {
    if millis < 10.0 {
        format!("{millis:.1} ms")
    } else if millis < 1000.0 {
        format!("{millis:.0} ms")
    } else {
        format!("{:.2} s", millis / 1000.0)
    }
}
