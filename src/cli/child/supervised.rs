//! Runs the command below a supervisor.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus};

use nix::sys::prctl;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, getpgrp};

use crate::cli::child::unix::{running, spawn};
use crate::cli::child::{CannotStart, Command, Ended, open_files, supervisor, sweep, terminal};

/// Starts the supervisor, which starts the command.
pub(super) fn start(command: &Command) -> io::Result<Child> {
    prctl::set_child_subreaper(true)?;
    let limit = open_files::before().map_or_else(|| "-".to_owned(), |limit| limit.to_string());
    // This program itself, also if its file was replaced since it was started.
    let mut supervise = std::process::Command::new("/proc/self/exe");
    supervise
        .arg0(supervisor::NAME.to_string_lossy().as_ref())
        .args([supervisor::ARGUMENT, &std::process::id().to_string(), &limit])
        .args(&command.argv);
    spawn(supervise, command)
}

pub(super) fn not_started(_: &Command, error: io::Error) -> Result<Ended, CannotStart> {
    Err(CannotStart(error))
}

/// Lets the supervisor pass a signal on. If it is stopped, it goes on.
pub(super) fn pass(supervisor: Pid, signal: Signal) {
    let _ = kill(supervisor, signal);
    let _ = kill(supervisor, Signal::SIGCONT);
}

/// Lets the supervisor kill everything.
pub(super) fn kill_all(supervisor: Pid) {
    pass(supervisor, supervisor::KILL_ALL);
}

/// Does what a shell does if the supervisor was stopped by Ctrl-Z: takes the terminal back and stops with the rest of the own
/// process group. It goes on here when the user continues that.
pub(super) fn follow_stop(supervisor: Pid) {
    let flags = WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG;
    if matches!(waitid(Id::Pid(supervisor), flags), Ok(WaitStatus::Stopped(..))) && terminal::exists() {
        terminal::hand(supervisor, getpgrp());
        let _ = killpg(getpgrp(), Signal::SIGTSTP);
        let _ = killpg(supervisor, Signal::SIGCONT);
    }
}

/// Kills what the supervisor has left: nothing, unless it was killed itself.
pub(super) fn clean_up(_: Pid, status: Option<&ExitStatus>) {
    if status.is_none_or(|status| status.signal().is_some()) {
        sweep::kill_all(|| running().clone());
    }
}
