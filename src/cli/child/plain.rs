//! A plain child process, where there are no process groups and signals. Ctrl-C reaches the command by the console.

use std::pin::pin;
use std::process::Command as Process;
use std::time::Duration;

use tokio::time::sleep;

use crate::cli::child::{CannotStart, Command, Ended, not_executed};
use crate::clock;

/// How often it is asked whether the command has ended.
const LOOK: Duration = Duration::from_millis(10);

pub(super) async fn run(command: Command) -> Result<Ended, CannotStart> {
    let began = clock::real_now();
    let ended = |code: Option<i32>, timed_out| Ended {
        code,
        signal: None,
        timed_out,
        passed_signal: None,
        duration: began.elapsed(),
    };
    let [program, arguments @ ..] = command.argv.as_slice() else {
        return Err(CannotStart(std::io::ErrorKind::InvalidInput.into()));
    };
    let variables = command.env.iter().map(|(name, value)| (name, value));
    let mut process = Process::new(program);
    process.args(arguments).envs(variables);
    if let Some(capture) = &command.capture {
        capture.connect(&mut process).map_err(CannotStart)?;
    }
    let mut child = match process.spawn() {
        Ok(child) => child,
        Err(error) => return Ok(ended(Some(not_executed(program, &error).into()), false)),
    };
    let mut timed_out = false;
    let mut timer = pin!(sleep(command.timeout.unwrap_or(Duration::MAX)));
    loop {
        if let Some(status) = child.try_wait().map_err(CannotStart)? {
            return Ok(ended(status.code(), timed_out));
        }
        tokio::select! {
            () = sleep(LOOK) => {}
            // The command has its own Ctrl-C; this process waits for it.
            _ = tokio::signal::ctrl_c() => {}
            () = &mut timer, if !timed_out => {
                timed_out = true;
                let _ = child.kill();
            }
        }
    }
}
