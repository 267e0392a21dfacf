//! The commands, one file each.

/// `serve`: serve scenarios.
pub mod serve;
/// What `serve` tells the person who started it.
pub mod greeting;
/// How much of the calls `serve` writes down.
pub mod journal;
/// A bar while a large dataset is built.
pub mod progress;
/// Watching files.
pub mod watch;
/// `check`: all diagnostics.
pub mod check;
/// `new`: a commented starter.
pub mod new;
/// `schema`: the JSON Schema of scenario files.
pub mod schema;
/// `openapi`: the document of the API.
pub mod openapi;
/// `completions`: for shells.
pub mod completions;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0.
    Fine,
    /// 1: something was found.
    Findings,
    /// 2: the command line is wrong.
    Usage,
    /// 3: it cannot start.
    CannotStart,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::CannotStart => 3,
        })
    }
}

/// A fake business-reputation backend that behaves like the real one.
#[derive(Debug, Parser)]
#[command(name = "standin", version, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Flags,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve scenarios, and follow their files as they change (the default command)
    Serve(serve::Flags),
    /// Tell everything that is wrong with scenarios
    Check(check::Flags),
    /// Write a commented starter to scenarios/NAME.yaml
    New(new::Flags),
    /// Print the JSON Schema of scenario files
    Schema,
    /// Print the OpenAPI document of the API
    Openapi(openapi::Flags),
    /// Print completions for a shell
    Completions(completions::Flags),
}

/// Runs the command that the command line names.
#[must_use]
pub fn run(arguments: Arguments) -> Exit {
    match arguments.command {
        None => serve::run(&arguments.serve),
        Some(Command::Serve(flags)) => serve::run(&flags),
        Some(Command::Check(flags)) => check::run(&flags),
        Some(Command::New(flags)) => new::run(&flags),
        Some(Command::Schema) => schema::run(),
        Some(Command::Openapi(flags)) => openapi::run(&flags),
        Some(Command::Completions(flags)) => completions::run(&flags),
    }
}
