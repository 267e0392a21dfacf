//! Rules on the waits of many chains together. Random waits vary, so that no single one is judged.

use std::time::Duration;

use crate::expect::chain::Chain;
use crate::expect::middle::median;
use crate::expect::report::Verdict;
use crate::expect::scorecard::judged::{Evidence, Judged, finding};
use crate::expect::scorecard::waiting::is_without_hints;
use crate::expect::words;

/// `grows`: later waits are longer than the first.
pub(crate) fn grows(evidence: &Evidence<'_>) -> Judged {
    let limits = evidence.limits;
    let long =
        |chain: &&Chain<'_>| chain.links.len() >= limits.count("attempts").max(3) && is_without_hints(chain);
    let chains: Vec<_> = evidence.chains.all.iter().filter(long).collect();
    if chains.len() < limits.count("chains").max(1) {
        return Judged::not_exercised(format!(
            "{} of {} attempts or more without Retry-After, and the rule needs {}",
            words::count(chains.len(), "chain"),
            limits.count("attempts"),
            limits.count("chains")
        ));
    }
    let first = median(chains.iter().filter_map(|chain| Some(chain.gaps().next()?.wait())).collect());
    let last = median(chains.iter().filter_map(|chain| Some(chain.gaps().last()?.wait())).collect());
    let message = format!(
        "over {} the median of the first waits is {}, of the last waits {}",
        words::count(chains.len(), "chain"),
        words::time(first),
        words::time(last)
    );
    let is_short = last < limits.times("factor", first);
    let findings = is_short.then(|| {
        let calls = chains.iter().flat_map(|chain| chain.seqs()).collect();
        finding(Verdict::Fail, calls, format!("the waits do not grow: {message}"))
    });
    Judged::new(message, findings.into_iter().collect())
}

/// A chain that failed: when, and when it was tried again.
#[derive(Clone, Copy)]
struct Struck {
    at: Duration,
    retried: Duration,
    /// The `seq` of the retry.
    seq: u64,
}

/// The next window begins so much later, so that the work stays in proportion to the number of chains.
const STEP: Duration = Duration::from_millis(10);

/// `jitter`: clients that failed together do not come back together.
pub(crate) fn jitter(evidence: &Evidence<'_>) -> Judged {
    let limits = evidence.limits;
    let least = limits.count("chains").max(2);
    let mut struck: Vec<Struck> = evidence
        .chains
        .all
        .iter()
        .filter_map(|chain| chain.gaps().next())
        // Where the server said when to come back, that all come then is its own doing.
        .filter(|gap| gap.from.outcome().may_be_repeated() && gap.from.asked_wait().is_none())
        .map(|gap| Struck { at: gap.from.ended(), retried: gap.to.arrived, seq: gap.to.seq })
        .collect();
    struck.sort_by_key(|struck| (struck.at, struck.seq));
    let (mut findings, mut windows, mut begin) = (Vec::new(), 0, 0);
    while begin < struck.len() {
        let from = struck[begin].at;
        let end = struck.partition_point(|struck| struck.at <= from + limits.time("struck"));
        if end - begin < least {
            begin += 1;
            continue;
        }
        let together = most_together(&struck[begin..end], limits.time("within"));
        let comes_together = limits.reaches("share", together.len(), end - begin);
        // Requests one after the other, each repeated before the next is made, only follow each other fast.
        let is_in_turn = comes_together && !have_failed_before(&together);
        windows += usize::from(!is_in_turn);
        if !comes_together || is_in_turn {
            begin = struck.partition_point(|struck| struck.at < from + STEP);
            continue;
        }
        let all = words::count(end - begin, "chain");
        let message = format!(
            "{all} failed within {}, and the first retries of {} of them came within {}",
            words::time(struck[end - 1].at.saturating_sub(from)),
            together.len(),
            words::time(limits.time("within"))
        );
        let seqs = together.iter().map(|struck| struck.seq).collect();
        findings.push(finding(Verdict::Warn, seqs, message));
        begin = end;
    }
    if windows == 0 {
        return Judged::not_exercised(format!(
            "no {least} chains without Retry-After failed within {} and were retried",
            words::time(limits.time("struck"))
        ));
    }
    Judged::new(format!("groups of {least} chains or more failed at about the same time"), findings)
}

/// Those whose retries arrived within the span in which most arrived, in the order of the retries.
fn most_together(struck: &[Struck], within: Duration) -> Vec<Struck> {
    let mut retries = struck.to_vec();
    retries.sort_unstable_by_key(|struck| (struck.retried, struck.seq));
    let windows = (0..retries.len()).map(|begin| {
        let until = retries[begin].retried + within;
        begin..retries.partition_point(|struck| struck.retried <= until)
    });
    let most = windows.max_by_key(ExactSizeIterator::len).unwrap_or_default();
    retries[most].to_vec()
}

/// Whether all of them had failed before the first was sent again.
fn have_failed_before(together: &[Struck]) -> bool {
    let last = together.iter().map(|struck| struck.at).max();
    last <= together.iter().map(|struck| struck.retried).min()
}
