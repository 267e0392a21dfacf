//! A progress bar on the terminal while a large dataset is built. Nothing is drawn if standard error is no terminal.

use std::thread::park_timeout;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::world::snapshot::Snapshot;

/// A dataset that is built within this time gets no bar.
const DELAY: Duration = Duration::from_millis(200);
/// How often the bar is drawn.
const STEP: Duration = Duration::from_millis(50);

/// Draws the progress of a snapshot's dataset until it is built.
pub(crate) fn show(snapshot: &Snapshot) {
    park_timeout(DELAY);
    if snapshot.ready().is_some() {
        return;
    }
    let bar = ProgressBar::new(snapshot.counts.reviews);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {human_pos} of {human_len} reviews") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message(format!("Building {}", snapshot.scenario));
    while snapshot.ready().is_none() {
        bar.set_position(snapshot.done());
        park_timeout(STEP);
    }
    bar.finish_and_clear();
}
