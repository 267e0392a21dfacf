//! The files that `explore` reads and writes. Those that are written are made before the first run, so that a wrong path does
//! not cost an exploration.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::explore::flags::Flags;
use crate::cli::run::load::show;
use crate::cli::serve::Failure;
use crate::explore::accept::Accepted;
use crate::explore::finding::RunResult;
use crate::explore::line::Given;
use crate::explore::report::Exploration;
use crate::explore::{html, junit};
use crate::scenario::admin_input::parse_accepted;
use crate::scenario::files::{Disk, Files as _};

/// Most bytes of a file that is read.
const MOST: u64 = 256 << 20;

/// The open files.
pub(super) struct Files {
    reports: Vec<(Form, PathBuf, File)>,
    write_accept: Option<(PathBuf, File)>,
    resume: Option<(PathBuf, File)>,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Json,
    Junit,
    Html,
}

/// What is known before the first run.
pub(super) struct Known {
    /// The results of runs that were made before an interruption.
    pub(super) results: BTreeMap<String, RunResult>,
    pub(super) accepted: BTreeSet<Accepted>,
}

impl Files {
    /// Opens all files, and reads what is known. `scenario` is the fingerprint of the scenario's files.
    ///
    /// # Errors
    /// A file cannot be read or written, or it belongs to another exploration.
    pub(super) fn open(flags: &Flags, given: &Given, scenario: u64) -> Result<(Self, Known), Failure> {
        let accepted = flags.accept.as_deref().map(read_accepted).transpose()?.unwrap_or_default();
        let header = json!({
            "standin": 1,
            "resume": "explore",
            "scenario": format!("{scenario:016x}"),
            "command": given.command,
            "flags": given.flags,
        });
        let (mut results, mut resume) = (BTreeMap::new(), None);
        if let Some(path) = flags.resume.as_deref() {
            results = read_results(path, &header)?;
            resume = Some((path.to_owned(), open_resume(path, &header)?));
        }
        let create = |path: &PathBuf| {
            let file =
                File::create(path).map_err(|error| Failure::cannot_start(cannot_write(path, &error)))?;
            Ok::<_, Failure>((path.clone(), file))
        };
        let named = [
            (Form::Json, &flags.common.json),
            (Form::Junit, &flags.common.junit),
            (Form::Html, &flags.common.html),
        ];
        let named = named.into_iter().filter_map(|(form, path)| Some((form, path.as_ref()?)));
        let reports = named.map(|(form, path)| create(path).map(|(path, file)| (form, path, file)));
        let reports = reports.collect::<Result<_, _>>()?;
        let write_accept = flags.write_accept.as_ref().map(create).transpose()?;
        Ok((Self { reports, write_accept, resume }, Known { results, accepted }))
    }

    /// Keeps the result of a run.
    pub(super) fn keep(&mut self, run: &str, result: &RunResult) -> Result<(), Failure> {
        let Some((path, file)) = &mut self.resume else { return Ok(()) };
        let line = json!({ "run": run, "result": result }).to_string() + "\n";
        file.write_all(line.as_bytes()).map_err(|error| Failure::cannot_start(cannot_write(path, &error)))
    }

    /// Writes the reports.
    pub(super) fn write(&self, exploration: &Exploration) -> Result<(), Failure> {
        for (form, path, file) in &self.reports {
            let text = match form {
                Form::Json => exploration.json(),
                Form::Junit => junit::junit(exploration),
                Form::Html => html::html(exploration),
            };
            write(file, path, &text)?;
        }
        Ok(())
    }

    /// Writes the deviations that were found.
    pub(super) fn write_accepted(&self, text: &str) -> Result<(), Failure> {
        self.write_accept.as_ref().map_or(Ok(()), |(path, file)| write(file, path, text))
    }
}

fn write(mut file: &File, path: &Path, text: &str) -> Result<(), Failure> {
    file.write_all(text.as_bytes()).map_err(|error| Failure::cannot_start(cannot_write(path, &error)))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

fn read_accepted(path: &Path) -> Result<BTreeSet<Accepted>, Failure> {
    let bytes = Disk.read(path, MOST);
    let bytes = bytes.map_err(|error| Failure::usage(format!("--accept {}: {error}", path.display())))?;
    let parsed = parse_accepted(&String::from_utf8_lossy(&bytes)).map_err(|mut problems| {
        for problem in &mut problems {
            path.clone_into(&mut problem.location.file);
        }
        show(&problems);
        Failure::usage(format!("--accept {}: fix the errors above", path.display()))
    })?;
    Ok(parsed.into_iter().map(|(at, deviation)| Accepted { at, deviation }).collect())
}

/// The results in a file, if there is one. The last line may be cut.
fn read_results(path: &Path, header: &Value) -> Result<BTreeMap<String, RunResult>, Failure> {
    let bytes = match Disk.read(path, MOST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(Failure::usage(format!("--resume {}: {error}", path.display()))),
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return Ok(BTreeMap::new()) };
    let known: Value = serde_json::from_str(first).unwrap_or_default();
    if known != *header {
        let what = match known.get("resume") {
            None => "it is no file of `standin explore --resume`",
            Some(_) if known["scenario"] != header["scenario"] => {
                "the scenario is another one or has changed"
            }
            Some(_) if known["command"] != header["command"] => "it belongs to another command",
            Some(_) => "it belongs to other flags",
        };
        return Err(Failure::usage(format!("--resume {}: {what}: choose another file", path.display())));
    }
    let result = |line: &str| {
        let mut line: Value = serde_json::from_str(line).ok()?;
        let result = serde_json::from_value(line.get_mut("result")?.take()).ok()?;
        Some((line.get("run")?.as_str()?.to_owned(), result))
    };
    Ok(lines.filter_map(result).collect())
}

/// The file, to write behind what it has.
fn open_resume(path: &Path, header: &Value) -> Result<File, Failure> {
    let failed = |error: std::io::Error| Failure::cannot_start(cannot_write(path, &error));
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
    let is_new = file.metadata().map_err(failed)?.len() == 0;
    // The last line may be cut.
    let begin = if is_new { format!("{header}\n") } else { "\n".to_owned() };
    file.write_all(begin.as_bytes()).map_err(failed)?;
    Ok(file)
}
