//! An exploration as JUnit XML: a suite for each class of calls, with a case for each run.

use std::fmt::Write;

use crate::expect::report::escape::escape;
use crate::explore::finding::Run;
use crate::explore::oracle::Outcome;
use crate::explore::report::Exploration;

pub(crate) fn junit(exploration: &Exploration) -> String {
    let runs: &[Run] = if exploration.refused.is_none() { &exploration.runs } else { &[] };
    let refused = usize::from(exploration.refused.is_some());
    let all: Vec<&Run> = runs.iter().collect();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        "<testsuites name=\"standin explore\" tests=\"{}\" failures=\"{}\" errors=\"{}\">",
        all.len() + refused,
        count(exploration, &all, &[Outcome::Finding]),
        count(exploration, &all, &[Outcome::Error]) + refused
    );
    if let Some((_, why)) = &exploration.refused {
        let _ = write!(
            xml,
            "  <testsuite name=\"baseline\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n    \
             <testcase classname=\"baseline\" name=\"without faults\"><error message=\"{}\"/></testcase>\n  </testsuite>\n",
            escape(why)
        );
    }
    for (place, class) in exploration.classes.all.iter().enumerate() {
        // A run with two faults belongs to the class of the last one.
        let is_own = |run: &&&Run| run.entry.strikes.last().is_some_and(|strike| strike.point.class == place);
        let own: Vec<&Run> = all.iter().filter(is_own).copied().collect();
        if !own.is_empty() {
            suite(&mut xml, exploration, &class.id, &own);
        }
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn count(exploration: &Exploration, runs: &[&Run], outcomes: &[Outcome]) -> usize {
    runs.iter().filter(|run| outcomes.contains(&exploration.outcome(run))).count()
}

fn suite(xml: &mut String, exploration: &Exploration, name: &str, runs: &[&Run]) {
    let _ = writeln!(
        xml,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        escape(name),
        runs.len(),
        count(exploration, runs, &[Outcome::Finding]),
        count(exploration, runs, &[Outcome::Error]),
        count(exploration, runs, &[Outcome::Cut, Outcome::Planned])
    );
    for run in runs {
        let seconds =
            std::time::Duration::from_millis(run.result.duration_ms.unwrap_or_default()).as_secs_f64();
        let (outcome, id) = (exploration.outcome(run), run.entry.id());
        let _ = write!(
            xml,
            "    <testcase classname=\"{}\" name=\"{}\" time=\"{seconds:.3}\">",
            escape(name),
            escape(&id)
        );
        match outcome {
            Outcome::Finding => failure(xml, exploration, run),
            Outcome::Error => xml.push_str("<error message=\"the fault did not strike\"/>"),
            Outcome::Cut | Outcome::Planned => {
                let _ = write!(xml, "<skipped message=\"{}\"/>", outcome.name());
            }
            Outcome::Survived | Outcome::Failed | Outcome::Unnoticed | Outcome::Accepted => {
                let _ = write!(xml, "<system-out>{}</system-out>", outcome.name());
            }
        }
        xml.push_str("</testcase>\n");
    }
    xml.push_str("  </testsuite>\n");
}

fn failure(xml: &mut String, exploration: &Exploration, run: &Run) {
    let messages: Vec<&str> =
        run.result.deviations.iter().map(|deviation| deviation.message.as_str()).collect();
    let id = run.entry.id();
    let is_own = |place: &usize| exploration.runs[*place].entry.id() == id;
    let lines = exploration.findings.iter().filter(|finding| finding.runs.iter().any(is_own));
    let lines: Vec<&str> = lines.map(|finding| finding.line.as_str()).collect();
    let _ = write!(
        xml,
        "<failure message=\"{}\">{}\n\n{}</failure>",
        escape(&messages.join("; ")),
        escape(&lines.join("\n")),
        escape(&run.result.output)
    );
}
