//! A bar on the terminal while a large dataset is built. Off a terminal nothing is drawn.

use std::thread::park_timeout;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::world::snapshot::Snapshot;

/// What is built within this time is built without a bar.
const SOON: Duration = Duration::from_millis(200);
/// How often the bar is drawn.
const STEP: Duration = Duration::from_millis(50);

/// Shows how far a snapshot's dataset is, until it is ready.
pub fn show(snapshot: &Snapshot) {
    park_timeout(SOON);
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
