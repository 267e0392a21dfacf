//! An exploration as a text for terminals: a matrix of classes by faults, and the findings.

use std::fmt::Write;

use crate::expect::words;
use crate::explore::finding::{Finding, Run};
use crate::explore::oracle::Outcome;
use crate::explore::plan::{COLUMNS, Group, Phase, Strike};
use crate::explore::report::{Exploration, Verdict};

/// How each outcome is shown in the matrix, the worst first, with its explanation.
pub(crate) const SIGNS: [(Outcome, &str, &str); 8] = [
    (Outcome::Finding, "X", "finding"),
    (Outcome::Error, "!", "the fault did not strike"),
    (Outcome::Accepted, "a", "accepted"),
    (Outcome::Cut, "-", "cut"),
    (Outcome::Unnoticed, "u", "unnoticed: exit 0 although the fault lasted"),
    (Outcome::Failed, "f", "failed, as it may"),
    (Outcome::Survived, ".", "survived"),
    (Outcome::Planned, "o", "planned"),
];

/// Columns of the matrix with their group.
fn heads() -> impl Iterator<Item = (usize, Group, &'static str)> {
    COLUMNS.iter().enumerate().map(|(place, (group, name))| (place, *group, *name))
}

/// The plan, as it is told before the first run.
pub(crate) fn plan(exploration: &Exploration) -> String {
    let (points, runs) = (exploration.points().1, exploration.runs.len());
    let classes = exploration.classes.all.len();
    let classes = if classes == 1 { "1 class".to_owned() } else { format!("{classes} classes") };
    let (points, runs) = (words::count(points, "point"), words::count(runs, "run"));
    let mut text = format!("{classes} of calls, {points}, {runs} with one fault each\n");
    let mut left: Vec<&Run> = exploration.runs.iter().collect();
    left.sort_by_key(|run| run.entry.strikes.first().map(|strike| strike.point));
    for runs in left.chunk_by(|one, other| one.entry.strikes[0].point == other.entry.strikes[0].point) {
        text += &plan_of_point(runs);
    }
    let cut = exploration.runs.len() - exploration.made();
    if cut > 0 {
        let _ = writeln!(text, "{cut} of these runs are cut (--runs)");
    }
    text
}

/// `contact-1 member 1 attempt 1: transient 503 89; lasting 1161`.
fn plan_of_point(runs: &[&Run]) -> String {
    let strikes = || runs.iter().flat_map(|run| &run.entry.strikes);
    let place = strikes().next().map(Strike::place).unwrap_or_default();
    let mut groups: Vec<String> = Vec::new();
    let mut last = None;
    for strike in strikes() {
        match groups.last_mut() {
            Some(group) if last == Some(strike.group) => {
                let _ = write!(group, " {}", strike.fault);
            }
            _ if strike.group.name() == strike.fault => groups.push(strike.fault.to_owned()),
            _ => groups.push(format!("{} {}", strike.group.name(), strike.fault)),
        }
        last = Some(strike.group);
    }
    format!("  {place}: {}\n", groups.join("; "))
}

/// The matrix.
pub(crate) fn matrix(exploration: &Exploration) -> String {
    let classes = &exploration.classes.all;
    let width = classes.iter().map(|class| class.id.len()).max().unwrap_or_default().max("class".len());
    let mut text = String::new();
    let mut groups = format!("{:width$}", "");
    let mut names = format!("{:width$}", "class");
    let mut last = None;
    for (_, group, name) in heads() {
        let column = name.len().max(3);
        let title = if last == Some(group) { "" } else { group.name() };
        last = Some(group);
        // A title may be longer than its first column, so it is placed by the length of the line of names.
        let pad = names.chars().count().saturating_sub(groups.chars().count());
        let _ = write!(groups, "{:pad$}", "");
        if !title.is_empty() {
            let _ = write!(groups, "  {title}");
        }
        let _ = write!(names, "  {name:>column$}");
    }
    text += groups.trim_end();
    text.push('\n');
    text += &names;
    text.push('\n');
    let mut used = Vec::new();
    for (place, class) in classes.iter().enumerate() {
        let _ = write!(text, "{:width$}", class.id);
        for (_, group, name) in heads() {
            let outcome = cell(exploration, place, group, name);
            let sign = SIGNS.iter().find(|(known, ..)| Some(*known) == outcome);
            if let Some((outcome, ..)) = sign {
                used.push(*outcome);
            }
            let column = name.len().max(3);
            let _ = write!(text, "  {:>column$}", sign.map_or("", |(_, sign, _)| sign));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    let legend: Vec<String> = SIGNS
        .iter()
        .filter(|(outcome, ..)| used.contains(outcome))
        .map(|(_, sign, meaning)| format!("{sign} {meaning}"))
        .collect();
    let _ = writeln!(text, "{}", legend.join("   "));
    text
}

/// The worst outcome of the runs with one fault at a class, of those that are in the matrix.
pub(crate) fn cell(exploration: &Exploration, class: usize, group: Group, fault: &str) -> Option<Outcome> {
    let runs = exploration.runs.iter().filter(|run| {
        // Of several points the last one is the one that was added.
        run.entry.strikes.last().is_some_and(|strike| {
            strike.point.class == class && (strike.group, strike.fault) == (group, fault)
        })
    });
    let rank = |outcome: &Outcome| SIGNS.iter().position(|(known, ..)| known == outcome);
    // Two faults show in the matrix only what is wrong, unless there is no run with one.
    let is_revealed = exploration.classes.all[class].revealed;
    let outcomes = runs.filter_map(|run| {
        let outcome = exploration.outcome(run);
        let is_wrong = matches!(outcome, Outcome::Finding | Outcome::Error);
        (run.entry.strikes.len() == 1 || is_wrong || is_revealed).then_some(outcome)
    });
    outcomes.min_by_key(rank)
}

/// The whole report.
pub(crate) fn text(exploration: &Exploration) -> String {
    if let Some((_, why)) = &exploration.refused {
        let mut text = format!("{why}\n");
        for call in &exploration.differs {
            let _ = writeln!(text, "  {call}");
        }
        return text;
    }
    let mut text = matrix(exploration);
    for finding in &exploration.findings {
        text.push('\n');
        text += &finding_text(exploration, finding);
    }
    text.push('\n');
    text += &summary(exploration);
    text
}

fn finding_text(exploration: &Exploration, finding: &Finding) -> String {
    let run = &exploration.runs[finding.runs[0]];
    let kind = match (finding.accepted, finding.flaky) {
        (true, _) => "accepted",
        (false, true) => "flaky finding",
        (false, false) => "finding",
    };
    let mut text = format!("{kind}: {}\n  {}\n", run.entry.id(), finding.deviation.message);
    if let Some(detail) = &finding.deviation.detail {
        let _ = writeln!(text, "  {detail}");
    }
    if finding.runs.len() > 1 {
        let others = finding.runs.iter().skip(1).map(|place| exploration.runs[*place].entry.id());
        let _ = writeln!(text, "  also: {}", others.collect::<Vec<_>>().join("; "));
    }
    if let Some(count) = finding.count {
        let enough = if count == 1 { "once is" } else { &format!("{count} times are") };
        let _ = writeln!(text, "  {enough} enough");
    }
    if !finding.accepted {
        for line in run.result.output.lines().rev().take(5).collect::<Vec<_>>().into_iter().rev() {
            let _ = writeln!(text, "  | {line}");
        }
    }
    let _ = writeln!(text, "  {}", finding.line);
    text
}

fn summary(exploration: &Exploration) -> String {
    let (struck, of) = exploration.points();
    let count = |outcome| exploration.runs.iter().filter(|run| exploration.outcome(run) == outcome).count();
    let shown: Vec<String> = SIGNS
        .iter()
        .filter_map(|(outcome, ..)| {
            let number = count(*outcome);
            (number > 0).then(|| format!("{number} {}", outcome.name()))
        })
        .collect();
    let mut text = format!(
        "{}: {}\n{struck} of {of} points struck, {} of {} answers of the API met\n",
        words::count(exploration.runs.len(), "run"),
        shown.join(", "),
        exploration.met.len(),
        exploration.pairs
    );
    let more = [(Phase::Revealed, "that runs revealed"), (Phase::Pair, "with two faults")];
    for (phase, what) in more {
        let number = exploration.planned(phase);
        if number > 0 {
            let _ = writeln!(text, "{number} of them at points {what}");
        }
    }
    let errors = exploration.runs.iter().filter(|run| run.result.outcome == Outcome::Error);
    for run in errors {
        let _ = writeln!(text, "error: the fault did not strike: {}", run.entry.id());
    }
    let findings = exploration.findings.iter().filter(|finding| !finding.accepted).count();
    let _ = match exploration.verdict() {
        Verdict::Pass => writeln!(text, "The client survives what was tried."),
        Verdict::Findings => writeln!(text, "{}.", words::count(findings, "finding")),
        Verdict::Error => {
            writeln!(text, "A fault did not strike: the command does not always make the same calls.")
        }
        Verdict::NotDeterministic => writeln!(text, "not deterministic"),
        Verdict::Interrupted => writeln!(text, "interrupted"),
    };
    text
}
