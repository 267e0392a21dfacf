//! `standin new NAME`: creates a commented scenario to start from.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use clap::Args;

use crate::cli::{Exit, print, print_error};
use crate::scenario::scalars::is_world_name;

#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// Name of the new scenario
    name: String,
}

const STARTER: &str = include_str!("starter.yaml");

/// Creates `scenarios/NAME.yaml`, but never overwrites a file.
pub(crate) fn run(flags: &Flags) -> Exit {
    let name =
        flags.name.strip_suffix(".yaml").or_else(|| flags.name.strip_suffix(".yml")).unwrap_or(&flags.name);
    if !is_world_name(name) || name == "default" {
        return refuse(&format!(
            "`{name}` is not a valid scenario name: use 1 to 64 letters, digits, `.`, `_` or `-`, with a letter or digit first, but not `default`"
        ));
    }
    let path = Path::new("scenarios").join(format!("{name}.yaml"));
    let written = fs::create_dir_all("scenarios")
        .and_then(|()| fs::File::create_new(&path))
        .and_then(|mut file| file.write_all(STARTER.replace("NAME", name).as_bytes()));
    let shown = path.display();
    match written {
        Ok(()) => {
            print(&format!("Wrote {shown}. Serve it with:\n\n  standin serve {shown}"));
            Exit::Success
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            refuse(&format!("{shown} exists already and is never overwritten: choose another name"))
        }
        Err(error) => refuse(&format!("cannot write {shown}: {error}")),
    }
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
        assert_eq!(loaded.scenario.map(|scenario| scenario.name).as_deref(), Some("mine"));
    }
}
