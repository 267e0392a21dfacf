//! The arguments of `serve` and `check` that name scenario files.

use std::path::PathBuf;

use clap::Args;

use crate::clock::Moment;

#[derive(Debug, Args)]
pub(crate) struct Sources {
    /// Scenario files, or folders of them
    #[arg(default_value = "scenarios/")]
    pub(crate) paths: Vec<PathBuf>,
    /// Folder that no path in a scenario may leave
    #[arg(long, value_name = "FOLDER", env = "STANDIN_ROOT")]
    pub(crate) root: Option<PathBuf>,
    /// Instant that stands in for the system's clock, such as 2026-06-30T17:00:00Z: data is the same on every day
    #[arg(long, value_name = "INSTANT", value_parser = instant, env = "STANDIN_NOW")]
    pub(crate) now: Option<Moment>,
}

fn instant(text: &str) -> Result<Moment, String> {
    Moment::from_scenario(text)
        .ok_or_else(|| "it must be an instant with its offset, such as 2026-06-30T17:00:00Z, or a day, from the year 1 to 9999".to_owned())
}
