//! Runs what is planned, and what the runs reveal.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use futures_util::{StreamExt, stream};

use crate::cli::explore::baseline::{Learnt, learn};
use crate::cli::explore::confirm::confirm;
use crate::cli::explore::files::{Files, Known};
use crate::cli::explore::once::{Explorer, Limits};
use crate::cli::explore::progress;
use crate::cli::print;
use crate::cli::serve::Failure;
use crate::explore::accept::Accepted;
use crate::explore::class::{Classes, Point};
use crate::explore::finding::{Run, RunResult, accepted_at, findings};
use crate::explore::oracle::{Baseline, Observed, Outcome};
use crate::explore::plan::{self, Entry};
use crate::explore::report::{Exploration, Verdict};
use crate::explore::text;

/// What every run of the plan needs.
struct Drive<'a> {
    explorer: &'a Explorer<'a>,
    baseline: &'a Baseline,
    files: RefCell<&'a mut Files>,
    known: Known,
    began: Instant,
    /// Number of runs that were begun.
    begun: Cell<usize>,
}

/// Explores.
///
/// # Errors
/// The command cannot be run, or a file cannot be written.
pub(super) async fn explore(
    explorer: &Explorer<'_>,
    files: &mut Files,
    known: Known,
) -> Result<Exploration, Failure> {
    let began = Explorer::now();
    let Learnt { runs, masks, baseline, differs, refused, output, pairs: pairs_of, met } =
        learn(explorer).await?;
    let snapshot = &explorer.snapshot;
    let classes = Classes::new(&baseline.calls, masks, Arc::clone(&snapshot.dialect));
    let is_refused = refused.is_some();
    let mut exploration = Exploration {
        scenario: snapshot.scenario.clone(),
        seed: snapshot.seed.0,
        command: explorer.given.command.clone(),
        baselines: runs,
        differs,
        classes,
        runs: Vec::new(),
        accepted: known.accepted.clone(),
        findings: Vec::new(),
        confirmations: 0,
        shrinking: 0,
        met: met.into_iter().map(|(operation, code)| (operation.to_owned(), code)).collect(),
        pairs: pairs_of,
        signal: explorer.interrupted.get(),
        refused: refused.map(|(verdict, why)| {
            // All is one line.
            let last = output.trim_end().lines().next_back().map(str::trim).filter(|line| !line.is_empty());
            let output = match last {
                Some(last) if verdict == Verdict::Error => format!("; the last that it wrote is: {last}"),
                Some(_) | None => String::new(),
            };
            (verdict, why + &output)
        }),
    };
    if is_refused || exploration.signal.is_some() {
        return Ok(exploration);
    }
    let entries = plan::plan(&exploration.classes, &baseline.calls);
    let most = explorer.flags.runs.unwrap_or(usize::MAX);
    exploration.runs = entries
        .iter()
        .enumerate()
        .map(|(place, entry)| {
            let outcome = if place < most { Outcome::Planned } else { Outcome::Cut };
            Run { entry: entry.clone(), result: RunResult::unmade(outcome) }
        })
        .collect();
    if explorer.flags.plan {
        return Ok(exploration);
    }
    print(&text::plan(&exploration));
    let drive = Drive {
        explorer,
        baseline: &baseline,
        files: RefCell::new(files),
        known,
        began,
        begun: Cell::new(0),
    };
    exploration.runs = drive.all(&exploration, entries, "Exploring").await?;
    let revealed = reveal(&mut exploration);
    let more = drive.all(&exploration, revealed, "Revealed points").await?;
    exploration.runs.extend(more);
    let pairs = pairs(&exploration);
    let more = drive.all(&exploration, pairs, "Pairs").await?;
    exploration.runs.extend(more);
    exploration.met.extend(exploration.runs.iter().flat_map(|run| run.result.met.clone()));
    exploration.findings = findings(&exploration.runs, &exploration.classes, &exploration.accepted);
    confirm(explorer, &baseline, &mut exploration).await?;
    exploration.signal = explorer.interrupted.get();
    Ok(exploration)
}

/// All deviations that were found.
pub(super) fn accepted(exploration: &Exploration) -> BTreeSet<Accepted> {
    let of = |run: &Run| {
        let deviations = run.result.deviations.iter();
        deviations
            .map(|deviation| accepted_at(&run.entry, &exploration.classes, deviation))
            .collect::<Vec<_>>()
    };
    exploration.runs.iter().flat_map(of).collect()
}

/// The runs at points that only runs with faults have shown, each with the fault that showed it. A run that deviated shows none,
/// so that nothing that contains a failing fault is run.
fn reveal(exploration: &mut Exploration) -> Vec<Entry> {
    let (mut entries, mut seen): (Vec<Entry>, BTreeSet<Point>) = (Vec::new(), BTreeSet::new());
    let fine = exploration.runs.iter().filter(|run| is_fine(run));
    for run in fine {
        for revealed in &run.result.revealed {
            let Some(point) = exploration.classes.add(revealed) else { continue };
            if seen.insert(point) {
                entries.extend(plan::at_revealed(&exploration.classes, &run.entry, point, revealed));
            }
        }
    }
    entries
}

fn is_fine(run: &Run) -> bool {
    let outcomes = [Outcome::Survived, Outcome::Failed, Outcome::Unnoticed];
    run.result.deviations.is_empty() && outcomes.contains(&run.result.outcome)
}

fn pairs(exploration: &Exploration) -> Vec<Entry> {
    let entries: Vec<Entry> = exploration.runs.iter().map(|run| run.entry.clone()).collect();
    plan::pairs(&entries, |entry| {
        exploration
            .runs
            .iter()
            .any(|run| run.entry == *entry && is_fine(run) && run.result.outcome != Outcome::Failed)
    })
}

impl Drive<'_> {
    /// Runs some entries, as many side by side as wanted, and returns the results in the order of the entries.
    async fn all(
        &self,
        exploration: &Exploration,
        entries: Vec<Entry>,
        what: &str,
    ) -> Result<Vec<Run>, Failure> {
        let most = self.explorer.flags.runs.map_or(usize::MAX, |most| most.saturating_sub(self.begun.get()));
        let bar = progress::bar(entries.len().min(most), what);
        let jobs = usize::from(self.explorer.flags.jobs);
        let run = |(place, entry): (usize, Entry)| async move {
            let result = self.one(&exploration.classes, &entry).await;
            (place, result.map(|result| Run { entry, result }))
        };
        // They begin in their order. A long one keeps no other waiting.
        let mut results: Vec<(usize, Result<Run, Failure>)> = stream::iter(entries.into_iter().enumerate())
            .map(run)
            .buffer_unordered(jobs)
            .inspect(|(_, run)| {
                let is_cut = run.as_ref().is_ok_and(|run| run.result.outcome == Outcome::Cut);
                bar.inc(u64::from(!is_cut));
            })
            .collect()
            .await;
        bar.finish_and_clear();
        results.sort_by_key(|(place, _)| *place);
        results.into_iter().map(|(_, result)| result).collect()
    }

    async fn one(&self, classes: &Classes, entry: &Entry) -> Result<RunResult, Failure> {
        let flags = self.explorer.flags;
        let is_over = flags.budget.is_some_and(|budget| self.began.elapsed() > budget)
            || flags.runs.is_some_and(|most| self.begun.get() >= most)
            || self.explorer.interrupted.get().is_some();
        if is_over {
            return Ok(RunResult::unmade(Outcome::Cut));
        }
        self.begun.set(self.begun.get() + 1);
        let id = entry.id();
        if let Some(result) = self.known.results.get(&id) {
            return Ok(result.clone());
        }
        let result = run_entry(self.explorer, self.baseline, classes, entry, None).await?;
        if self.explorer.interrupted.get().is_some() {
            return Ok(RunResult::unmade(Outcome::Cut));
        }
        self.files.borrow_mut().keep(&id, &result)?;
        Ok(result)
    }
}

/// Runs the command with the faults of an entry. `count` limits lasting ones.
pub(super) async fn run_entry(
    explorer: &Explorer<'_>,
    baseline: &Baseline,
    classes: &Classes,
    entry: &Entry,
    count: Option<u64>,
) -> Result<RunResult, Failure> {
    let names = entry.fault_names(&taken(explorer));
    let texts = entry.strikes.iter().map(|strike| strike.text(count));
    let faults: Result<Vec<_>, String> =
        names.iter().zip(texts).map(|(name, text)| explorer.fault(name, &text)).collect();
    let faults = match faults {
        Ok(faults) => faults,
        Err(output) => return Ok(RunResult { output, ..RunResult::unmade(Outcome::Error) }),
    };
    let limits = Limits { silence: baseline.limit, calls: baseline.most_calls() };
    let observed: Observed = explorer.run(faults, Some(limits)).await?;
    Ok(RunResult::new((entry, &names), baseline, classes, &observed))
}

/// The names of the scenario's own faults.
pub(super) fn taken(explorer: &Explorer<'_>) -> Vec<String> {
    explorer.snapshot.faults.faults().map(|(_, fault)| fault.name.clone()).collect()
}
