//! Which process group is in the foreground of the terminal, so that it may read it and gets Ctrl-C.

use std::fs::File;

use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{Pid, tcgetpgrp, tcsetpgrp};

/// The terminal that controls this process, if there is one.
fn open() -> Option<File> {
    File::open("/dev/tty").ok()
}

/// Whether there is one.
#[cfg(target_os = "linux")]
pub(super) fn exists() -> bool {
    open().is_some()
}

/// Whether a process group is in its foreground.
#[cfg(target_os = "linux")]
pub(super) fn is_of(group: Pid) -> bool {
    open().is_some_and(|terminal| tcgetpgrp(terminal) == Ok(group))
}

/// Puts a process group into its foreground, if that is of another given one. Returns whether it was.
pub(super) fn hand(from: Pid, to: Pid) -> bool {
    let Some(terminal) = open().filter(|terminal| tcgetpgrp(terminal) == Ok(from)) else { return false };
    // Otherwise the system stops a process that does this in the background.
    let mut blocked = SigSet::empty();
    blocked.add(Signal::SIGTTOU);
    let before = SigSet::thread_get_mask();
    let _ = blocked.thread_block();
    let handed = tcsetpgrp(terminal, to).is_ok();
    if let Ok(before) = before {
        let _ = before.thread_set_mask();
    }
    handed
}
