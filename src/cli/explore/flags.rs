//! The flags of `explore`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::run::flags::{CommonFlags, span};

/// The flags of `explore`.
#[derive(Debug, Args)]
pub(crate) struct Flags {
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
    #[command(flatten)]
    pub(super) common: CommonFlags,
}
