//! `standin openapi`: the OpenAPI document of the API, or of the admin side.

use std::io::Write;

use clap::Args;

use crate::api::dialect::Dialect;
use crate::cli::Exit;
use crate::server::openapi::{View, admin, document};

/// Its flags.
#[derive(Debug, Args)]
pub struct Flags {
    /// That of the admin side
    #[arg(long)]
    admin: bool,
}

/// Prints it.
#[must_use]
pub fn run(flags: &Flags) -> Exit {
    const SERVER: &str = "http://127.0.0.1:8080";
    let document = if flags.admin {
        admin::document(SERVER)
    } else {
        document(View { dialect: &Dialect::default(), events: &[], server: SERVER })
    };
    // A reader that closed the pipe has what it wanted.
    let _ = writeln!(anstream::stdout(), "{document:#}");
    Exit::Fine
}
