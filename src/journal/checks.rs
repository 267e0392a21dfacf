//! Why a call was answered as it was: the checks in their order (`docs/api.md` 1), and how far the call came.

use serde::Serialize;
use utoipa::ToSchema;

use crate::fault::effect::Kind;
use crate::journal::entry::Entry;
use crate::journal::mask::Mask;
use crate::operations::spec::{KeyIn, Run, Spec};

/// A check of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// The path has an operation, and the method is POST.
    Path,
    Key,
    RateLimit,
    Account,
    /// Media type, encoding and size of the body.
    Body,
    /// The path, the query and the fields of the body.
    Fields,
    Operation,
}

impl Check {
    const fn name(self) -> &'static str {
        match self {
            Self::Path => "Path and method",
            Self::Key => "API key",
            Self::RateLimit => "Rate limit",
            Self::Account => "Account",
            Self::Body => "Body",
            Self::Fields => "Fields",
            Self::Operation => "Operation",
        }
    }

    /// The checks of a route after the faults.
    const OF_ROUTE: [Self; 4] = [Self::Key, Self::RateLimit, Self::Body, Self::Operation];

    /// The checks of an operation after the faults.
    fn of(spec: &Spec) -> Vec<Self> {
        let is_in_body = matches!(spec.key, KeyIn::Body(_));
        let has_account = matches!(spec.run, Run::ForAccount(..));
        let all = [
            (Self::Body, is_in_body),
            (Self::Key, true),
            (Self::RateLimit, true),
            (Self::Account, has_account),
            (Self::Body, !is_in_body),
            (Self::Fields, true),
            (Self::Operation, true),
        ];
        all.into_iter().filter_map(|(check, applies)| applies.then_some(check)).collect()
    }
}

/// How a check of a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CheckOutcome {
    Passed,
    /// The answer is the error of this check.
    Failed,
    /// A fault answered in place of all later checks.
    Replaced,
    /// A fault lets the later checks happen, and changes the answer.
    Changed,
    /// An earlier step answered.
    Skipped,
}

/// A check of a call and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Checked {
    pub(crate) check: &'static str,
    pub(crate) outcome: CheckOutcome,
    /// What was found; empty if there is nothing to say.
    pub(crate) detail: String,
}

/// The checks of a call in their order.
pub(crate) fn checks(entry: &Entry, mask: &Mask<'_>) -> Vec<Checked> {
    let facts = &entry.facts;
    let call = entry.call();
    let detail = entry.response_headers().find(|(name, _)| *name == "x-standin-detail");
    let detail = detail.map(|(name, value)| mask.header(name, value)).unwrap_or_default();
    let mut is_over = facts.refused_by == Some(Check::Path);
    let target = format!("{} {}", call.method, mask.text(call.path));
    let mut found = vec![if is_over {
        Checked { check: Check::Path.name(), outcome: CheckOutcome::Failed, detail: detail.clone() }
    } else {
        Checked { check: Check::Path.name(), outcome: CheckOutcome::Passed, detail: target }
    }];
    let fault = fault(entry, is_over);
    is_over |= fault.outcome == CheckOutcome::Replaced;
    found.push(fault);
    let of_route = || if facts.operation.is_some() { Check::OF_ROUTE.to_vec() } else { Vec::new() };
    for check in facts.spec.map_or_else(of_route, Check::of) {
        let is_refused = facts.refused_by == Some(check) && !is_over;
        let (outcome, detail) = match is_over {
            true => (CheckOutcome::Skipped, String::new()),
            false if is_refused => (CheckOutcome::Failed, detail.clone()),
            false if check == Check::Key => {
                (CheckOutcome::Passed, facts.keys.label(facts.key_match).unwrap_or_default())
            }
            false => (CheckOutcome::Passed, String::new()),
        };
        is_over |= is_refused;
        found.push(Checked { check: check.name(), outcome, detail });
    }
    found
}

fn fault(entry: &Entry, is_over: bool) -> Checked {
    let outcome = match entry.facts.effect {
        None if is_over => CheckOutcome::Skipped,
        None => CheckOutcome::Passed,
        Some(Kind::Error | Kind::Status | Kind::Reset | Kind::Close | Kind::Stall | Kind::Garbage) => {
            CheckOutcome::Replaced
        }
        Some(
            Kind::Delay
            | Kind::Headers
            | Kind::Truncate
            | Kind::Drip
            | Kind::Malformed
            | Kind::Patch
            | Kind::Lost,
        ) => CheckOutcome::Changed,
    };
    let detail = match (&entry.facts.decision, entry.facts.effect) {
        (Some(decision), Some(kind)) => {
            format!("{}: {}", decision.fault, format!("{kind:?}").to_lowercase())
        }
        (Some(decision), None) => format!("{} counted the call and did not apply", decision.fault),
        (None, _) => String::new(),
    };
    Checked { check: "Faults", outcome, detail }
}
