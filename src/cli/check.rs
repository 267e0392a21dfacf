//! `standin check PATH…`: reports all errors and warnings of scenarios, for people or for CI.

use clap::{Args, ValueEnum};

use crate::cli::sources::Sources;
use crate::cli::{Exit, print};
use crate::clock::TimeSource;
use crate::scenario::LoadedFolder;
use crate::scenario::diagnostic::{Diagnostic, Severity};
use crate::scenario::files::Disk;
use crate::scenario::load_all;
use crate::scenario::render;

#[derive(Debug, Args)]
pub(crate) struct Flags {
    #[command(flatten)]
    sources: Sources,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Human, env = "STANDIN_FORMAT")]
    format: Format,
    /// Exit with 1 if there are warnings, too
    #[arg(long, env = "STANDIN_STRICT")]
    strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text with the lines concerned, for people
    Human,
    /// One JSON array
    Json,
    /// GitHub Actions annotations
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

pub(crate) fn run(flags: &Flags) -> Exit {
    let cwd = std::env::current_dir().unwrap_or_default();
    let now = TimeSource::new(flags.sources.now).now();
    let folder = load_all(&Disk, now, &flags.sources.paths(), flags.sources.root.as_deref(), &cwd);
    let problems: Vec<&Diagnostic> = folder.all_diagnostics().collect();
    let text = match flags.format {
        Format::Human => report(&folder, &problems),
        Format::Json => format!("{:#}", render::json(problems.iter().copied())),
        Format::Github => render::github(problems.iter().copied()),
        Format::Sarif => format!("{:#}", render::sarif(problems.iter().copied())),
    };
    if !text.is_empty() {
        print(&text);
    }
    let failed = folder.has_errors() || (flags.strict && !problems.is_empty());
    if failed { Exit::Findings } else { Exit::Success }
}

/// The diagnostics as text, and a line that counts them.
fn report(folder: &LoadedFolder, problems: &[&Diagnostic]) -> String {
    let text: String = problems.iter().map(|problem| render::human(problem, true) + "\n\n").collect();
    let of = |severity| problems.iter().filter(|problem| problem.severity == severity).count();
    let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let scenarios = count(folder.scenarios.len(), "scenario");
    let (errors, warnings) = (count(of(Severity::Error), "error"), count(of(Severity::Warning), "warning"));
    format!("{text}{scenarios} checked: {errors}, {warnings}")
}
