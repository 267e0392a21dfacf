//! Makes the report from a record.

use crate::expect::chain::Chains;
use crate::expect::record::{Command, Record};
use crate::expect::report::{
    CommandReport, ExpectationReport, Overall, Report, RuleReport, Score, Verdict, coverage, faults,
};
use crate::expect::scorecard;
use crate::expect::scorecard::table;

impl Report {
    /// What is said of a client by its record and by what was expected of it. The exit code of `standin run` is left out.
    pub(crate) fn new(record: &Record, expectations: Vec<ExpectationReport>, score: Score) -> Self {
        let chains = Chains::new(record.calls.iter().filter(|call| call.operation.is_some()));
        let rules = scorecard::judge(record, &chains);
        let command = record.command.as_ref();
        let has_failed = command.is_some_and(|command| command.exit != 0)
            || expectations.iter().any(|expectation| !expectation.passed)
            || rules.iter().any(|rule| score.fails(rule));
        let verdict = match () {
            () if has_failed => Overall::Fail,
            () if record.dropped > 0 => Overall::Incomplete,
            () => Overall::Pass,
        };
        Self {
            standin: 1,
            report: "run",
            scenario: record.scenario.clone(),
            seed: record.seed,
            world: record.world.clone(),
            verdict,
            incomplete: record.dropped > 0,
            dropped: record.dropped,
            calls: record.calls.len(),
            transport_retries: chains.transport_retries(),
            exit: None,
            command: command.map(command_report),
            expectations,
            rules,
            faults: faults::report(&record.calls, &chains),
            coverage: coverage::of(&record.calls),
        }
    }
}

fn command_report(command: &Command) -> CommandReport {
    CommandReport {
        argv: command.argv.clone(),
        exit: command.exit,
        signal: command.signal,
        timed_out: command.timed_out,
        duration_ms: u64::try_from(command.duration.as_millis()).unwrap_or(u64::MAX),
    }
}

impl Score {
    /// Whether a rule fails the whole.
    fn fails(self, rule: &RuleReport) -> bool {
        match self {
            Self::Warn => false,
            Self::Normal => rule.verdict == Verdict::Fail,
            Self::Strict => {
                rule.verdict == Verdict::Fail || (rule.verdict == Verdict::Warn && rule.id != table::TOLD)
            }
        }
    }
}
