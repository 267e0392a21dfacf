//! The process between `standin run` and the command: it starts the command, waits for it, and leaves none of its descendants.
//!
//! It is started as `standin __supervise PARENT LIMIT PROGRAM ARGUMENT…`. It has one thread, blocks all signals, and reads
//! them one after the other.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, OsString};
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;

use nix::errno::Errno;
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, killpg, raise};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::{Pid, getpgid, getpgrp, getppid};

use crate::cli::child::unix::PASSED;
use crate::cli::child::{not_executed, open_files, sweep, terminal};

/// The argument by which this program is a supervisor.
pub(super) const ARGUMENT: &str = "__supervise";
/// The name of the process. It differs from this program's, so that killing all processes of that name leaves it alive.
pub(super) const NAME: &CStr = c"run-supervisor";
/// The signal by which the parent asks to kill everything, and by which the system tells that the parent has ended.
pub(super) const KILL_ALL: Signal = Signal::SIGUSR1;

/// Runs as a supervisor, if the command line says so. It comes before anything else, since it must start fast.
pub(crate) fn main() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != ARGUMENT {
        return None;
    }
    let parent = arguments.next()?.to_str()?.parse().ok()?;
    let limit = arguments.next()?.to_str()?.parse().ok();
    Some(supervise(Pid::from_raw(parent), limit, &arguments.next()?, arguments))
}

fn supervise(
    parent: Pid,
    limit: Option<u64>,
    program: &OsString,
    arguments: impl Iterator<Item = OsString>,
) -> ExitCode {
    let signals = SigSet::all();
    let mut mask = SigSet::empty();
    let prepared = signals.thread_swap_mask(SigmaskHow::SIG_SETMASK).and_then(|before| {
        mask = before;
        prctl::set_child_subreaper(true)?;
        prctl::set_pdeathsig(KILL_ALL)?;
        prctl::set_name(NAME)?;
        SignalFd::with_flags(&signals, SfdFlags::SFD_CLOEXEC)
    });
    let signals = match prepared {
        Ok(signals) => signals,
        Err(error) => return not_executed(program, &error.into()).into(),
    };
    if getppid() != parent {
        return ExitCode::FAILURE;
    }
    if let Some(limit) = limit {
        open_files::restore(limit);
    }
    let parent_group = getpgid(Some(parent)).unwrap_or(parent);
    // If its output goes to a pager, that needs the terminal first. A command that reads it gets it all the same.
    let is_watched = std::io::IsTerminal::is_terminal(&std::io::stdout());
    if is_watched && std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        terminal::hand(parent_group, getpgrp());
    }
    let end = match spawn(program, arguments, &mask) {
        Ok(command) => {
            Supervisor { parent, parent_group, command, passed: false, asked: BTreeSet::new() }.wait(&signals)
        }
        Err(error) => End::Code(not_executed(program, &error.into())),
    };
    terminal::hand(getpgrp(), parent_group);
    end.imitate()
}

/// Starts the command. Its signals are as this process got them, and not blocked as here; SIGPIPE ends it, which Rust programs
/// ignore.
fn spawn(program: &OsString, arguments: impl Iterator<Item = OsString>, mask: &SigSet) -> nix::Result<Pid> {
    let text = |text: OsString| CString::new(text.into_vec()).map_err(|_| Errno::EINVAL);
    let program = text(program.clone())?;
    let arguments = std::iter::once(Ok(program.clone())).chain(arguments.map(text));
    let arguments: Vec<CString> = arguments.collect::<Result<_, _>>()?;
    let variable = |(mut name, value): (OsString, OsString)| {
        name.push("=");
        name.push(value);
        text(name)
    };
    let variables: Vec<CString> = std::env::vars_os().map(variable).collect::<Result<_, _>>()?;
    let mut attributes = PosixSpawnAttr::init()?;
    attributes.set_flags(PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF)?;
    attributes.set_sigmask(mask)?;
    attributes.set_sigdefault(&SigSet::from(Signal::SIGPIPE))?;
    posix_spawnp(&program, &PosixSpawnFileActions::init()?, &attributes, &arguments, &variables)
}

struct Supervisor {
    parent: Pid,
    /// The process group of the parent, to which the terminal belongs at first.
    parent_group: Pid,
    command: Pid,
    /// Whether the parent has passed on a signal, so that the other descendants have time to end by themselves.
    passed: bool,
    /// The descendants that were asked to end after the command did.
    asked: BTreeSet<Pid>,
}

impl Supervisor {
    /// Waits until the command has ended and nothing of it is left.
    fn wait(mut self, signals: &SignalFd) -> End {
        let mut end = None;
        loop {
            let left = self.reap(&mut end);
            match end {
                Some(end) if !left => return end,
                Some(end) if !self.passed => {
                    sweep::kill_all(BTreeSet::new);
                    return end;
                }
                Some(_) => self.ask_all_to_end(),
                None => self.follow_stop(),
            }
            let Ok(Some(signal)) = signals.read_signal() else { continue };
            let by_parent = u32::try_from(self.parent.as_raw()) == Ok(signal.ssi_pid);
            let signal =
                i32::try_from(signal.ssi_signo).ok().and_then(|number| Signal::try_from(number).ok());
            if getppid() != self.parent || (by_parent && signal == Some(KILL_ALL)) {
                sweep::kill_all(BTreeSet::new);
                return end.unwrap_or(End::Signal(Signal::SIGKILL));
            }
            if let Some(signal) = signal.filter(|signal| by_parent && PASSED.contains(signal)) {
                self.pass(signal);
            }
        }
    }

    /// Passes a signal on to the process group, and to the command if that has left it. A process that is stopped goes on, so that
    /// it can act on it.
    fn pass(&mut self, signal: Signal) {
        self.passed = true;
        for signal in [signal, Signal::SIGCONT] {
            let _ = killpg(getpgrp(), signal);
            if getpgid(Some(self.command)).is_ok_and(|group| group != getpgrp()) {
                let _ = kill(self.command, signal);
            }
        }
    }

    /// Takes leave of the descendants that have ended. Returns whether there are others.
    fn reap(&self, end: &mut Option<End>) -> bool {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => return true,
                Ok(WaitStatus::Exited(pid, code)) if pid == self.command => {
                    *end = Some(End::Code(code.try_into().unwrap_or(u8::MAX)));
                }
                Ok(WaitStatus::Signaled(pid, signal, _)) if pid == self.command => {
                    *end = Some(End::Signal(signal));
                }
                // A real-time signal has ended a process. Its number has no name here.
                Err(Errno::EINVAL) if end.is_none() && kill(self.command, None).is_err() => {
                    *end = Some(End::Code(u8::MAX));
                }
                Ok(_) | Err(Errno::EINTR | Errno::EINVAL) => {}
                Err(_) => return false,
            }
        }
    }

    /// Asks the descendants to end that have outlived the command. After the grace time they are killed.
    fn ask_all_to_end(&mut self) {
        for child in sweep::children() {
            if self.asked.insert(child) {
                let _ = kill(child, Signal::SIGTERM);
                let _ = kill(child, Signal::SIGCONT);
            }
        }
    }

    /// Does what a shell does if the command was stopped at the terminal: because it wants to read that, it gets it if it can;
    /// otherwise (Ctrl-Z) this process stops too, and so the parent learns of it.
    fn follow_stop(&self) {
        let flags = WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG;
        let Ok(WaitStatus::Stopped(_, signal)) = waitid(Id::Pid(self.command), flags) else { return };
        let wants_terminal = matches!(signal, Signal::SIGTTIN | Signal::SIGTTOU);
        if wants_terminal && (terminal::hand(self.parent_group, getpgrp()) || terminal::is_of(getpgrp())) {
            let _ = killpg(getpgrp(), Signal::SIGCONT);
        } else if (wants_terminal || signal == Signal::SIGTSTP) && terminal::exists() {
            let was_own = terminal::is_of(getpgrp());
            let _ = raise(Signal::SIGSTOP);
            if was_own {
                terminal::hand(self.parent_group, getpgrp());
            }
        }
    }
}

/// How the command ended.
#[derive(Clone, Copy)]
enum End {
    Code(u8),
    Signal(Signal),
}

impl End {
    /// Ends this process in the same way.
    fn imitate(self) -> ExitCode {
        let signal = match self {
            Self::Code(code) => return code.into(),
            Self::Signal(signal) => signal,
        };
        // The command has left its own core dump, if it may.
        let _ = prctl::set_dumpable(false);
        let _ = SigSet::from(signal).thread_unblock();
        // The Rust runtime has a handler for some, which removes itself.
        let _ = raise(signal).and_then(|()| raise(signal));
        u8::try_from(128 + signal as i32).unwrap_or(u8::MAX).into()
    }
}
