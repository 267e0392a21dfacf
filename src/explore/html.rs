//! An exploration as one HTML page without scripts, which loads nothing.

use std::fmt::Write;

use crate::expect::report::escape::escape;
use crate::explore::finding::Finding;
use crate::explore::oracle::Outcome;
use crate::explore::plan::COLUMNS;
use crate::explore::report::{Exploration, Verdict};
use crate::explore::text::cell;

const STYLE: &str = include_str!("../expect/report/report.css");
/// What the matrix needs beside that.
const MATRIX: &str = "\
table.matrix td { text-align: center; padding: .3rem; } table.matrix th { text-align: center; padding: .3rem; }\n\
table.matrix td:first-child, table.matrix th:first-child { text-align: start; }\n";

pub(crate) fn html(exploration: &Exploration) -> String {
    let mut page = String::with_capacity(16 << 10);
    let (verdict, class) = match exploration.verdict() {
        Verdict::Pass => ("pass", "pass"),
        Verdict::Findings => ("findings", "fail"),
        Verdict::Error => ("error", "fail"),
        Verdict::NotDeterministic => ("not deterministic", "fail"),
        Verdict::Interrupted => ("interrupted", "incomplete"),
    };
    let scenario = escape(&exploration.scenario);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"content-security-policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{scenario} explored: {verdict}</title>\n<style>\n{STYLE}{MATRIX}</style>\n</head>\n<body>\n\
         <header class=\"top\">\n<span class=\"verdict {class}\">{verdict}</span>\n<h1>{scenario}</h1>\n"
    );
    let (struck, of) = exploration.points();
    let facts = [
        ("runs", exploration.made().to_string()),
        ("cut", (exploration.runs.len() - exploration.made()).to_string()),
        ("points struck", format!("{struck} of {of}")),
        ("answers of the API met", format!("{} of {}", exploration.met.len(), exploration.pairs)),
        ("seed", exploration.seed.to_string()),
        ("exit code", exploration.exit().to_string()),
    ];
    page.push_str("<dl class=\"facts\">\n");
    for (name, value) in facts {
        let _ = writeln!(page, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    let _ = writeln!(
        page,
        "</dl>\n<p class=\"soft\"><code>{}</code></p>",
        escape(&exploration.command.join(" "))
    );
    if let Some((_, why)) = &exploration.refused {
        let _ = writeln!(page, "<p class=\"notice\">{}</p>", escape(why));
        for call in &exploration.differs {
            let _ = writeln!(page, "<p><code>{}</code></p>", escape(&call.to_string()));
        }
    }
    page.push_str("</header>\n<main>\n");
    if exploration.refused.is_none() {
        matrix(&mut page, exploration);
        findings(&mut page, exploration);
    }
    page.push_str("</main>\n<footer>Made by Standin.</footer>\n</body>\n</html>\n");
    page
}

fn matrix(page: &mut String, exploration: &Exploration) {
    page.push_str("<section>\n<h2>Classes of calls by faults</h2>\n<div class=\"scroll\"><table class=\"matrix\">\n<thead><tr><th>class</th>");
    for (group, name) in COLUMNS {
        let _ = write!(page, "<th title=\"{}\">{name}</th>", group.name());
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (place, class) in exploration.classes.all.iter().enumerate() {
        let _ = write!(page, "<tr><td>{}</td>", escape(&class.id));
        for (group, name) in COLUMNS {
            match cell(exploration, place, group, name) {
                Some(outcome) => {
                    let _ = write!(
                        page,
                        "<td><span class=\"verdict {}\">{}</span></td>",
                        style(outcome),
                        outcome.name()
                    );
                }
                None => page.push_str("<td></td>"),
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></div>\n</section>\n");
}

const fn style(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Survived => "pass",
        Outcome::Finding | Outcome::Error => "fail",
        Outcome::Unnoticed => "warn",
        Outcome::Failed | Outcome::Accepted | Outcome::Cut | Outcome::Planned => "idle",
    }
}

fn findings(page: &mut String, exploration: &Exploration) {
    if exploration.findings.is_empty() {
        page.push_str("<section>\n<h2>Findings</h2>\n<p>None.</p>\n</section>\n");
        return;
    }
    page.push_str("<section>\n<h2>Findings</h2>\n");
    for finding in &exploration.findings {
        article(page, exploration, finding);
    }
    page.push_str("</section>\n");
}

fn article(page: &mut String, exploration: &Exploration, finding: &Finding) {
    let run = &exploration.runs[finding.runs[0]];
    let (word, class) = match (finding.accepted, finding.flaky) {
        (true, _) => ("accepted", "idle"),
        (false, true) => ("flaky", "warn"),
        (false, false) => ("finding", "fail"),
    };
    let _ = writeln!(
        page,
        "<article>\n<div class=\"head\"><h3>{}</h3><span class=\"verdict {class}\">{word}</span></div>\n<p>{}</p>",
        escape(&run.entry.id()),
        escape(&finding.deviation.message)
    );
    if let Some(detail) = &finding.deviation.detail {
        let _ = writeln!(page, "<p>{}</p>", escape(detail));
    }
    for place in finding.runs.iter().skip(1) {
        let _ =
            writeln!(page, "<p class=\"soft\">also: {}</p>", escape(&exploration.runs[*place].entry.id()));
    }
    if let Some(count) = finding.count {
        let times = if count == 1 { "once" } else { &format!("{count} times") };
        let _ = writeln!(page, "<p class=\"soft\">The fault has to strike {times}.</p>");
    }
    let _ = writeln!(page, "<p><code>{}</code></p>", escape(&finding.line));
    if !run.result.output.is_empty() {
        let _ = writeln!(
            page,
            "<details><summary>End of the output</summary><p><code>{}</code></p></details>",
            escape(&run.result.output)
        );
    }
    page.push_str("</article>\n");
}
