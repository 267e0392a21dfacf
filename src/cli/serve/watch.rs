//! Reloading when files change: what triggers it, and how it is logged.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use serde_json::json;

use crate::cli::serve::Failure;
use crate::reload::status::{LoadEvent, LoadStatus};
use crate::reload::{self, Setup};
use crate::scenario::diagnostic::Diagnostic;
use crate::scenario::render;
use crate::server::log::{Format, Log};
use crate::world::registry::Registry;

/// How often file contents are compared with `--poll`.
const POLL: Duration = Duration::from_millis(500);

/// Watches the files on a thread of its own, as long as the process lives, and reloads them when they change. `report` gets
/// what that changed.
///
/// # Errors
/// The operating system cannot watch files.
pub(crate) fn start(
    poll: bool,
    setup: Arc<Setup>,
    registry: Arc<Registry>,
    board: Arc<LoadStatus>,
    report: impl Fn(&[LoadEvent]) + Send + 'static,
) -> Result<(), Failure> {
    let (sender, changes) = sync_channel(64);
    let mut folders = Folders::new(sender, poll)
        .map_err(|error| Failure::cannot_start(format!("cannot watch files: {error}: try --poll")))?;
    std::thread::spawn(move || {
        reload::follow(&setup, &registry, &board, &changes, |paths| folders.watch(paths), report);
    });
    Ok(())
}

/// Writes what a reload changed to the log.
pub(super) fn log(log: &Log, events: &[LoadEvent]) {
    for event in events {
        log.write(match log.format {
            Format::Text => text(event),
            Format::Json => json(event),
        });
    }
}

/// The watched folders. Files are not watched themselves: if a file is saved by renaming another one over it, a watch
/// on the old file reports nothing.
struct Folders {
    watcher: Box<dyn Watcher + Send>,
    /// With `--poll`, the folders that are watched already.
    polled: Option<BTreeSet<PathBuf>>,
}

impl Folders {
    /// Sends a message whenever a file may have changed.
    fn new(changes: SyncSender<()>, poll: bool) -> notify::Result<Self> {
        let send = move |event: notify::Result<Event>| {
            // Reading the files is an access too, and would trigger the next reload.
            if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
                // If the channel is full, a reload is due anyway.
                let _ = changes.try_send(());
            }
        };
        let watcher: Box<dyn Watcher + Send> = if poll {
            let config = Config::default().with_poll_interval(POLL).with_compare_contents(true);
            Box::new(PollWatcher::new(send, config)?)
        } else {
            Box::new(RecommendedWatcher::new(send, Config::default())?)
        };
        Ok(Self { watcher, polled: poll.then(BTreeSet::new) })
    }

    /// Watches those folders. A folder that is watched already is added again, since it may have been deleted and
    /// created anew; with `--poll` it is not, since that would forget the contents to compare with. A folder that does
    /// not exist is found by the periodic check of `reload::follow`.
    fn watch(&mut self, folders: &[PathBuf]) {
        for folder in folders {
            if self.polled.as_mut().is_none_or(|polled| polled.insert(folder.clone())) {
                let _ = self.watcher.watch(folder, RecursiveMode::NonRecursive);
            }
        }
    }
}

fn text(event: &LoadEvent) -> String {
    const DIM: Style = Style::new().dimmed();
    const GREEN: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
    const RED: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
    let diagnostics = |problems: &[Diagnostic]| -> String {
        problems.iter().map(|problem| render::human(problem, true) + "\n").collect()
    };
    match event {
        LoadEvent::Loaded { name, generation, problems } => {
            let diagnostics = diagnostics(problems);
            format!("{diagnostics}{GREEN}loaded{GREEN:#} {name} {DIM}(generation {generation}){DIM:#}")
        }
        LoadEvent::Broken { name, problems, served } => {
            let diagnostics = diagnostics(problems);
            let effect = if *served { "its last good version is still served" } else { "it is not served" };
            format!("{diagnostics}{RED}not loaded{RED:#} {name}: {effect}")
        }
        LoadEvent::Mended { name } => {
            format!("{GREEN}fixed{GREEN:#} {name}: it is the same as the version that is served")
        }
    }
}

fn json(event: &LoadEvent) -> String {
    match event {
        LoadEvent::Loaded { name, generation, problems } => {
            json!({ "event": "loaded", "scenario": name, "generation": generation, "diagnostics": render::json(problems) })
        }
        LoadEvent::Broken { name, problems, served } => {
            json!({ "event": "broken", "scenario": name, "served": served, "diagnostics": render::json(problems) })
        }
        LoadEvent::Mended { name } => json!({ "event": "mended", "scenario": name }),
    }
    .to_string()
}
