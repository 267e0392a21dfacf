//! `standin completions SHELL`.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Arguments, Exit};

/// Its flags.
#[derive(Debug, Args)]
pub struct Flags {
    /// For which shell
    shell: Shell,
}

/// Prints them.
#[must_use]
pub fn run(flags: &Flags) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut Arguments::command(), "standin", &mut script);
    // A reader that closed the pipe has what it wanted.
    let _ = anstream::stdout().write_all(&script);
    Exit::Fine
}
