//! The result of each run, and the findings that are made of them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::explore::accept::Accepted;
use crate::explore::class::{Classes, Revealed};
use crate::explore::oracle::{Baseline, Deviation, Observed, Oracle, Outcome, deviations, outcome};
use crate::explore::plan::{Entry, Group};

/// What one run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunResult {
    /// Deviations left aside.
    pub(crate) outcome: Outcome,
    pub(crate) exit: Option<i32>,
    /// Number of calls; of a run that was ended, at most one more than is no storm.
    pub(crate) calls: Option<usize>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) deviations: Vec<Deviation>,
    /// How often each fault struck.
    pub(crate) struck: Vec<u64>,
    /// Which answers of the API it met: operations with their codes.
    pub(crate) met: BTreeSet<(String, Option<u32>)>,
    /// Points that the baseline does not have.
    pub(crate) revealed: Vec<Revealed>,
    /// The end of what the command wrote.
    pub(crate) output: String,
}

impl RunResult {
    /// The result of a run that was not made.
    pub(crate) fn unmade(outcome: Outcome) -> Self {
        Self {
            outcome,
            exit: None,
            calls: None,
            duration_ms: None,
            deviations: Vec::new(),
            struck: Vec::new(),
            met: BTreeSet::new(),
            revealed: Vec::new(),
            output: String::new(),
        }
    }

    /// Judges a run. `names` are those of its faults.
    pub(crate) fn new(
        (entry, names): (&Entry, &[String]),
        baseline: &Baseline,
        classes: &Classes,
        observed: &Observed,
    ) -> Self {
        let outcome = outcome(entry, names, observed);
        let is_error = outcome == Outcome::Error;
        let was_ended = observed.hung || observed.stormed;
        let made = observed.calls.len();
        let most = if was_ended { baseline.most_calls() + 1 } else { usize::MAX };
        Self {
            outcome,
            exit: Some(if was_ended { 124 } else { observed.exit }),
            calls: Some(made.min(most)),
            duration_ms: Some(u64::try_from(observed.duration.as_millis()).unwrap_or(u64::MAX)),
            deviations: if is_error {
                Vec::new()
            } else {
                deviations((entry, names), baseline, classes, observed)
            },
            struck: observed.struck.clone(),
            met: observed.met.iter().map(|(operation, code)| ((*operation).to_owned(), *code)).collect(),
            revealed: if is_error || was_ended {
                Vec::new()
            } else {
                classes.revealed(&observed.calls, names)
            },
            output: observed.output.clone(),
        }
    }
}

/// Where the deviations of an entry are accepted.
pub(crate) fn accepted_at(entry: &Entry, classes: &Classes, deviation: &Deviation) -> Accepted {
    let at = entry.strikes.iter().map(|strike| {
        let (name, point) = (classes.stable_name(strike.point.class), strike.point);
        format!("{name} {}.{} {} {}", point.member, point.attempt, strike.group.name(), strike.fault)
    });
    Accepted { at: at.collect::<Vec<_>>().join(" + "), deviation: deviation.kind().to_owned() }
}

/// An entry and what its run came to.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) entry: Entry,
    pub(crate) result: RunResult,
}

impl Run {
    /// What a report says it came to.
    pub(crate) fn outcome(&self, classes: &Classes, accepted: &BTreeSet<Accepted>) -> Outcome {
        let mut deviations = self.result.deviations.iter().peekable();
        if deviations.peek().is_none() {
            return self.result.outcome;
        }
        let is_accepted =
            deviations.all(|deviation| accepted.contains(&accepted_at(&self.entry, classes, deviation)));
        if is_accepted { Outcome::Accepted } else { Outcome::Finding }
    }
}

/// Runs that deviate in the same way at the same class.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) id: String,
    /// The places of the runs. The first one is repeated.
    pub(crate) runs: Vec<usize>,
    pub(crate) group: Group,
    pub(crate) deviation: Deviation,
    pub(crate) accepted: bool,
    /// How many of the repetitions showed it again.
    pub(crate) confirmed: u32,
    pub(crate) flaky: bool,
    /// The smallest number of times that a lasting fault has to strike.
    pub(crate) count: Option<u64>,
    pub(crate) line: String,
}

impl Finding {
    /// Whether a run shows it.
    pub(crate) fn is_shown_by(&self, deviations: &[Deviation]) -> bool {
        let Deviation { oracle, rule, .. } = &self.deviation;
        // A loop is ended for its calls or for its time, whichever comes first.
        let is_endless = |oracle: Oracle| matches!(oracle, Oracle::Hang | Oracle::Storm);
        deviations.iter().any(|other| {
            (other.oracle, &other.rule) == (*oracle, rule)
                || (is_endless(*oracle) && is_endless(other.oracle))
        })
    }
}

/// The findings of some runs, in the order of the runs.
pub(crate) fn findings(runs: &[Run], classes: &Classes, accepted: &BTreeSet<Accepted>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        for deviation in &run.result.deviations {
            let is_accepted = accepted.contains(&accepted_at(&run.entry, classes, deviation));
            let classes_of = |entry: &Entry| -> BTreeSet<usize> {
                entry.strikes.iter().map(|strike| strike.point.class).collect()
            };
            let same = findings.iter_mut().find(|finding| {
                let first = &runs[finding.runs[0]].entry;
                let known = &finding.deviation;
                (known.oracle, &known.rule) == (deviation.oracle, &deviation.rule)
                    && (finding.accepted, finding.group) == (is_accepted, run.entry.group())
                    && classes_of(first) == classes_of(&run.entry)
            });
            if let Some(finding) = same {
                finding.runs.push(place);
                continue;
            }
            findings.push(Finding {
                id: format!("{}: {}", deviation.kind(), run.entry.id()),
                runs: vec![place],
                group: run.entry.group(),
                deviation: deviation.clone(),
                accepted: is_accepted,
                confirmed: 0,
                flaky: false,
                count: None,
                line: String::new(),
            });
        }
    }
    findings
}
