//! `standin replay BUNDLE`: sends the calls of a recorded run again, and fails at the first answer that differs.

use std::fmt::Write;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::bundle::archive::LIMIT;
use crate::bundle::read::{self, Bundle};
use crate::bundle::replay::{Difference, Plan, Summary, replay};
use crate::cli::{Exit, print, print_error};
use crate::scenario::files::{Disk, Files};

#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// The bundle, as `standin run --bundle` writes it
    bundle: PathBuf,
    /// Scenario file in place of the bundle's
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// Go on after the first answer that differs, and count them
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(flags: &Flags) -> Exit {
    let shown = flags.bundle.display();
    let bundle = match open(&flags.bundle) {
        Ok(bundle) => bundle,
        Err(why) => {
            print_error(&format!("{shown} cannot be replayed: {why}"));
            return Exit::CannotStart;
        }
    };
    print(&title(&bundle));
    let cwd = std::env::current_dir().unwrap_or_default();
    let scenario = flags.scenario.as_deref();
    let plan = Plan { bundle: &bundle, scenario, cwd: &cwd, all: flags.all };
    match replay(plan, |difference| print(&show(difference))) {
        Ok(summary) => {
            print(&verdict(&bundle, &summary));
            if summary.different > 0 { Exit::Findings } else { Exit::Success }
        }
        Err(why) => {
            print_error(&format!("{shown} cannot be replayed: {why}"));
            Exit::CannotStart
        }
    }
}

fn open(path: &Path) -> Result<Bundle, String> {
    let bytes = Disk.read(path, LIMIT as u64).map_err(|error| {
        if error.kind() == ErrorKind::NotFound {
            "there is no such file".to_owned()
        } else {
            error.to_string()
        }
    })?;
    read::read(&bytes).map_err(|why| why.to_string())
}

/// What the bundle is, and what is to be known of it.
fn title(bundle: &Bundle) -> String {
    let manifest = &bundle.manifest;
    let mut text = format!(
        "scenario {}, seed {}, clock from {}, loaded at {}, written by standin {}\n{}, {}\n",
        manifest.scenario,
        bundle.seed(),
        manifest.clock_start,
        bundle.now(),
        manifest.program,
        count(bundle.calls(), "call"),
        count(bundle.actions(), "action"),
    );
    let own = env!("CARGO_PKG_VERSION");
    if manifest.program != own {
        let _ = writeln!(text, "warning: this is standin {own}; another version may answer otherwise");
    }
    for gap in bundle.gaps() {
        let _ = writeln!(text, "warning: {gap}");
    }
    text
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn show(difference: &Difference) -> String {
    let mut text = format!("\n{} differs\n", difference.call);
    for part in &difference.parts {
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
        let (expected, received) = (or_none(&part.expected), or_none(&part.received));
        let _ = writeln!(text, "  {}\n    expected {expected}\n    received {received}", part.what);
    }
    if difference.more > 0 {
        let _ = writeln!(text, "  and {} more members of the body", difference.more);
    }
    for cause in &difference.causes {
        let _ = writeln!(text, "  {cause}");
    }
    text
}

/// The result, in words.
fn verdict(bundle: &Bundle, summary: &Summary) -> String {
    let mut text = String::new();
    for what in &summary.not_done {
        let _ = writeln!(text, "warning: {what}");
    }
    if summary.not_compared > 0 {
        let calls = count(summary.not_compared, "call");
        let _ = writeln!(
            text,
            "warning: {calls} could be sent only in part, since the journal did not keep the whole body; not compared"
        );
    }
    if summary.partly > 0 {
        let answers = count(summary.partly, "answer");
        let _ =
            writeln!(text, "warning: {answers} could be compared only as far as the journal kept the body");
    }
    let left = bundle.calls() - summary.sent;
    let _ = match (summary.different, left) {
        (0, _) => writeln!(text, "{}: all answers are as in the run", count(summary.sent, "call")),
        (different, 0) => writeln!(text, "{} of {} differ", count(different, "answer"), summary.sent),
        (different, left) => {
            let more = format!("{} sent no more; --all goes on", count(left, "call"));
            writeln!(text, "{} of {} differs; {more}", count(different, "answer"), summary.sent)
        }
    };
    text
}
