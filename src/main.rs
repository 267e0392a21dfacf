//! The program `standin`: reads the command line, runs the command, and ends with its exit code.

use std::process::ExitCode;

use clap::Parser;
use standin::cli::{Arguments, run};

fn main() -> ExitCode {
    run(Arguments::parse()).into()
}
