//! `standin completions SHELL`: prints the completion script of a shell.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Arguments, Exit, print};

#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// Name of the shell
    shell: Shell,
}

pub(crate) fn run(flags: &Flags) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut Arguments::command(), "standin", &mut script);
    print(&String::from_utf8_lossy(&script));
    Exit::Success
}
