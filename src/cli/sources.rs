//! The arguments of `serve` and `check` that name scenario files.

use std::path::PathBuf;

use clap::Args;

use crate::clock::Moment;
use crate::scenario::files::{Disk, Files};
use crate::scenario::shipped;

#[derive(Debug, Args)]
pub(crate) struct Sources {
    /// Scenario files, or folders of them [default: scenarios/]
    pub(crate) paths: Vec<PathBuf>,
    /// Folder that no path in a scenario may leave
    #[arg(long, value_name = "FOLDER", env = "STANDIN_ROOT")]
    pub(crate) root: Option<PathBuf>,
    /// Instant that stands in for the system's clock, such as 2026-06-30T17:00:00Z: data is the same on every day
    #[arg(long, value_name = "INSTANT", value_parser = instant, env = "STANDIN_NOW")]
    pub(crate) now: Option<Moment>,
}

/// What the program reads its scenarios from.
pub(crate) struct Opened {
    pub(crate) files: Box<dyn Files>,
    /// Scenario files and folders.
    pub(crate) paths: Vec<PathBuf>,
    /// The folder that they are named from.
    pub(crate) cwd: PathBuf,
    pub(crate) root: Option<PathBuf>,
    /// Whether they are those that are part of the program.
    pub(crate) shipped: bool,
}

impl Sources {
    /// The paths that are named, else the folder `scenarios/`.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        if self.paths.is_empty() { vec![PathBuf::from(SCENARIOS)] } else { self.paths.clone() }
    }

    /// What is named, else the folder `scenarios/` if there is one, else the scenarios that are part of the program.
    pub(crate) fn open(&self, cwd: PathBuf) -> Opened {
        if self.paths.is_empty() && !cwd.join(SCENARIOS).exists() {
            let paths = vec![PathBuf::from(SCENARIOS)];
            return Opened {
                files: Box::new(shipped::files()),
                paths,
                cwd: shipped::FOLDER.into(),
                root: None,
                shipped: true,
            };
        }
        Opened { files: Box::new(Disk), paths: self.paths(), cwd, root: self.root.clone(), shipped: false }
    }
}

pub(super) const SCENARIOS: &str = "scenarios/";

/// Reads an instant.
pub(super) fn instant(text: &str) -> Result<Moment, String> {
    Moment::from_scenario(text)
        .ok_or_else(|| "it must be an instant with its offset, such as 2026-06-30T17:00:00Z, or a day, from the year 1 to 9999".to_owned())
}
