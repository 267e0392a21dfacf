//! `standin new NAME`: creates a commented scenario to start from.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::{Exit, print, print_error};
use crate::clock::TimeSource;
use crate::scenario::scalars::is_world_name;
use crate::scenario::{load_all, schema, shipped};

#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// Name of the new scenario
    name: String,
    /// Scenario of the program to start from, such as demo. The files that it includes are written, too
    #[arg(long, value_name = "SCENARIO")]
    from: Option<String>,
}

const STARTER: &str = include_str!("starter.yaml");
/// Where the schema of scenario files is written.
const SCHEMA: &str = "scenarios/standin.schema.json";
/// How the line begins that tells an editor where the schema is.
const SCHEMA_LINE: &str = "# yaml-language-server: $schema=";

/// Creates `scenarios/NAME.yaml`, or with `--from` a file beside those that it includes, but never overwrites a file.
pub(crate) fn run(flags: &Flags) -> Exit {
    let name =
        flags.name.strip_suffix(".yaml").or_else(|| flags.name.strip_suffix(".yml")).unwrap_or(&flags.name);
    if !is_world_name(name) || name == "default" {
        return refuse(&format!(
            "`{name}` is not a valid scenario name: use 1 to 64 letters, digits, `.`, `_` or `-`, with a letter or digit first, but not `default`"
        ));
    }
    let (path, text, others) = match &flags.from {
        None => {
            let path = Path::new("scenarios").join(format!("{name}.yaml"));
            (path, STARTER.replace("NAME", name), Vec::new())
        }
        Some(from) => match copy(from, name) {
            Ok(copy) => copy,
            Err(message) => return refuse(&message),
        },
    };
    let shown = path.display();
    match write(&path, text.as_bytes()) {
        Ok(()) => {
            for other in others {
                let shown = other.display();
                match write(&other, &shipped_bytes(&other)) {
                    Ok(()) => print(&format!("Wrote {shown}, which it includes.")),
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                        print(&format!("Kept {shown}, which it includes and which exists already."));
                    }
                    Err(error) => return refuse(&format!("cannot write {shown}: {error}")),
                }
            }
            if let Err(error) = write_schema() {
                return refuse(&format!("cannot write {SCHEMA}: {error}"));
            }
            print(&format!("Wrote {shown}. Serve it with:\n\n  standin serve {shown}"));
            Exit::Success
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            refuse(&format!("{shown} exists already and is never overwritten: choose another name"))
        }
        Err(error) => refuse(&format!("cannot write {shown}: {error}")),
    }
}

/// Creates the schema with which editors complete and check scenarios, unless it is there.
fn write_schema() -> std::io::Result<()> {
    match write(Path::new(SCHEMA), format!("{:#}\n", schema()).as_bytes()) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        written => written,
    }
}

/// The bytes of a shipped file; those of a scenario name the schema where `new` writes it.
fn shipped_bytes(path: &Path) -> Vec<u8> {
    let bytes =
        shipped::FILES.iter().find(|(other, _)| Path::new(other) == path).map_or(&[][..], |(_, bytes)| bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) if text.starts_with(SCHEMA_LINE) => {
            let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
            format!("{}\n{rest}", schema_line(path)).into_bytes()
        }
        _ => bytes.to_vec(),
    }
}

/// The comment by which editors find the schema of a file in `scenarios/`.
fn schema_line(path: &Path) -> String {
    let up = "../".repeat(path.components().count().saturating_sub(2));
    format!("{SCHEMA_LINE}{up}{}", SCHEMA.trim_start_matches("scenarios/"))
}

/// Creates a file with its folder.
///
/// # Errors
/// The file exists already, or it cannot be written.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    fs::File::create_new(path)?.write_all(bytes)
}

/// The path and text of a copy of a shipped scenario under a new name, and the paths of the files that it includes.
///
/// # Errors
/// There is no such scenario.
fn copy(from: &str, name: &str) -> Result<(PathBuf, String, Vec<PathBuf>), String> {
    let files = shipped::files();
    let folder = load_all(
        &files,
        TimeSource::new(None).now(),
        &["scenarios".into()],
        None,
        Path::new(shipped::FOLDER),
    );
    let Some(loaded) = folder.scenarios.iter().find(|loaded| loaded.name.as_deref() == Some(from)) else {
        let names = folder.names().collect::<Vec<_>>().join(", ");
        return Err(format!("the program has no scenario `{from}`, only {names}"));
    };
    let own = shipped::relative(&loaded.path);
    let bytes = shipped_bytes(&own);
    let text = String::from_utf8_lossy(&bytes);
    let renamed = text
        .lines()
        .map(|line| if line == format!("name: {from}") { format!("name: {name}") } else { line.to_owned() });
    let text = renamed.collect::<Vec<_>>().join("\n") + "\n";
    let others = loaded.files.iter().map(|path| shipped::relative(path)).filter(|path| *path != own);
    Ok((own.with_file_name(format!("{name}.yaml")), text, others.collect()))
}

fn refuse(message: &str) -> Exit {
    print_error(message);
    Exit::Usage
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::dates::Day;
    use crate::scenario::files::Memory;
    use crate::scenario::{LoadContext, load};

    #[test]
    fn the_starter_loads_without_a_problem() {
        let text = STARTER.replace("NAME", "mine");
        let files = Memory::new(&[("/s/mine.yaml", &text)]);
        let context = LoadContext { files: &files, root: "/s".into(), now: Day(20_634).start() };
        let loaded = load(&context, Path::new("/s/mine.yaml"));
        assert_eq!(loaded.diagnostics, []);
        assert_eq!(text.lines().next(), Some(&*schema_line(Path::new("scenarios/mine.yaml"))));
        assert_eq!(loaded.scenario.map(|scenario| scenario.name).as_deref(), Some("mine"));
    }

    #[test]
    fn a_copy_of_a_shipped_scenario_has_its_new_name_and_all_that_it_includes() {
        let (path, text, others) = copy("rate-limited", "mine").unwrap();
        assert_eq!(path, Path::new("scenarios/faults/mine.yaml"));
        assert!(others.contains(&"scenarios/demo.yaml".into()), "{others:?}");
        assert!(text.starts_with("# yaml-language-server: $schema=../standin.schema.json\n"), "{text}");
        let demo = shipped_bytes(Path::new("scenarios/demo.yaml"));
        assert!(demo.starts_with(b"# yaml-language-server: $schema=standin.schema.json\n"));
        let mut files: Vec<(String, String)> = vec![("/s/scenarios/faults/mine.yaml".to_owned(), text)];
        for other in others {
            let (_, bytes) = shipped::FILES.iter().find(|(path, _)| Path::new(path) == other).unwrap();
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            files.push((format!("/s/{}", other.display()), text));
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        let files = Memory::new(&files);
        let context = LoadContext { files: &files, root: "/s".into(), now: Day(20_634).start() };
        let loaded = load(&context, Path::new("/s/scenarios/faults/mine.yaml"));
        assert_eq!(
            loaded.scenario.map(|scenario| scenario.name).as_deref(),
            Some("mine"),
            "{:#?}",
            loaded.diagnostics
        );
        assert!(copy("rate-limitd", "mine").unwrap_err().contains("rate-limited"));
    }
}
