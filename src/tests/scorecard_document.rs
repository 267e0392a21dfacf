//! docs/scorecard.md has what the table of rules says.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::expect::scorecard::table::{Rule, TABLE};

const DOCUMENT: &str = "docs/scorecard.md";
const BEGIN: &str = "<!-- The rest is written by `UPDATE=1 cargo test scorecard`. -->\n";

/// A cell of a table. A verdict that there is not has a dash.
fn cell(text: &str) -> &str {
    if text.is_empty() { "–" } else { text }
}

fn section(rule: &Rule) -> String {
    let Rule { id, title, why, mend, source, exercise, thresholds, .. } = rule;
    let mut out = format!("\n### {id}\n\n{title}. {why}\n\n");
    if !thresholds.is_empty() {
        out.push_str("| threshold | default | what |\n|---|---|---|\n");
        for threshold in *thresholds {
            let _ = writeln!(out, "| `{}` | {} | {} |", threshold.name, threshold.default, threshold.what);
        }
        out.push('\n');
    }
    let _ = writeln!(out, "What mends it: {mend} Source: {source}. The scenario `{exercise}` exercises it.");
    out
}

fn generated() -> String {
    let mut out = "\n## The rules\n\n| rule | pass | warn | fail |\n|---|---|---|---|\n".to_owned();
    for Rule { id, verdicts: [pass, warn, fail], .. } in &TABLE {
        let _ = writeln!(out, "| [`{id}`](#{id}) | {} | {} | {} |", cell(pass), cell(warn), cell(fail));
    }
    for rule in &TABLE {
        out.push_str(&section(rule));
    }
    out
}

#[test]
fn the_document_has_the_rules_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DOCUMENT);
    let written = fs::read_to_string(&path).unwrap();
    let (head, _) = written.split_once(BEGIN).unwrap();
    let wanted = format!("{head}{BEGIN}{}", generated());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, wanted).unwrap();
    } else {
        assert!(written == wanted, "UPDATE=1 cargo test scorecard writes {DOCUMENT}");
    }
}

#[test]
fn ids_and_thresholds_are_distinct() {
    let ids: BTreeSet<&str> = TABLE.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), TABLE.len());
    for rule in &TABLE {
        let names: BTreeSet<&str> = rule.thresholds.iter().map(|threshold| threshold.name).collect();
        assert_eq!(names.len(), rule.thresholds.len(), "{}", rule.id);
    }
}
