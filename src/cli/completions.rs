//! `standin completions SHELL`: prints the completion script of a shell.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Arguments, Exit};

#[derive(Debug, Args)]
pub struct Flags {
    /// Name of the shell
    shell: Shell,
}

pub fn run(flags: &Flags) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut Arguments::command(), "standin", &mut script);
    // A reader that has closed the pipe is no error.
    let _ = anstream::stdout().write_all(&script);
    Exit::Success
}
