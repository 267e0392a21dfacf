//! The flags of `explore`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::run::flags::{TEMPLATE_HELP, pair, span};
use crate::cli::sources::instant;

#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// Scenario file, or the name of a scenario in scenarios/ or of the program
    pub(super) scenario: String,
    /// Command to run, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
    /// Print what would be run, and run nothing but the baselines
    #[arg(long)]
    pub(super) plan: bool,
    /// Begin no run after this time, such as 5m
    #[arg(long, value_name = "DURATION", value_parser = span)]
    pub(super) budget: Option<Duration>,
    /// Number of runs at most, beside baselines and repetitions of findings
    #[arg(long, value_name = "N")]
    pub(super) runs: Option<usize>,
    /// Number of runs side by side. The command must not share ports or files with itself
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(super) jobs: u16,
    /// YAML file of deviations that are wanted, as --write-accept writes it
    #[arg(long, value_name = "FILE")]
    pub(super) accept: Option<PathBuf>,
    /// Write all deviations that were found to this file
    #[arg(long, value_name = "FILE")]
    pub(super) write_accept: Option<PathBuf>,
    /// Write each result to this file, and go on from what it has after an interruption
    #[arg(long, value_name = "FILE")]
    pub(super) resume: Option<PathBuf>,
    #[arg(long, value_name = "NAME=TEMPLATE", value_parser = pair, help = TEMPLATE_HELP)]
    pub(super) env: Vec<(String, String)>,
    /// Name of the API key that the command gets [default: the first that is not revoked]
    #[arg(long, value_name = "NAME")]
    pub(super) key: Option<String>,
    /// Write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write the report as an HTML page that needs no other file
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Seed of generated data and of random draws, in place of the scenario's
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    pub(super) seed: Option<u64>,
    /// Freeze the clock: it moves only when the command moves it
    #[arg(long)]
    pub(super) freeze: bool,
    /// Instant that stands in for the system's clock, such as 2026-06-30T17:00:00Z: data is the same on every day
    #[arg(long, value_name = "INSTANT", value_parser = is_instant, env = "STANDIN_NOW")]
    pub(super) now: Option<String>,
}

/// Checks an instant, and keeps how it is written.
fn is_instant(text: &str) -> Result<String, String> {
    instant(text).map(|_| text.to_owned())
}
