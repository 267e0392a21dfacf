//! All of an exploration, and its JSON.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::explore::accept::Accepted;
use crate::explore::class::Classes;
use crate::explore::finding::{Finding, Run};
use crate::explore::oracle::Outcome;
use crate::explore::plan::{Entry, Phase, Strike};

/// The verdict on the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Verdict {
    #[serde(rename = "pass")]
    Pass,
    #[serde(rename = "findings")]
    Findings,
    /// The command fails without faults, or a fault did not strike.
    #[serde(rename = "error")]
    Error,
    #[serde(rename = "not deterministic")]
    NotDeterministic,
    #[serde(rename = "interrupted")]
    Interrupted,
}

/// An exploration, as far as it has come.
#[derive(Clone, Debug)]
pub(crate) struct Exploration {
    pub(crate) scenario: String,
    pub(crate) seed: u64,
    pub(crate) command: Vec<String>,
    pub(crate) baselines: Vec<BaselineRun>,
    /// Calls that only some baselines made.
    pub(crate) differs: Vec<Value>,
    pub(crate) classes: Classes,
    pub(crate) runs: Vec<Run>,
    pub(crate) accepted: BTreeSet<Accepted>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) confirmations: usize,
    pub(crate) shrinking: usize,
    /// Which answers of the API were met, and how many there are.
    pub(crate) met: BTreeSet<(String, Option<u32>)>,
    pub(crate) pairs: usize,
    /// The number of the signal that ended it.
    pub(crate) signal: Option<i32>,
    /// Why nothing was explored.
    pub(crate) refused: Option<(Verdict, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BaselineRun {
    pub(crate) exit: i32,
    pub(crate) calls: usize,
    pub(crate) duration_ms: u64,
}

impl Exploration {
    pub(crate) fn outcome(&self, run: &Run) -> Outcome {
        run.outcome(&self.classes, &self.accepted)
    }

    pub(crate) fn verdict(&self) -> Verdict {
        if self.signal.is_some() {
            return Verdict::Interrupted;
        }
        if let Some((verdict, _)) = self.refused {
            return verdict;
        }
        if self.findings.iter().any(|finding| !finding.accepted) {
            return Verdict::Findings;
        }
        let has_errors = self.runs.iter().any(|run| run.result.outcome == Outcome::Error);
        if has_errors { Verdict::Error } else { Verdict::Pass }
    }

    pub(crate) fn exit(&self) -> i32 {
        match self.verdict() {
            Verdict::Pass => 0,
            Verdict::Findings | Verdict::Error | Verdict::NotDeterministic => 1,
            Verdict::Interrupted => 128 + self.signal.unwrap_or_default(),
        }
    }

    /// How many runs are not cut.
    pub(crate) fn made(&self) -> usize {
        self.runs.iter().filter(|run| run.result.outcome != Outcome::Cut).count()
    }

    /// How many points there are, and at how many of them a fault struck.
    pub(crate) fn points(&self) -> (usize, usize) {
        let (mut known, mut struck) = (BTreeSet::new(), BTreeSet::new());
        for run in &self.runs {
            for (place, strike) in run.entry.strikes.iter().enumerate() {
                known.insert(strike.point);
                if run.result.struck.get(place).is_some_and(|hits| *hits > 0) {
                    struck.insert(strike.point);
                }
            }
        }
        (struck.len(), known.len())
    }

    /// The JSON of the report.
    pub(crate) fn json(&self) -> String {
        let (struck, of) = self.points();
        let made = self.made();
        let has_runs = self.refused.is_none();
        let is_plan = self.runs.iter().any(|run| run.result.outcome == Outcome::Planned);
        let planned = if is_plan { 0 } else { made };
        let report = Report {
            standin: 1,
            report: "explore",
            scenario: &self.scenario,
            seed: self.seed,
            command: &self.command,
            verdict: self.verdict(),
            exit: self.exit(),
            baselines: &self.baselines,
            masked: self
                .classes
                .masks
                .0
                .iter()
                .map(|(operation, place)| Masked { operation, r#where: place })
                .collect(),
            differs: &self.differs,
            classes: self
                .classes
                .all
                .iter()
                .map(|class| ClassReport {
                    id: &class.id,
                    operation: class.operation.name(),
                    members: class.members.len(),
                    revealed: class.revealed,
                })
                .collect(),
            plan: Plan {
                baselines: self.baselines.len(),
                points: of,
                runs: made,
                cut: self.runs.len() - made,
            },
            runs: self.runs.iter().filter(|_| has_runs).map(|run| self.run(run)).collect(),
            findings: self.findings.iter().map(|finding| self.finding(finding)).collect(),
            made: Made {
                runs: self.baselines.len() + planned + self.confirmations + self.shrinking,
                baselines: self.baselines.len(),
                planned,
                confirmations: self.confirmations,
                shrinking: self.shrinking,
            },
            coverage: Coverage {
                points: Points { struck, of },
                pairs: Pairs { met: self.met.len(), of: self.pairs },
            },
        };
        serde_json::to_string(&report).unwrap_or_default() + "\n"
    }

    fn run(&self, run: &Run) -> RunReport {
        RunReport {
            run: run.entry.id(),
            points: points(&run.entry),
            group: run.entry.group().name(),
            phase: run.entry.phase.name(),
            outcome: self.outcome(run),
            exit: run.result.exit,
            calls: run.result.calls,
            duration_ms: run.result.duration_ms,
        }
    }

    fn finding<'a>(&'a self, finding: &'a Finding) -> FindingReport<'a> {
        FindingReport {
            id: &finding.id,
            runs: finding.runs.iter().map(|place| self.runs[*place].entry.id()).collect(),
            points: points(&self.runs[finding.runs[0]].entry),
            group: finding.group.name(),
            oracle: finding.deviation.oracle.name(),
            rule: finding.deviation.rule.as_deref(),
            message: &finding.deviation.message,
            confirmed: finding.confirmed,
            flaky: finding.flaky,
            accepted: finding.accepted,
            count: finding.count,
            line: &finding.line,
        }
    }

    /// How many runs of a phase there are.
    pub(crate) fn planned(&self, phase: Phase) -> usize {
        self.runs.iter().filter(|run| run.entry.phase == phase).count()
    }
}

fn points(entry: &Entry) -> Vec<PointReport> {
    let point = |strike: &Strike| PointReport {
        class: strike.class.clone(),
        operation: strike.operation,
        member: strike.point.member,
        attempt: strike.point.attempt,
        fault: strike.fault,
    };
    entry.strikes.iter().map(point).collect()
}

#[derive(Serialize)]
struct Report<'a> {
    standin: u32,
    report: &'static str,
    scenario: &'a str,
    seed: u64,
    command: &'a [String],
    verdict: Verdict,
    exit: i32,
    baselines: &'a [BaselineRun],
    masked: Vec<Masked<'a>>,
    differs: &'a [Value],
    classes: Vec<ClassReport<'a>>,
    plan: Plan,
    runs: Vec<RunReport>,
    findings: Vec<FindingReport<'a>>,
    made: Made,
    coverage: Coverage,
}

#[derive(Serialize)]
struct Masked<'a> {
    operation: &'a str,
    r#where: &'a str,
}

#[derive(Serialize)]
struct ClassReport<'a> {
    id: &'a str,
    operation: &'static str,
    members: usize,
    revealed: bool,
}

#[derive(Serialize)]
struct Plan {
    baselines: usize,
    points: usize,
    runs: usize,
    cut: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunReport {
    run: String,
    points: Vec<PointReport>,
    group: &'static str,
    phase: &'static str,
    outcome: Outcome,
    exit: Option<i32>,
    calls: Option<usize>,
    duration_ms: Option<u64>,
}

#[derive(Serialize)]
struct PointReport {
    class: String,
    operation: &'static str,
    member: usize,
    attempt: usize,
    fault: &'static str,
}

#[derive(Serialize)]
struct FindingReport<'a> {
    id: &'a str,
    runs: Vec<String>,
    points: Vec<PointReport>,
    group: &'static str,
    oracle: &'static str,
    rule: Option<&'a str>,
    message: &'a str,
    confirmed: u32,
    flaky: bool,
    accepted: bool,
    count: Option<u64>,
    line: &'a str,
}

#[derive(Serialize)]
struct Made {
    runs: usize,
    baselines: usize,
    planned: usize,
    confirmations: usize,
    shrinking: usize,
}

#[derive(Serialize)]
struct Coverage {
    points: Points,
    pairs: Pairs,
}

#[derive(Serialize)]
struct Points {
    struck: usize,
    of: usize,
}

#[derive(Serialize)]
struct Pairs {
    met: usize,
    of: usize,
}
