//! What GitHub Actions shows of a run: a summary of the job, and annotations.

use std::fs::OpenOptions;
use std::io::{self, Write};

use crate::cli::print_error;
use crate::expect::report::{Report, github};

/// Tells the verdict if the run is part of a GitHub job.
pub(super) fn tell(report: &Report) {
    if std::env::var_os("GITHUB_ACTIONS").is_none_or(|value| value != "true") {
        return;
    }
    for annotation in github::annotations(report) {
        // Nobody is left to tell that standard error is closed.
        let _ = writeln!(anstream::stderr(), "{annotation}");
    }
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else { return };
    let append = || -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        file.write_all(github::github_summary(report).as_bytes())
    };
    if let Err(error) = append() {
        print_error(&format!("cannot write GITHUB_STEP_SUMMARY {}: {error}", path.display()));
    }
}
