//! The command line: one file or folder per command.

/// The arguments that name scenario files.
pub(crate) mod sources;
/// The scenario that the command line names.
pub(crate) mod find;
/// `serve`: serve scenarios.
pub(crate) mod serve;
/// Runs a command and leaves nothing of it behind.
pub(crate) mod child;
/// `run`: serve a scenario to a command.
pub(crate) mod run;
/// `explore`: run a command again and again, each time with another fault.
pub(crate) mod explore;
/// `check`: report errors and warnings.
pub(crate) mod check;
/// `replay`: send the calls of a bundle again.
pub(crate) mod replay;
/// `import`: make routes from an OpenAPI document.
pub(crate) mod import;
/// `new`: create a scenario to start from.
pub(crate) mod new;
/// `schema`: the JSON Schema of scenario files.
pub(crate) mod schema;
/// `openapi`: the OpenAPI document of the API.
pub(crate) mod openapi;
/// `mcp`: the tools of a coding agent, over stdio.
pub(crate) mod mcp;
/// `health`: ask a server whether it is ready.
pub(crate) mod health;
/// `completions`: shell completions.
pub(crate) mod completions;

use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Parser, Subcommand};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Success,
    /// `check` found something.
    Findings,
    /// The command line is wrong.
    Usage,
    /// The server cannot start.
    CannotStart,
    /// The server ended at once, because a second signal asked it to stop.
    Interrupted,
    /// `run` ends with the code of its command.
    Command(u8),
}

impl Exit {
    /// The exit code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::CannotStart => 3,
            // What a shell reports of a program that Ctrl-C has ended.
            Self::Interrupted => 130,
            Self::Command(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// A fake business-reputation backend that behaves like the real one.
#[derive(Debug, Parser)]
#[command(name = "standin", version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::flags::Flags,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve scenarios, and reload them when their files change (the default command)
    Serve(serve::flags::Flags),
    /// Serve a scenario to a command, such as the tests of a client, and end with its exit code
    Run(run::flags::Flags),
    /// Run a command again and again, each time with one fault at one of its calls, and report which failures it survives
    Explore(explore::flags::Flags),
    /// Report all errors and warnings of scenarios
    Check(check::Flags),
    /// Send the calls of a recorded run again, and fail at the first answer that differs
    Replay(replay::Flags),
    /// Create scenarios/NAME.yaml, a commented scenario to start from
    New(new::Flags),
    /// Make routes from an OpenAPI document
    Import(import::Flags),
    /// Print the JSON Schema of scenario files
    Schema,
    /// Print the OpenAPI document of the API
    Openapi(openapi::Flags),
    /// End with exit code 0 if a server is ready, for the checks of containers
    Health(health::Flags),
    /// Serve scenarios to a coding agent, with tools by the Model Context Protocol over stdio
    Mcp(mcp::Flags),
    /// Print the completion script of a shell
    Completions(completions::Flags),
}

/// Prints the output of a command. A reader that has closed the pipe is no error.
fn print(text: &str) {
    let _ = writeln!(anstream::stdout(), "{}", text.trim_end_matches('\n'));
}

/// Prints why a command fails.
fn print_error(message: &str) {
    let _ = writeln!(anstream::stderr(), "standin: {message}");
}

/// What is wrong with a variable that stands for a flag. The error itself blames the flag, which nobody has written.
fn wrong_variable(error: &clap::Error) -> Option<String> {
    let text = |kind| {
        let ContextValue::String(text) = error.get(kind)? else { return None };
        Some(text.as_str())
    };
    let (flag, value) = (text(ContextKind::InvalidArg)?, text(ContextKind::InvalidValue)?);
    let long = flag.split(' ').next()?;
    let name = format!("STANDIN_{}", long.strip_prefix("--")?.replace('-', "_").to_uppercase());
    let is_written = |argument: OsString| {
        let argument = argument.to_string_lossy();
        argument.strip_prefix(long).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    if std::env::var(&name).ok()? != value || std::env::args_os().any(is_written) {
        return None;
    }
    let why = if let Some(ContextValue::Strings(values)) = error.get(ContextKind::ValidValue) {
        format!(": allowed are {}", values.join(", "))
    } else {
        error.source().map_or_else(String::new, |why| format!(": {why}"))
    };
    Some(format!("the variable {name}, which stands for {flag}, is `{value}`{why}"))
}

/// Runs the command that the command line names.
pub(crate) fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(code) = child::supervisor::main() {
        return code;
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => match wrong_variable(&error) {
            Some(message) => {
                print_error(&message);
                return Exit::Usage.into();
            }
            None => error.exit(),
        },
    };
    let exit = match arguments.command {
        None => serve::run(&arguments.serve),
        Some(Command::Serve(flags)) => serve::run(&flags),
        Some(Command::Run(flags)) => run::run(&flags),
        Some(Command::Explore(flags)) => explore::run(&flags),
        Some(Command::Check(flags)) => check::run(&flags),
        Some(Command::Replay(flags)) => replay::run(&flags),
        Some(Command::New(flags)) => new::run(&flags),
        Some(Command::Import(flags)) => import::run(&flags),
        Some(Command::Schema) => schema::run(),
        Some(Command::Openapi(flags)) => openapi::run(&flags),
        Some(Command::Mcp(flags)) => mcp::run(&flags),
        Some(Command::Health(flags)) => health::run(&flags),
        Some(Command::Completions(flags)) => completions::run(&flags),
    };
    exit.into()
}
