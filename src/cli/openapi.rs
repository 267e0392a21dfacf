//! `standin openapi`: prints the OpenAPI document of the API, or that of the admin API.

use clap::Args;

use crate::api::dialect::Dialect;
use crate::cli::{Exit, print};
use crate::route::table::Table;
use crate::server::openapi::{View, admin, document};

#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// Print the document of the admin API instead
    #[arg(long)]
    admin: bool,
}

pub(crate) fn run(flags: &Flags) -> Exit {
    const SERVER: &str = "http://127.0.0.1:8080";
    let document = if flags.admin {
        serde_json::json!(admin::document(SERVER))
    } else {
        document(View {
            dialect: &Dialect::default(),
            events: &[],
            routes: &Table::default(),
            server: SERVER,
        })
    };
    print(&format!("{document:#}"));
    Exit::Success
}
