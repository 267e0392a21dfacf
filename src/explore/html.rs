//! An exploration as one HTML page without scripts, which loads nothing.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::expect::report::escape::escape;
use crate::explore::finding::Finding;
use crate::explore::oracle::Outcome;
use crate::explore::plan::COLUMNS;
use crate::explore::report::{Exploration, Verdict};
use crate::explore::text::{SIGNS, cell};

const STYLE: &str = include_str!("../expect/report/report.css");
/// What the matrix needs beside that.
const MATRIX: &str = "\
table.matrix td, table.matrix th { text-align: center; padding: .3rem; white-space: nowrap; }\n\
table.matrix td:first-child, table.matrix th:first-child { text-align: start; }\n\
table.matrix .verdict { min-width: 1em; } pre { white-space: pre-wrap; overflow-wrap: anywhere; }\n";

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
        coverage(&mut page, exploration);
    }
    page.push_str("</main>\n<footer>Made by Standin.</footer>\n</body>\n</html>\n");
    page
}

fn matrix(page: &mut String, exploration: &Exploration) {
    page.push_str("<section>\n<h2>Classes of calls by faults</h2>\n<div class=\"scroll\"><table class=\"matrix\">\n<thead><tr><th></th>");
    for groups in COLUMNS.chunk_by(|(one, _), (other, _)| one == other) {
        let _ = write!(page, "<th colspan=\"{}\">{}</th>", groups.len(), groups[0].0.name());
    }
    page.push_str("</tr>\n<tr><th>class</th>");
    for (_, name) in COLUMNS {
        let _ = write!(page, "<th>{name}</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    let mut used = BTreeSet::new();
    for (place, class) in exploration.classes.all.iter().enumerate() {
        let _ = write!(page, "<tr><td>{}</td>", escape(&class.id));
        for (group, name) in COLUMNS {
            match cell(exploration, place, group, name) {
                Some(outcome) => {
                    let (place, sign) = sign(outcome);
                    used.insert(place);
                    let (style, name) = (style(outcome), outcome.name());
                    let _ = write!(
                        page,
                        "<td><span class=\"verdict {style}\" title=\"{name}\">{sign}</span></td>"
                    );
                }
                None => page.push_str("<td></td>"),
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></div>\n<p class=\"soft\">");
    for place in used {
        let (outcome, sign, meaning) = SIGNS[place];
        let _ = write!(page, "<span class=\"verdict {}\">{sign}</span> {meaning} &nbsp; ", style(outcome));
    }
    page.push_str("</p>\n</section>\n");
}

/// The place of an outcome in the legend, and its sign.
fn sign(outcome: Outcome) -> (usize, &'static str) {
    let place = SIGNS.iter().position(|(known, ..)| *known == outcome).unwrap_or_default();
    (place, SIGNS[place].1)
}

/// Which answers of the API were met.
fn coverage(page: &mut String, exploration: &Exploration) {
    let (struck, of) = exploration.points();
    let _ = write!(
        page,
        "<section>\n<h2>Coverage</h2>\n<p>{struck} of {of} points struck, {} of {} answers of the API met.</p>\n\
         <table>\n<thead><tr><th>operation</th><th>answers met</th></tr></thead>\n<tbody>\n",
        exploration.met.len(),
        exploration.pairs
    );
    let met: Vec<&(String, Option<u32>)> = exploration.met.iter().collect();
    for answers in met.chunk_by(|one, other| one.0 == other.0) {
        let codes =
            answers.iter().map(|(_, code)| code.map_or("success".to_owned(), |code| code.to_string()));
        let codes = codes.collect::<Vec<_>>().join(", ");
        let _ = writeln!(page, "<tr><td>{}</td><td>{codes}</td></tr>", escape(&answers[0].0));
    }
    page.push_str("</tbody>\n</table>\n</section>\n");
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
            "<details><summary>End of the output</summary><pre>{}</pre></details>",
            escape(&run.result.output)
        );
    }
    page.push_str("</article>\n");
}
