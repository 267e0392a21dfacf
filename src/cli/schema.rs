//! `standin schema`: the JSON Schema of scenario files, for editors.

use std::io::Write;

use crate::cli::Exit;
use crate::scenario::schema;

/// Prints it.
#[must_use]
pub fn run() -> Exit {
    // A reader that closed the pipe has what it wanted.
    let _ = writeln!(anstream::stdout(), "{:#}", schema());
    Exit::Fine
}
