//! The first load of the scenarios: unlike a reload, it fails if there is nothing to serve.

use std::path::PathBuf;

use clap::CommandFactory;

use crate::cli::Arguments;
use crate::cli::serve::Failure;
use crate::cli::serve::flags::Flags;
use crate::reload::status::LoadStatus;
use crate::reload::{self, Setup};
use crate::scenario::diagnostic::{Severity, nearest};
use crate::scenario::render;
use crate::server::log::Log;
use crate::world::registry::Registry;
use crate::world::shared::Shared;

/// Loads all scenarios. A file that the command line names must have no errors, and at least one scenario must have
/// none.
///
/// # Errors
/// Nothing can be served, or a file that was asked for cannot.
pub(crate) fn first_load(flags: &Flags, setup: &Setup, log: &Log) -> Result<(Registry, LoadStatus), Failure> {
    require_paths(setup)?;
    let reading = reload::read(setup);
    let folder = &reading.folder;
    for problem in folder.all_diagnostics() {
        log.write_error(render::human(problem, true) + "\n");
    }
    let is_named =
        |path: &PathBuf| setup.paths.iter().any(|named| setup.cwd.join(named) == setup.cwd.join(path));
    let mut broken = folder.scenarios.iter().filter(|loaded| loaded.scenario.is_none());
    if let Some(broken) = broken.find(|loaded| is_named(&loaded.path)) {
        let path = broken.path.display();
        return Err(Failure::cannot_start(format!("cannot serve {path}: fix the errors above")));
    }
    if let Some(problem) = folder.diagnostics.iter().find(|problem| problem.severity == Severity::Error) {
        return Err(Failure::cannot_start(problem.message.clone()));
    }
    let Some(default) = folder.default_name() else {
        let paths: Vec<String> = setup.paths.iter().map(|path| path.display().to_string()).collect();
        let paths = paths.join(", ");
        return Err(Failure::cannot_start(if folder.has_errors() {
            format!("no scenario in {paths} can be served: fix the errors above")
        } else {
            format!("there is no scenario in {paths}: `standin new NAME` creates one in scenarios/")
        }));
    };
    let default = flags.default.as_deref().unwrap_or(default).to_owned();
    let names = folder.names().collect::<Vec<_>>().join(", ");
    let board = LoadStatus::default();
    let mut snapshots = Vec::new();
    board.apply(setup, reading, |snapshot| snapshots.push(snapshot));
    let registry = Registry::new(
        &default,
        snapshots,
        Shared::new(flags.journal.into(), flags.admin_token.clone(), setup.time.clone()),
    );
    let unknown =
        |_| Failure::cannot_start(format!("no scenario named `{default}` can be served, only {names}"));
    Ok((registry.map_err(unknown)?, board))
}

/// Fails if a path does not exist, which may be a command with a typing error.
pub(crate) fn require_paths(setup: &Setup) -> Result<(), Failure> {
    let exists = |path: &PathBuf| {
        let path = setup.cwd.join(path);
        setup.files.is_folder(&path) || setup.files.real(&path).is_ok() || path.exists()
    };
    let Some(path) = setup.paths.iter().find(|path| !exists(path)) else { return Ok(()) };
    let shown = path.display().to_string();
    let arguments = Arguments::command();
    let commands = arguments.get_subcommands().map(clap::Command::get_name);
    if !shown.contains(['/', '.'])
        && let Some(command) = nearest(&shown, commands)
    {
        return Err(Failure::usage(format!(
            "there is no command, file or folder `{shown}`: did you mean `standin {command}`?"
        )));
    }
    Err(Failure::cannot_start(format!(
        "there is no file or folder {shown}: `standin new NAME` creates a scenario in scenarios/"
    )))
}
