//! Repeats findings, and looks for the smallest number of times that a lasting fault has to strike.

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};

use crate::cli::explore::drive::{run_entry, taken};
use crate::cli::explore::once::Explorer;
use crate::cli::explore::progress;
use crate::cli::serve::Failure;
use crate::explore::class::Classes;
use crate::explore::finding::{Finding, Run};
use crate::explore::line::{self, line};
use crate::explore::oracle::{Baseline, Oracle, longest_run};
use crate::explore::plan::{Entry, Group};
use crate::explore::report::Exploration;

/// How often a finding is repeated.
const TIMES: u32 = 2;
/// Most times that a lasting fault strikes while the smallest number is looked for.
const MOST_COUNT: u64 = 5;

/// Repeats all findings that are not accepted, and gives each its line.
///
/// # Errors
/// The command cannot be run.
pub(super) async fn confirm(
    explorer: &Explorer<'_>,
    baseline: &Baseline,
    exploration: &mut Exploration,
) -> Result<(), Failure> {
    let new = exploration.findings.iter().filter(|finding| !finding.accepted).count();
    let bar = progress::bar(new, "Repeating findings");
    let findings = std::mem::take(&mut exploration.findings);
    let (runs, classes) = (&exploration.runs, &exploration.classes);
    let repeat = |finding: Finding| async {
        let repeated = one(explorer, baseline, classes, (finding, runs)).await;
        bar.inc(1);
        repeated
    };
    let jobs = usize::from(explorer.flags.jobs);
    let repeated: Vec<_> = stream::iter(findings).map(repeat).buffered(jobs).collect().await;
    bar.finish_and_clear();
    for repeated in repeated {
        let (finding, shrinking, confirmations) = repeated?;
        exploration.findings.push(finding);
        exploration.shrinking += shrinking;
        exploration.confirmations += confirmations;
    }
    Ok(())
}

/// Repeats a finding. Returns it with the numbers of runs to shrink and to confirm it.
async fn one(
    explorer: &Explorer<'_>,
    baseline: &Baseline,
    classes: &Classes,
    (mut finding, runs): (Finding, &[Run]),
) -> Result<(Finding, usize, usize), Failure> {
    let Run { entry, result } = &runs[finding.runs[0]];
    let (mut shrinking, mut confirmations) = (0, 0);
    let is_interrupted = || explorer.interrupted.get().is_some();
    if !finding.accepted {
        let strikes = entry.strikes.iter().zip(&result.struck);
        let lasting = strikes.filter(|(strike, _)| strike.group == Group::Lasting);
        let struck = lasting.map(|(_, struck)| *struck).max().unwrap_or_default();
        if struck == 1 {
            finding.count = Some(1);
        }
        let most = if struck > 1 { MOST_COUNT.min(struck) } else { 0 };
        for count in 1..=most {
            if is_interrupted() {
                break;
            }
            shrinking += 1;
            let smaller = run_entry(explorer, baseline, classes, entry, Some(count)).await?;
            if finding.is_shown_by(&smaller.deviations) {
                finding.count = Some(count);
                break;
            }
        }
        if !is_interrupted() {
            let again = || run_entry(explorer, baseline, classes, entry, finding.count);
            for again in join_all((0..TIMES).map(|_| again())).await {
                confirmations += 1;
                finding.confirmed += u32::from(finding.is_shown_by(&again?.deviations));
            }
        }
        finding.flaky = finding.confirmed < TIMES;
    }
    finding.line = line_of(explorer, baseline, entry, &finding);
    Ok((finding, shrinking, confirmations))
}

/// The line that repeats a finding.
fn line_of(explorer: &Explorer<'_>, baseline: &Baseline, entry: &Entry, finding: &Finding) -> String {
    let names = entry.fault_names(&taken(explorer));
    let texts = entry.strikes.iter().map(|strike| strike.text(finding.count));
    let faults: Vec<(String, String)> = names.into_iter().zip(texts).collect();
    let is_endless = matches!(finding.deviation.oracle, Oracle::Hang | Oracle::Storm);
    let timeout = is_endless.then(|| line::timeout(longest_run(baseline.limit)));
    let expect = finding.deviation.expect.as_deref().map(|expect| (finding.deviation.oracle.name(), expect));
    line(&explorer.given, &faults, timeout, expect)
}
