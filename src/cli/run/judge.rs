//! Judges a run when its command has ended.

use crate::cli::child::Ended;
use crate::cli::run::flags::Flags;
use crate::cli::{Exit, print_error};
use crate::server::bind::Running;
use crate::world::World;

/// What is known when the command has ended. The server still answers.
pub(super) struct Finished<'a> {
    pub(super) flags: &'a Flags,
    /// The world that the command called.
    #[expect(dead_code, reason = "expectations and the scorecard will judge it")]
    pub(super) world: &'a World,
    pub(super) server: &'a Running,
    pub(super) ended: &'a Ended,
}

/// Tells on standard error what is wrong with the run, and decides the exit code: the command's own, if that is not 0.
pub(super) fn judge(finished: &Finished<'_>) -> Exit {
    let Finished { flags, server, ended, .. } = finished;
    if ended.timed_out {
        let timeout = flags.timeout.unwrap_or_default();
        print_error(&format!("the command was still running after {timeout:?} (--timeout), and was ended"));
    }
    let code = ended.exit_code();
    let was_executed = !matches!(code, 126 | 127);
    let mut failed = false;
    if was_executed && !flags.allow_no_calls && !server.has_had_calls() {
        print_error("no calls: does the client use STANDIN_BASE_URL?");
        failed = true;
    }
    if code == 0 && failed { Exit::Findings } else { Exit::Command(code) }
}
