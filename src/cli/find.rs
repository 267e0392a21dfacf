//! Finds the scenario that the command line names: a file, else a name in `scenarios/`, else one of the program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::serve::Failure;
use crate::cli::sources::{Opened, SCENARIOS};
use crate::clock::Moment;
use crate::scenario::diagnostic::did_you_mean;
use crate::scenario::files::{Disk, Files};
use crate::scenario::{LoadedFolder, load_all, shipped};

/// How deep folders are searched.
const MAX_DEPTH: usize = 32;

/// Finds a scenario.
///
/// # Errors
/// There is none of that name.
pub(super) fn find(wanted: &str, cwd: PathBuf, now: Moment) -> Result<Opened, Failure> {
    let on_disk = |path: PathBuf, cwd| Opened {
        files: Box::new(Disk),
        paths: vec![path],
        cwd,
        root: None,
        shipped: false,
    };
    let path = cwd.join(wanted);
    if path.exists() && !path.is_dir() {
        return Ok(on_disk(wanted.into(), cwd));
    }
    if let Some(path) = file_of(&cwd.join(SCENARIOS), wanted, MAX_DEPTH) {
        return Ok(on_disk(path.strip_prefix(&cwd).map(Path::to_owned).unwrap_or(path), cwd));
    }
    // A file may have another name than its scenario.
    let local = if cwd.join(SCENARIOS).is_dir() {
        load_all(&Disk, now, &[SCENARIOS.into()], None, &cwd)
    } else {
        LoadedFolder::default()
    };
    if let Some(path) = path_of(&local, wanted) {
        return Ok(on_disk(path, cwd));
    }
    let files = Box::new(shipped::files());
    let own_cwd = PathBuf::from(shipped::FOLDER);
    if let Some(path) = shipped::path_of(wanted) {
        return Ok(Opened { files, paths: vec![path.into()], cwd: own_cwd, root: None, shipped: true });
    }
    let own = load_all(&*files, now, &[SCENARIOS.into()], None, &own_cwd);
    let names: BTreeSet<&str> = local.names().chain(own.names()).collect();
    let help = did_you_mean(wanted, names.iter().copied());
    Err(Failure::cannot_start(format!(
        "there is no scenario file {wanted}, and no scenario of that name: {help}"
    )))
}

/// The file of that name below a folder. Reading only names, this is faster than to load all.
fn file_of(folder: &Path, name: &str, depth: usize) -> Option<PathBuf> {
    let entries = Disk.list(folder).ok().filter(|_| depth > 0)?;
    let is_it = |path: &Path| {
        let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        is_yaml && path.file_stem().is_some_and(|stem| stem == name)
    };
    let file =
        entries.iter().find(|(path, is_folder)| !is_folder && is_it(path)).map(|(path, _)| path.clone());
    // A link may lead back.
    let mut folders = entries.iter().filter(|(path, is_folder)| *is_folder && !path.is_symlink());
    file.or_else(|| folders.find_map(|(path, _)| file_of(path, name, depth - 1)))
}

/// The path of the scenario of that name.
fn path_of(folder: &LoadedFolder, name: &str) -> Option<PathBuf> {
    let loaded = folder.scenarios.iter().find(|loaded| loaded.name.as_deref() == Some(name));
    loaded.map(|loaded| loaded.path.clone())
}
