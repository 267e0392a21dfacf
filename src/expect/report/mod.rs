//! The report on a client, as `GET …/report` and `standin run --json` give it.

/// Making it from a record.
mod build;
/// What the client did after each fault.
mod faults;
/// Which answers of the API it met.
mod coverage;
/// As a text for terminals.
pub(crate) mod text;
/// Text within markup.
pub(crate) mod escape;
/// The report as JUnit XML.
pub(crate) mod junit;
/// The report as an HTML page.
pub(crate) mod html;
/// The report for GitHub Actions.
pub(crate) mod github;

use serde::Serialize;
use serde_json::Value;

/// The verdict on all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Overall {
    Pass,
    Fail,
    /// Journal entries were dropped, so nothing can pass.
    Incomplete,
}

/// What the scorecard's verdicts mean for the verdict on all (`standin run --score`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Score {
    /// A rule that fails fails the whole.
    #[default]
    Normal,
    /// `warn`: no rule fails the whole.
    Warn,
    /// `strict`: a warning does, too, unless the rule only tells.
    Strict,
}

/// The verdict of one rule. The order is from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Verdict {
    #[serde(rename = "not exercised")]
    NotExercised,
    #[serde(rename = "pass")]
    Pass,
    #[serde(rename = "warn")]
    Warn,
    #[serde(rename = "fail")]
    Fail,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Version of this format.
    pub(crate) standin: u32,
    /// The word `run`.
    pub(crate) report: &'static str,
    pub(crate) scenario: String,
    pub(crate) seed: u64,
    pub(crate) world: String,
    pub(crate) verdict: Overall,
    pub(crate) incomplete: bool,
    pub(crate) dropped: u64,
    /// Number of calls.
    pub(crate) calls: usize,
    pub(crate) transport_retries: usize,
    /// Exit code of `standin run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<CommandReport>,
    pub(crate) expectations: Vec<ExpectationReport>,
    /// In the order of the table, without those that are switched off.
    pub(crate) rules: Vec<RuleReport>,
    pub(crate) faults: Vec<FaultReport>,
    pub(crate) coverage: Coverage,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommandReport {
    pub(crate) argv: Vec<String>,
    pub(crate) exit: i32,
    pub(crate) signal: Option<i32>,
    pub(crate) timed_out: bool,
    pub(crate) duration_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ExpectationReport {
    pub(crate) name: String,
    pub(crate) passed: bool,
    pub(crate) message: String,
    /// The call that came nearest to what was expected.
    pub(crate) nearest: Option<Nearest>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Nearest {
    /// Its `seq`.
    pub(crate) call: u64,
    pub(crate) members: Vec<Member>,
}

/// One thing that was expected of a call, beside what was received.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Member {
    /// For example `body /firstName`.
    pub(crate) member: String,
    pub(crate) expected: Value,
    pub(crate) received: Value,
    pub(crate) agrees: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct RuleReport {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) verdict: Verdict,
    pub(crate) message: String,
    pub(crate) findings: Vec<Finding>,
    /// What mends it.
    pub(crate) mend: &'static str,
    pub(crate) source: &'static str,
    /// A ready-made scenario that exercises the rule.
    pub(crate) exercise: &'static str,
}

/// Something that a rule found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// `warn` or `fail`.
    pub(crate) verdict: Verdict,
    /// The `seq` of each call that it is about. Empty for rules about deliveries.
    pub(crate) calls: Vec<u64>,
    /// The id of each delivery that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) deliveries: Vec<String>,
    pub(crate) message: String,
}

/// A fault, and how the client went on after it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FaultReport {
    pub(crate) name: String,
    /// How many calls it took effect on.
    pub(crate) struck: usize,
    pub(crate) then: Vec<Reaction>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reaction {
    /// The call that the fault struck.
    pub(crate) call: u64,
    /// `retried`, `gave up`, `hung up` or `hammered`.
    pub(crate) did: &'static str,
    /// The next call of the chain.
    pub(crate) next: Option<u64>,
    pub(crate) after_ms: Option<f64>,
}

/// Which pairs of an operation and a code the client met, of all there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Coverage {
    pub(crate) met: usize,
    pub(crate) of: usize,
    pub(crate) pairs: Vec<Pair>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Pair {
    pub(crate) operation: &'static str,
    /// None for an answer without an error.
    pub(crate) code: Option<u32>,
    pub(crate) calls: usize,
}

impl Report {
    /// What stands in the way of a verdict, if the journal is incomplete.
    fn incomplete_message(&self) -> Option<String> {
        let entries = if self.dropped == 1 { "1 entry" } else { &format!("{} entries", self.dropped) };
        self.incomplete.then(|| format!("incomplete: the journal has dropped {entries}, so nothing can pass"))
    }
}

impl Overall {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Incomplete => "incomplete",
        }
    }
}

impl Verdict {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NotExercised => "not exercised",
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

impl Finding {
    /// What it is about: `calls 13, 14`. Empty if it cites nothing.
    fn cited(&self) -> String {
        let calls: Vec<String> = self.calls.iter().map(ToString::to_string).collect();
        let (one, many, ids) = match calls.as_slice() {
            [] => ("delivery", "deliveries", &self.deliveries),
            [..] => ("call", "calls", &calls),
        };
        let shown = &ids[..ids.len().min(MAX_CITED)];
        match ids.len() {
            0 => String::new(),
            1 => format!("{one} {}", shown.join("")),
            count if count > MAX_CITED => {
                format!("{many} {} and {} more", shown.join(", "), count - MAX_CITED)
            }
            _ => format!("{many} {}", shown.join(", ")),
        }
    }
}

/// Maximum number of calls or deliveries that are listed for a finding.
const MAX_CITED: usize = 12;

#[cfg(test)]
mod tests;
