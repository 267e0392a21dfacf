//! The file of the default world's snapshot: read at the start, written at the stop.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::cli::Exit;
use crate::cli::serve::Failure;
use crate::world::registry::{DEFAULT, Registry};
use crate::world::saved::{MOST_BYTES, SavedWorld};

/// Takes up the snapshot of a file, if there is one.
///
/// # Errors
/// The file cannot be read or written, or its snapshot does not fit.
pub(super) fn load(path: &Path, registry: &Registry) -> Result<(), Failure> {
    let shown = path.display();
    let file = match fs::OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            return if folder.is_none_or(Path::is_dir) {
                Ok(())
            } else {
                Err(Failure::cannot_start(format!("--snapshot {shown}: there is no such folder")))
            };
        }
        Err(error) => return Err(Failure::cannot_start(format!("--snapshot {shown}: {error}"))),
    };
    let mut text = String::new();
    let read = file.take(MOST_BYTES as u64 + 1).read_to_string(&mut text);
    read.map_err(|error| Failure::cannot_start(format!("cannot read --snapshot {shown}: {error}")))?;
    if text.len() > MOST_BYTES {
        let most = MOST_BYTES >> 20;
        return Err(Failure::cannot_start(format!("--snapshot {shown} has more than {most} MiB")));
    }
    let restored = SavedWorld::read(&text).and_then(|saved| registry.restore(DEFAULT, &saved));
    restored.map(drop).map_err(|why| {
        Failure::cannot_start(format!("--snapshot {shown}: {why} To begin anew, remove the file."))
    })
}

/// Writes the snapshot beside the file, and puts it in its place when it is whole.
///
/// # Errors
/// It cannot be written; the file stays as it was, and that is said.
pub(super) fn write(path: &Path, registry: &Registry) -> Result<(), Failure> {
    let sentence = |why: &str| format!("{}.", why.trim_end_matches('.'));
    let failed = |why: String| Failure {
        exit: Exit::Findings,
        message: format!(
            "the snapshot is not written to {}: {} What the world held is lost; {}.",
            path.display(),
            sentence(&why),
            if path.exists() { "the file is kept as it was" } else { "there was no such file before" }
        ),
    };
    let text = registry.default_world().save().map_err(failed)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        // It may be written in part.
        let _ = fs::remove_file(&beside);
        failed(error.to_string())
    })
}
