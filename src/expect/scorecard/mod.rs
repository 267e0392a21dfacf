//! The scorecard: rules that hold for every client, judged from what it did (`docs/scorecard.md`).

/// The rules: what each says, its thresholds, where it comes from.
pub(crate) mod table;
/// Thresholds that a scenario sets.
pub(crate) mod settings;
/// What a rule says of a record.
pub(crate) mod judged;
/// Rules on waiting: retry-after, backs-off.
mod waiting;
/// Rules on many chains together: grows, jitter.
mod spread;
/// Rules on repeating: attempts, retry-budget, no-retry-on-refusal, no-retry-on-1027.
mod repeating;
/// Rules on writing: lost-contact, lost-subscription.
mod writing;
/// Rules on reading: gives-up-waiting, notices-broken-body, same-read.
mod reading;
/// The rule pages-whole.
mod paging;
/// Rules on the API key: own-pace, key-in-header.
mod key;
/// Rules on receiving webhooks.
mod hooks;
#[cfg(test)]
mod tests;

use crate::expect::chain::Chains;
use crate::expect::record::Record;
use crate::expect::report::{RuleReport, Verdict};
use crate::expect::scorecard::judged::{Evidence, Judged};
use crate::expect::scorecard::settings::Limits;
use crate::expect::scorecard::table::{Rule, TABLE};

/// Most findings of a rule in a report. The worst come first.
const MAX_FINDINGS: usize = 100;

/// What each rule says of a record, in the order of the table, without those that the scenario switches off.
pub(crate) fn judge(record: &Record, chains: &Chains<'_>) -> Vec<RuleReport> {
    let rules = TABLE.iter().filter(|rule| !record.scorecard.is_off(rule.id));
    rules
        .map(|rule| {
            let limits = Limits::new(rule, &record.scorecard);
            report(rule, (rule.judge)(&Evidence { record, chains, limits }), record)
        })
        .collect()
}

fn report(rule: &Rule, judged: Judged, record: &Record) -> RuleReport {
    let dropped = if rule.is_about_hooks() { record.deliveries_dropped } else { 0 };
    let judged = if judged.verdict() == Verdict::Pass && record.dropped + dropped > 0 {
        Judged::not_exercised("the record is incomplete, so that nothing passes")
    } else {
        judged
    };
    let verdict = judged.verdict();
    let Judged { mut message, mut findings, .. } = judged;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    findings.truncate(MAX_FINDINGS);
    if more > 0 {
        message = format!("{message}; {more} more findings are left out");
    }
    RuleReport {
        id: rule.id,
        title: rule.title,
        verdict,
        message,
        findings,
        mend: rule.mend,
        source: rule.source,
        exercise: rule.exercise,
    }
}
