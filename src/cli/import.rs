//! `standin import DOCUMENT --out FILE`: makes routes from an OpenAPI document.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::cli::{Exit, print, print_error};
use crate::import::{Imported, Only, has_routes, import};
use crate::scenario::document;
use crate::scenario::files::{Disk, Files};

#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// OpenAPI document of version 3.0, 3.1 or 3.2, as YAML or JSON
    document: PathBuf,
    /// Import only these operations: 'GET /v1/business/**'. May be given several times
    #[arg(long, value_name = "OPERATION")]
    only: Vec<String>,
    /// The scenario to write. If it exists, its imported blocks are replaced, and those that were edited are kept
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Maximum size of a document, in bytes.
const MAX_BYTES: u64 = 32 << 20;

pub(crate) fn run(flags: &Flags) -> Exit {
    match try_run(flags) {
        Ok(Imported { told, routes, .. }) => {
            let shown = flags.out.display();
            for line in &told {
                print(line);
            }
            let notes = if told.is_empty() { String::new() } else { format!(", {} notes", told.len()) };
            print(&format!(
                "Wrote {shown}: {routes} routes{notes}. Serve it with:\n\n  standin serve {shown}"
            ));
            Exit::Success
        }
        Err((exit, message)) => {
            print_error(&message);
            exit
        }
    }
}

fn try_run(flags: &Flags) -> Result<Imported, (Exit, String)> {
    let shown = flags.document.display();
    let only = flags
        .only
        .iter()
        .map(|only| Only::new(only).map_err(|why| (Exit::Usage, format!("--only {only}: {why}"))));
    let only = only.collect::<Result<Vec<_>, _>>()?;
    let bytes = Disk.read(&flags.document, MAX_BYTES);
    let bytes = bytes.map_err(|error| (Exit::Usage, format!("cannot read {shown}: {error}")))?;
    let (parsed, mistakes) = document::parse(&flags.document, &bytes).map_err(|why| (Exit::Findings, why))?;
    let existing = match Disk.read(&flags.out, MAX_BYTES) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            return Err((Exit::Usage, format!("cannot read {}: {error}", flags.out.display())));
        }
    };
    if existing.as_ref().is_some_and(|text| !has_routes(text)) {
        let why = "is there, and has no routes that were imported: name another file, and include it";
        return Err((Exit::Usage, format!("{} {why}", flags.out.display())));
    }
    let name = flags.document.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let imported = import(&parsed, &only, (&name, existing.as_deref()));
    let mut imported = imported.map_err(|why| (Exit::Findings, format!("{shown}: {why}")))?;
    imported.told.splice(0..0, mistakes);
    let write = || {
        if let Some(folder) = flags.out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        fs::write(&flags.out, &imported.text)
    };
    write().map_err(|error| (Exit::Usage, format!("cannot write {}: {error}", flags.out.display())))?;
    Ok(imported)
}
