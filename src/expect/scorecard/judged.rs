//! What a rule says of a record.

use crate::expect::chain::Chains;
use crate::expect::record::Record;
use crate::expect::report::{Finding, Verdict};
use crate::expect::scorecard::settings::Limits;

/// What a rule judges by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'a> {
    pub(crate) record: &'a Record,
    pub(crate) chains: &'a Chains<'a>,
    pub(crate) limits: Limits<'a>,
}

/// What a rule says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    is_exercised: bool,
    /// What it looked at, in a few words.
    pub(crate) message: String,
    /// In the order of the calls.
    pub(crate) findings: Vec<Finding>,
}

/// Most calls and deliveries that a finding names.
const MOST_NAMED: usize = 20;

impl Judged {
    /// The record has nothing that the rule is about.
    pub(crate) fn not_exercised(why: impl Into<String>) -> Self {
        Self { is_exercised: false, message: why.into(), findings: Vec::new() }
    }

    /// The rule looked at something, and found that. Without findings the client passes.
    pub(crate) fn new(message: impl Into<String>, findings: Vec<Finding>) -> Self {
        Self { is_exercised: true, message: message.into(), findings }
    }

    /// The worst of its findings.
    pub(crate) fn verdict(&self) -> Verdict {
        let worst = self.findings.iter().map(|finding| finding.verdict).max();
        worst.unwrap_or(if self.is_exercised { Verdict::Pass } else { Verdict::NotExercised })
    }
}

/// A finding about calls, by their `seq`.
pub(crate) fn finding(verdict: Verdict, mut calls: Vec<u64>, message: String) -> Finding {
    calls.truncate(MOST_NAMED);
    Finding { verdict, calls, deliveries: Vec::new(), message }
}

/// A finding about deliveries, by their ids.
pub(crate) fn delivery_finding(verdict: Verdict, mut deliveries: Vec<String>, message: String) -> Finding {
    deliveries.truncate(MOST_NAMED);
    Finding { verdict, calls: Vec::new(), deliveries, message }
}
