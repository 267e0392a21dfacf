//! Watching files: the trigger of a reload. Folders are watched, not files: a file saved by renaming another over it is
//! a new file, which a watch on the old one never tells of.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};

/// How often the contents are compared where events cannot be relied on.
const POLL: Duration = Duration::from_millis(500);

/// What watches the folders.
pub struct Watch {
    watcher: Box<dyn Watcher + Send>,
    /// Folders whose contents are compared already; empty where events tell.
    polled: Option<BTreeSet<PathBuf>>,
}

impl Watch {
    /// A watcher that sends into that channel whenever something may have changed; with `poll`, by comparing contents.
    ///
    /// # Errors
    /// Where the operating system has no watch to give.
    pub fn new(changes: SyncSender<()>, poll: bool) -> notify::Result<Self> {
        let tell = move |event: notify::Result<Event>| {
            // Our own reading is an access, and would go on for ever. A full channel has a change in it already.
            if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
                let _ = changes.try_send(());
            }
        };
        let watcher: Box<dyn Watcher + Send> = if poll {
            let config = Config::default().with_poll_interval(POLL).with_compare_contents(true);
            Box::new(PollWatcher::new(tell, config)?)
        } else {
            Box::new(RecommendedWatcher::new(tell, Config::default())?)
        };
        Ok(Self { watcher, polled: poll.then(BTreeSet::new) })
    }

    /// Watches those folders, anew where they were watched: one that was deleted and made again is another one. A
    /// folder that is not there is found again by the slow look that goes with every watch. Where contents are
    /// compared, to begin anew would be to forget what they were compared with.
    pub fn watch(&mut self, folders: &[PathBuf]) {
        for folder in folders {
            if self.polled.as_mut().is_none_or(|polled| polled.insert(folder.clone())) {
                let _ = self.watcher.watch(folder, RecursiveMode::NonRecursive);
            }
        }
    }
}
