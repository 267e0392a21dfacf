//! The flags of `run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::sources::instant;
use crate::clock::Moment;
use crate::expect::report::Score;
use crate::scenario::scalars::{DURATION_FORMAT, parse_duration};

/// The values of `--score`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ScoreFlag {
    Normal,
    Warn,
    Strict,
}

impl From<ScoreFlag> for Score {
    fn from(flag: ScoreFlag) -> Self {
        match flag {
            ScoreFlag::Normal => Self::Normal,
            ScoreFlag::Warn => Self::Warn,
            ScoreFlag::Strict => Self::Strict,
        }
    }
}

/// The flags that `run` and `explore` have in common.
#[derive(Debug, Args)]
pub(in crate::cli) struct CommonFlags {
    /// Scenario file, or the name of a scenario in scenarios/ or of the program
    pub(in crate::cli) scenario: String,
    /// Command to run, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(in crate::cli) command: Vec<OsString>,
    #[arg(long, value_name = "NAME=TEMPLATE", value_parser = pair, help = TEMPLATE_HELP)]
    pub(in crate::cli) env: Vec<(String, String)>,
    /// Name of the API key that the command gets [default: the first that is not revoked]
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) key: Option<String>,
    /// Write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) junit: Option<PathBuf>,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) json: Option<PathBuf>,
    /// Write the report as an HTML page that needs no other file
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) html: Option<PathBuf>,
    /// Seed of generated data and of random draws, in place of the scenario's
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    pub(in crate::cli) seed: Option<u64>,
    /// Freeze the clock: it moves only when the command moves it
    #[arg(long)]
    pub(in crate::cli) freeze: bool,
    /// Instant that stands in for the system's clock, such as 2026-06-30T17:00:00Z: data is the same on every day
    #[arg(long, value_name = "INSTANT", value_parser = instant, env = "STANDIN_NOW")]
    pub(in crate::cli) now: Option<Moment>,
}

/// The flags of `run`.
#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// End the command after this time, such as 90s or 10m, with exit code 124
    #[arg(long, value_name = "DURATION", value_parser = span)]
    pub(super) timeout: Option<Duration>,
    /// Fault to add in front of the scenario's, or to replace the one of its name: 'slow={then: {delay: 2s}}'
    #[arg(long = "fault", value_name = "NAME=YAML", value_parser = pair)]
    pub(super) faults: Vec<(String, String)>,
    /// Expectation to add to the scenario's, or to replace the one of its name: 'once={contacts: {email: a@b.test}, count: 1}'
    #[arg(long = "expect", value_name = "NAME=YAML", value_parser = pair)]
    pub(super) expectations: Vec<(String, String)>,
    /// What the scorecard fails: `normal` what it calls a failure, `strict` warnings too, `warn` nothing
    #[arg(long, value_enum, default_value = "normal", hide_default_value = true)]
    pub(super) score: ScoreFlag,
    /// Write the calls as an HTTP archive, which browser tools open
    #[arg(long, value_name = "FILE")]
    pub(super) har: Option<PathBuf>,
    /// Write the run into one file, which `standin replay` sends again
    #[arg(long, value_name = "FILE")]
    pub(super) bundle: Option<PathBuf>,
    /// Do not fail if the command makes no call
    #[arg(long)]
    pub(super) allow_no_calls: bool,
    #[command(flatten)]
    pub(super) common: CommonFlags,
}

const TEMPLATE_HELP: &str = "Variable of the command's environment; in its value, {{base_url}}, {{admin_url}}, {{api_key}}, \
    {{business_number}}, {{world}} and {{port}} are replaced";

pub(in crate::cli) fn span(text: &str) -> Result<Duration, String> {
    let span = parse_duration(text).filter(|span| !span.is_zero());
    span.ok_or_else(|| format!("it must be {DURATION_FORMAT}, more than 0"))
}

/// Reads `NAME=VALUE`.
pub(in crate::cli) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !name.contains('\0') && !value.contains('\0') => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("it must be a name, `=` and a value".to_owned()),
    }
}
