//! Runs a command and leaves nothing of it behind, whichever way it ends.
//!
//! On Linux there are three processes: this one, a supervisor (this program again, `supervisor.rs`), and the command, which is
//! the supervisor's child. The supervisor and the command are one process group, so that a signal to the group reaches the
//! command; the supervisor blocks it. Both this process and the supervisor are child subreapers: a descendant whose parent
//! ends becomes a child of the nearest of them, also if it has left the process group and the session.
//!
//! - The command ends: the supervisor kills its other descendants, and ends in the same way as the command.
//! - The grace time is over, or this process is killed: the supervisor gets a signal, and kills all its descendants.
//! - The supervisor is killed: its descendants become those of this process, which kills them.
//!
//! On other Unix systems the command is a child of this process, and what is left of its process group is killed. Elsewhere
//! only the command itself is.

/// Waits for the command, passes on signals, and ends it when it takes too long.
#[cfg(unix)]
mod unix;
/// How a command is started and ended: below a supervisor.
#[cfg(target_os = "linux")]
#[path = "supervised.rs"]
mod process;
/// How a command is started and ended: as a process group.
#[cfg(all(unix, not(target_os = "linux")))]
#[path = "group.rs"]
mod process;
/// The process between this one and the command.
#[cfg(target_os = "linux")]
pub(crate) mod supervisor;
/// Kills descendants.
#[cfg(target_os = "linux")]
mod sweep;
/// Which process group the terminal belongs to.
#[cfg(unix)]
mod terminal;
/// The limit of open files that the command gets.
pub(crate) mod open_files;
/// The end of the output of a command.
pub(crate) mod capture;
/// A plain child process.
#[cfg(not(unix))]
mod plain;

use std::ffi::OsString;
use std::fmt::{self, Display};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use crate::cli::child::capture::Capture;

/// A command to run. Its input and output are those of this process, unless they are captured.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    /// The program, and its arguments.
    pub(crate) argv: Vec<OsString>,
    /// Variables beside those of this process.
    pub(crate) env: Vec<(String, String)>,
    /// For how long it may run.
    pub(crate) timeout: Option<Duration>,
    /// How long after a signal or the timeout it may still run.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there it is ended at once"))]
    pub(crate) grace: Duration,
    /// What gets its output. It reads nothing then.
    pub(crate) capture: Option<Arc<Capture>>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// Its exit code, unless a signal ended it; 127 if there is no such program, 126 if it cannot be executed.
    pub(crate) code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    /// Whether it ran for longer than it might.
    pub(crate) timed_out: bool,
    /// The first signal that this process got and passed on to it.
    pub(crate) passed_signal: Option<i32>,
    /// Real time from its start to its end.
    pub(crate) duration: Duration,
}

impl Ended {
    /// The exit code by which a shell would report it; 124 after the timeout, as `timeout` has it.
    pub(crate) fn exit_code(&self) -> u8 {
        let code = match (self.timed_out, self.code, self.signal) {
            (true, _, _) => 124,
            (false, Some(code), _) => code,
            (false, None, signal) => 128 + signal.unwrap_or_default(),
        };
        // On Windows a code has 32 bits. What does not fit must not become 0.
        u8::try_from(code).unwrap_or(u8::MAX)
    }
}

/// The system does not start the process that would run the command.
#[derive(Debug)]
pub(crate) struct CannotStart(io::Error);

impl Display for CannotStart {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "cannot start a process: {}", self.0)
    }
}

/// Runs a command and waits until nothing of it is left. SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on to it, unless this
/// process ignores them; they do not end this process from then on. Several commands may run at once. It needs a tokio
/// runtime with timers and IO.
///
/// # Errors
/// The system does not start a process. A program that does not exist is no such error: it is told on standard error, and
/// its code is 127.
pub(crate) async fn run(command: Command) -> Result<Ended, CannotStart> {
    #[cfg(unix)]
    return unix::run(command).await;
    #[cfg(not(unix))]
    return plain::run(command).await;
}

/// Waits for a signal that asks this process to end, and returns its number.
///
/// # Errors
/// The system does not tell of signals.
pub(crate) async fn interruption() -> io::Result<i32> {
    #[cfg(unix)]
    return unix::interruption().await;
    #[cfg(not(unix))]
    return tokio::signal::ctrl_c().await.map(|()| 2);
}

/// From now on, a signal that asks this process to end does so at once, with 128 and its number: no command is left to get it.
pub(crate) fn end_by_signals() {
    let wait = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::process::exit(128 + runtime.block_on(interruption())?)
    };
    // Without another thread, which the system may refuse, signals wait until this one has done its work.
    let _ = std::thread::Builder::new().spawn(move || -> io::Result<()> { wait() });
}

/// Tells why a program is not executed, and returns its exit code.
fn not_executed(program: &OsString, error: &io::Error) -> u8 {
    super::print_error(&format!("cannot run {}: {error}", program.to_string_lossy()));
    if error.kind() == ErrorKind::NotFound { 127 } else { 126 }
}
