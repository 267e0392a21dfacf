//! Runs the command as a process group, where there are no subreapers: a descendant that leaves the group is not found.

use std::io;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, getpgrp};

use crate::cli::child::unix::{group, spawn};
use crate::cli::child::{CannotStart, Command, Ended, not_executed, terminal};

/// Starts the command, in the foreground if its input is the terminal.
pub(super) fn start(command: &Command) -> io::Result<Child> {
    let [program, arguments @ ..] = command.argv.as_slice() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut process = std::process::Command::new(program);
    process.args(arguments);
    let child = spawn(process, command)?;
    if std::io::IsTerminal::is_terminal(&io::stdin()) {
        terminal::hand(getpgrp(), group(&child));
    }
    Ok(child)
}

pub(super) fn not_started(command: &Command, error: io::Error) -> Result<Ended, CannotStart> {
    let program = command.argv.first().cloned().unwrap_or_default();
    Ok(Ended {
        code: Some(not_executed(&program, &error).into()),
        signal: None,
        timed_out: false,
        passed_signal: None,
        duration: Duration::ZERO,
    })
}

/// Sends a signal to the process group. If one of its processes is stopped, it goes on.
pub(super) fn pass(group: Pid, signal: Signal) {
    let _ = killpg(group, signal);
    let _ = killpg(group, Signal::SIGCONT);
}

pub(super) fn kill_all(group: Pid) {
    let _ = killpg(group, Signal::SIGKILL);
}

/// A command that was stopped stays so until somebody continues it.
pub(super) const fn follow_stop(_: Pid) {}

/// Kills what is left of the process group.
pub(super) fn clean_up(group: Pid, _: Option<&ExitStatus>) {
    kill_all(group);
}
