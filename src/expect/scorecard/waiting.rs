//! Rules on waiting before a call is sent again.

use std::collections::BTreeMap;

use crate::expect::call::Call;
use crate::expect::chain::{Chain, Gap, TOLERANCE};
use crate::expect::middle::median;
use crate::expect::outcome::Outcome;
use crate::expect::report::{Finding, Verdict};
use crate::expect::scorecard::judged::{Evidence, Judged, finding};
use crate::expect::words;

/// `retry-after`: a client waits as long as it was asked to.
pub(crate) fn retry_after(evidence: &Evidence<'_>) -> Judged {
    let calls = &evidence.record.calls;
    let asked = calls.iter().filter(|call| call.asked_wait().is_some()).count();
    if asked == 0 {
        return Judged::not_exercised("no answer asked to wait");
    }
    let of_requests = evidence.chains.gaps().filter(|gap| !gap.from.met_the_limit());
    let mut findings: Vec<_> = of_requests.filter_map(|gap| judge_wait(evidence, gap)).collect();
    findings.extend(of_keys(evidence));
    findings.sort_by_key(|finding| finding.calls.last().copied());
    Judged::new(format!("{} asked to wait", words::count(asked, "answer")), findings)
}

fn judge_wait(evidence: &Evidence<'_>, gap: Gap<'_>) -> Option<Finding> {
    let asked = gap.from.asked_wait()?;
    let late = evidence.limits.times("late-factor", asked) + evidence.limits.time("late");
    let verdict = if !gap.keeps(asked) {
        Verdict::Fail
    } else if gap.wait() > late + TOLERANCE {
        Verdict::Warn
    } else {
        return None;
    };
    let message = format!("{} that asked for {}", came_after(gap), words::time(asked));
    Some(finding(verdict, gap.seqs(), message))
}

/// Each call of a key after one that met the key's rate limit.
fn of_keys(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut limited: BTreeMap<&str, &Call> = BTreeMap::new();
    let mut findings = Vec::new();
    for call in &evidence.record.calls {
        let Some(key) = call.key.as_deref() else { continue };
        if let Some(from) = limited.get(key).copied() {
            let gap = Gap { from, to: call };
            if !gap.was_on_its_way() {
                findings.extend(judge_wait(evidence, gap));
                if from.asked_wait().is_none_or(|asked| gap.keeps(asked)) {
                    limited.remove(key);
                }
            }
        }
        if call.met_the_limit() && call.asked_wait().is_some() {
            limited.insert(key, call);
        }
    }
    findings
}

/// `call 14 came 212 ms after an 89`.
fn came_after(gap: Gap<'_>) -> String {
    format!("call {} came {} after {}", gap.to.seq, words::time(gap.wait()), gap.from.answer_in_words())
}

/// `backs-off`: without a hint, a client waits a little before it tries again.
pub(crate) fn backs_off(evidence: &Evidence<'_>) -> Judged {
    let classes = [
        ("a 5xx or a broken connection", "after-error", Class::Error),
        ("a 429", "after-429", Class::Limited),
    ];
    let grow = evidence.chains.all.iter().any(grows);
    let (mut findings, mut total) = (Vec::new(), 0);
    for (what, threshold, class) in classes {
        let by_chain: Vec<Vec<Gap<'_>>> = evidence
            .chains
            .all
            .iter()
            .map(|chain| judged_gaps(chain, grow).filter(|gap| class_of(gap.from) == Some(class)).collect())
            .collect();
        let longest = by_chain.iter().map(Vec::len).max().unwrap_or_default();
        let mut gaps: Vec<Gap<'_>> = by_chain.into_iter().flatten().collect();
        total += gaps.len();
        let middle = median(gaps.iter().map(Gap::wait).collect());
        if gaps.is_empty() || middle + TOLERANCE >= evidence.limits.time(threshold) {
            continue;
        }
        // A single retry at once is what some HTTP libraries do. Two of a chain are a loop without a wait.
        let is_hammering = middle < evidence.limits.time("fail") && longest >= 2;
        let verdict = if is_hammering { Verdict::Fail } else { Verdict::Warn };
        gaps.sort_by_key(|gap| (gap.wait(), gap.to.seq));
        let waits = words::count(gaps.len(), "wait");
        let message =
            format!("the median of {waits} after {what} is {}; {}", words::time(middle), came_after(gaps[0]));
        findings.push(finding(verdict, gaps.iter().take(5).flat_map(Gap::seqs).collect(), message));
    }
    if total == 0 {
        return Judged::not_exercised(
            "no call was sent again after a 5xx, a broken connection or a 429 without Retry-After",
        );
    }
    Judged::new(format!("{} without a hint", words::count(total, "wait")), findings)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Error,
    Limited,
}

/// What kind of wait is expected after a call. None if the rule is not about it.
fn class_of(call: &Call) -> Option<Class> {
    if call.asked_wait().is_some() {
        return None;
    }
    match call.outcome() {
        Outcome::Failed if call.status >= Some(500) => Some(Class::Error),
        Outcome::Lost => Some(Class::Error),
        Outcome::Limited => Some(Class::Limited),
        Outcome::Failed
        | Outcome::Read
        | Outcome::Broken
        | Outcome::Refused
        | Outcome::Unmendable
        | Outcome::Stalled
        | Outcome::HungUp
        | Outcome::UnderWay => None,
    }
}

/// The gaps of a chain that are judged. Some libraries repeat once at once, and wait longer each time from then on: where
/// later gaps of a chain grow, its first one is left out, and so are those of chains that have no other.
fn judged_gaps<'a>(chain: &Chain<'a>, grow_elsewhere: bool) -> impl Iterator<Item = Gap<'a>> {
    let is_left_out = grows(chain) || (grow_elsewhere && chain.retries() == 1);
    chain.gaps().skip(usize::from(is_left_out))
}

/// Whether the last gap of a chain is longer than its first.
fn grows(chain: &Chain<'_>) -> bool {
    let (first, last) = (chain.gaps().next(), chain.gaps().last());
    first.zip(last).is_some_and(|(first, last)| last.wait() > first.wait() * 6 / 5 + TOLERANCE)
}

/// Whether a chain had to find its waits by itself: each call but the last failed, and none said how long to wait.
pub(crate) fn is_without_hints(chain: &Chain<'_>) -> bool {
    chain.gaps().all(|gap| class_of(gap.from).is_some())
}
