//! `standin schema`: prints the JSON Schema of scenario files, for editors.

use std::io::Write;

use crate::cli::Exit;
use crate::scenario::schema;

pub fn run() -> Exit {
    // A reader that has closed the pipe is no error.
    let _ = writeln!(anstream::stdout(), "{:#}", schema());
    Exit::Success
}
