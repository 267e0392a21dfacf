//! Judges a run when its command has ended.

use std::time::Duration;

use anstream::stream::IsTerminal;

use crate::cli::child::Ended;
use crate::cli::run::flags::Flags;
use crate::cli::run::github;
use crate::cli::run::outputs::Outputs;
use crate::cli::{Exit, print_error};
use crate::expect::record::{Command, Record};
use crate::expect::report::{Overall, Report, text};
use crate::server::admin::record;
use crate::server::bind::Running;
use crate::world::World;

/// What is known when the command has ended. The server still answers.
pub(super) struct Finished<'a> {
    pub(super) flags: &'a Flags,
    /// The world that the command called, and its name in the base URL.
    pub(super) world: &'a World,
    pub(super) name: &'a str,
    pub(super) server: &'a Running,
    pub(super) ended: &'a Ended,
}

/// For how long the ends of the last calls are awaited: a command that was killed has left its connections a moment before.
const LAST_ENDS: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_millis(2);

/// Tells on standard error how the client behaved, writes the files, and decides the exit code: the command's own, if that is
/// not 0.
pub(super) async fn judge(finished: &Finished<'_>, outputs: Outputs) -> Exit {
    let Finished { flags, world, server, ended, .. } = *finished;
    if ended.timed_out {
        let timeout = flags.timeout.unwrap_or_default();
        print_error(&format!("the command was still running after {timeout:?} (--timeout), and was ended"));
    }
    let code = ended.exit_code();
    if matches!(code, 126 | 127) {
        return Exit::Command(code);
    }
    let has_no_calls = !flags.allow_no_calls && !server.has_had_calls();
    if has_no_calls {
        print_error("no calls: does the client use STANDIN_BASE_URL?");
    }
    wait_for_ends(world).await;
    let report = report(finished, code, has_no_calls);
    eprint(&text::text(&report, std::io::stderr().is_terminal()));
    github::tell(&report);
    let exit = report.exit.and_then(|exit| u8::try_from(exit).ok()).unwrap_or(code);
    if let Err(problem) = outputs.write(&report, world) {
        print_error(&problem);
        return if exit == 0 { Exit::Findings } else { Exit::Command(exit) };
    }
    Exit::Command(exit)
}

fn report(finished: &Finished<'_>, code: u8, has_no_calls: bool) -> Report {
    let Finished { flags, world, name, ended, .. } = *finished;
    let command = Command {
        argv: flags.common.command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        exit: code.into(),
        signal: ended.signal,
        timed_out: ended.timed_out,
        duration: ended.duration,
    };
    let record = Record { world: name.to_owned(), ..record::record(world, Some(command)) };
    let expectations = record::verify(world, &record, &world.snapshot().expectations);
    let mut report = Report::new(&record, expectations, flags.score.into());
    if has_no_calls {
        report.verdict = Overall::Fail;
    }
    let is_good = code != 0 || report.verdict == Overall::Pass;
    report.exit = Some(if is_good { code.into() } else { Exit::Findings.code().into() });
    report
}

/// Waits a moment until the server has seen the end of each call.
pub(in crate::cli) async fn wait_for_ends(world: &World) {
    let is_open = || world.run().journal.read().entries.iter().any(|entry| entry.ended().is_none());
    let mut waited = Duration::ZERO;
    while waited < LAST_ENDS && is_open() {
        tokio::time::sleep(PAUSE).await;
        waited += PAUSE;
    }
}

fn eprint(text: &str) {
    // Nobody is left to tell that standard error is closed.
    let _ = std::io::Write::write_all(&mut anstream::stderr(), text.as_bytes());
}
