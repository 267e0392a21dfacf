//! The arguments of `serve` and `check` that name scenario files.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Sources {
    /// Scenario files, or folders of them
    #[arg(default_value = "scenarios/")]
    pub(crate) paths: Vec<PathBuf>,
    /// Folder that no path in a scenario may leave
    #[arg(long, value_name = "FOLDER", env = "STANDIN_ROOT")]
    pub(crate) root: Option<PathBuf>,
}
