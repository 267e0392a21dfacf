//! `standin check PATH…`: everything that is wrong with scenarios, for people or for CI.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::Exit;
use crate::clock;
use crate::scenario::LoadedFolder;
use crate::scenario::diagnostic::{Diagnostic, Severity};
use crate::scenario::files::Disk;
use crate::scenario::load_all;
use crate::scenario::render;

/// Its flags.
#[derive(Debug, Args)]
pub struct Flags {
    /// Scenario files and folders
    #[arg(default_value = "scenarios/")]
    paths: Vec<PathBuf>,
    /// How to tell
    #[arg(long, value_enum, default_value_t = Format::Human, env = "STANDIN_FORMAT")]
    format: Format,
    /// Exit with 1 for warnings too
    #[arg(long, env = "STANDIN_STRICT")]
    strict: bool,
    /// The folder that no path of a scenario may leave
    #[arg(long, env = "STANDIN_ROOT")]
    root: Option<PathBuf>,
}

/// For whom problems are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// As a compiler shows them
    Human,
    /// One JSON array
    Json,
    /// Annotations of GitHub Actions
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// Checks, tells, and says whether anything was found.
#[must_use]
pub fn run(flags: &Flags) -> Exit {
    let cwd = std::env::current_dir().unwrap_or_default();
    let today = clock::system_now().day();
    let folder = load_all(&Disk, today, &flags.paths, flags.root.as_deref(), &cwd);
    let problems: Vec<&Diagnostic> = folder.all_diagnostics().collect();
    let mut out = anstream::stdout().lock();
    // A reader that closed the pipe has what it wanted.
    let _ = match flags.format {
        Format::Human => writeln!(out, "{}", told(&folder, &problems)),
        Format::Json => writeln!(out, "{:#}", render::json(problems.iter().copied())),
        Format::Github => write!(out, "{}", render::github(problems.iter().copied())),
        Format::Sarif => writeln!(out, "{:#}", render::sarif(problems.iter().copied())),
    };
    if folder.has_errors() || (flags.strict && !problems.is_empty()) { Exit::Findings } else { Exit::Fine }
}

fn told(folder: &LoadedFolder, problems: &[&Diagnostic]) -> String {
    let shown: String = problems.iter().map(|problem| render::human(problem, true) + "\n\n").collect();
    let of = |severity| problems.iter().filter(|problem| problem.severity == severity).count();
    let some = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let scenarios = some(folder.scenarios.len(), "scenario");
    let (errors, warnings) = (some(of(Severity::Error), "error"), some(of(Severity::Warning), "warning"));
    format!("{shown}{scenarios} checked: {errors}, {warnings}")
}
