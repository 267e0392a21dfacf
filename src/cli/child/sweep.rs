//! Kills descendants. A child subreaper gets the children of each of its descendants that ends, so killing the children until
//! there are none reaches all. A child is not forgotten by the system before it was waited for, so no number here can
//! belong to another process meanwhile.

use std::collections::BTreeSet;
use std::fs;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, getpid};

/// Kills all descendants of this process, and waits until they are gone, except for some children and what is below those.
/// Processes that this one may not kill, such as those of another user, are left.
pub(super) fn kill_all(spared: impl Fn() -> BTreeSet<Pid>) {
    let mut denied = BTreeSet::new();
    loop {
        let spared = spared();
        let mut children = children();
        children.retain(|child| !spared.contains(child) && !denied.contains(child));
        if children.is_empty() {
            return;
        }
        // The newest come last. Where processes start others and end at once, only those still live.
        for child in children.iter().rev() {
            if kill(*child, Signal::SIGKILL) == Err(Errno::EPERM) {
                denied.insert(*child);
            }
        }
        for child in children.into_iter().filter(|child| !denied.contains(child)) {
            while waitpid(child, None) == Err(Errno::EINTR) {}
        }
    }
}

/// The children of this process.
pub(super) fn children() -> Vec<Pid> {
    // The system keeps them by the thread that started them. One that was inherited is the first thread's.
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists: Result<Vec<String>, _> =
        tasks.map(|task| fs::read_to_string(task.path().join("children"))).collect();
    match lists {
        Ok(lists) => lists.iter().flat_map(|list| list.split_whitespace()).filter_map(pid).collect(),
        // The kernel was built without these lists, or a thread has ended meanwhile.
        Err(_) => children_of_all(),
    }
}

/// The same from the list of all processes, which takes longer.
fn children_of_all() -> Vec<Pid> {
    let own = getpid().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_own = |process: &fs::DirEntry| {
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // The name is in parentheses and may hold any letter. Behind it come the state and the parent.
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        parent == Some(own.as_str())
    };
    processes.filter(is_own).filter_map(|process| pid(&process.file_name().to_string_lossy())).collect()
}

fn pid(text: &str) -> Option<Pid> {
    text.parse().ok().map(Pid::from_raw)
}
