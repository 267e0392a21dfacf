//! The progress bar. Nothing is drawn if standard error is no terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for some runs, with the time that is left. None is shown for no runs.
pub(super) fn bar(runs: usize, what: &str) -> ProgressBar {
    if runs == 0 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(runs as u64);
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos} of {len}, {eta} left");
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message(what.to_owned());
    // The time left is shown also while a long run is under way.
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
