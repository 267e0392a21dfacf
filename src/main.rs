//! The program `standin`.

use std::process::ExitCode;

fn main() -> ExitCode {
    standin::main()
}
