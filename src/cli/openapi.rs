//! `standin openapi`: prints the OpenAPI document of the API, or that of the admin API; or its example calls for other clients.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::api::dialect::Dialect;
use crate::cli::{Exit, print, print_error};
use crate::route::table::Table;
use crate::server::openapi::{View, admin, calls, document};

#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// Print the document of the admin API instead
    #[arg(long, conflicts_with_all = ["http", "bruno"])]
    admin: bool,
    /// Print an example call of each operation instead, as a file with the ending .http
    #[arg(long, conflicts_with = "bruno")]
    http: bool,
    /// Write the example calls as a Bruno collection into a new folder instead
    #[arg(long, value_name = "OUT")]
    bruno: Option<PathBuf>,
}

pub(crate) fn run(flags: &Flags) -> Exit {
    const SERVER: &str = "http://127.0.0.1:8080";
    if let Some(folder) = &flags.bruno {
        return write_collection(folder);
    }
    if flags.http {
        print(&calls::http_file());
        return Exit::Success;
    }
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

fn write_collection(folder: &Path) -> Exit {
    let shown = folder.display();
    if folder.exists() {
        print_error(&format!("{shown} is there already: remove it, or name another folder"));
        return Exit::Usage;
    }
    for (path, text) in calls::bruno() {
        let path = folder.join(path);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        if let Err(error) = written {
            print_error(&format!("cannot write {}: {error}", path.display()));
            return Exit::Usage;
        }
    }
    print(&format!("Wrote the collection {shown}."));
    Exit::Success
}
