//! The flags of `run`.

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;

use crate::cli::sources::instant;
use crate::clock::Moment;
use crate::scenario::scalars::{DURATION_FORMAT, parse_duration};

#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// Scenario file, or the name of a scenario in scenarios/ or of the program
    pub(super) scenario: String,
    /// Command to run, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
    /// End the command after this time, such as 90s or 10m, with exit code 124
    #[arg(long, value_name = "DURATION", value_parser = span)]
    pub(super) timeout: Option<Duration>,
    /// Variable of the command's environment; in its value, {{base_url}}, {{admin_url}}, {{api_key}}, {{business_number}},
    /// {{world}} and {{port}} are replaced
    #[arg(long, value_name = "NAME=TEMPLATE", value_parser = pair)]
    pub(super) env: Vec<(String, String)>,
    /// Name of the API key that the command gets [default: the first that is not revoked]
    #[arg(long, value_name = "NAME")]
    pub(super) key: Option<String>,
    /// Fault to add in front of the scenario's, or to replace the one of its name: 'slow={then: {delay: 2s}}'
    #[arg(long = "fault", value_name = "NAME=YAML", value_parser = pair)]
    pub(super) faults: Vec<(String, String)>,
    /// Seed of generated data and of random draws, in place of the scenario's
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    pub(super) seed: Option<u64>,
    /// Freeze the clock: it moves only when the command moves it
    #[arg(long)]
    pub(super) freeze: bool,
    /// Instant that stands in for the system's clock, such as 2026-06-30T17:00:00Z: data is the same on every day
    #[arg(long, value_name = "INSTANT", value_parser = instant, env = "STANDIN_NOW")]
    pub(super) now: Option<Moment>,
    /// Do not fail if the command makes no call
    #[arg(long)]
    pub(super) allow_no_calls: bool,
}

fn span(text: &str) -> Result<Duration, String> {
    let span = parse_duration(text).filter(|span| !span.is_zero());
    span.ok_or_else(|| format!("it must be {DURATION_FORMAT}, more than 0"))
}

/// Reads `NAME=VALUE`.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !name.contains('\0') && !value.contains('\0') => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("it must be a name, `=` and a value".to_owned()),
    }
}
