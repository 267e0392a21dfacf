//! Finds the scenario that the command line names: a file, else a name in `scenarios/`, else one of the program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::serve::Failure;
use crate::cli::sources::{Opened, SCENARIOS};
use crate::clock::Moment;
use crate::scenario::diagnostic::did_you_mean;
use crate::scenario::files::Disk;
use crate::scenario::{LoadedFolder, load_all, shipped};

/// Finds a scenario.
///
/// # Errors
/// There is none of that name.
pub(super) fn find(named: &str, cwd: PathBuf, now: Moment) -> Result<Opened, Failure> {
    let on_disk = |path: PathBuf, cwd| Opened {
        files: Box::new(Disk),
        paths: vec![path],
        cwd,
        root: None,
        shipped: false,
    };
    let path = cwd.join(named);
    if path.exists() && !path.is_dir() {
        return Ok(on_disk(named.into(), cwd));
    }
    let endings = ["yaml", "yml"].map(|ending| Path::new(SCENARIOS).join(format!("{named}.{ending}")));
    if let Some(path) = endings.into_iter().find(|path| cwd.join(path).is_file()) {
        return Ok(on_disk(path, cwd));
    }
    // A file may have another name than its scenario.
    let local = if cwd.join(SCENARIOS).is_dir() {
        load_all(&Disk, now, &[SCENARIOS.into()], None, &cwd)
    } else {
        LoadedFolder::default()
    };
    if let Some(path) = path_of(&local, named) {
        return Ok(on_disk(path, cwd));
    }
    let files = shipped::files();
    let own = load_all(&files, now, &[SCENARIOS.into()], None, Path::new(shipped::FOLDER));
    if let Some(path) = path_of(&own, named) {
        return Ok(Opened {
            files: Box::new(files),
            paths: vec![path],
            cwd: shipped::FOLDER.into(),
            root: None,
            shipped: true,
        });
    }
    let names: BTreeSet<&str> = local.names().chain(own.names()).collect();
    let help = did_you_mean(named, names.iter().copied());
    Err(Failure::cannot_start(format!(
        "there is no scenario file {named}, and no scenario of that name: {help}"
    )))
}

fn path_of(folder: &LoadedFolder, name: &str) -> Option<PathBuf> {
    let loaded = folder.scenarios.iter().find(|loaded| loaded.name.as_deref() == Some(name));
    loaded.map(|loaded| loaded.path.clone())
}
