//! The files that a run writes at its end. They are made before the command begins, so that a wrong path does not cost a run.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::bundle;
use crate::cli::run::flags::Flags;
use crate::cli::serve::Failure;
use crate::expect::report::{Report, html, junit};
use crate::server::admin::requests;
use crate::world::World;

/// What a file holds.
#[derive(Clone, Copy, Debug)]
enum Form {
    Junit,
    Json,
    Html,
    Har,
    Bundle,
}

/// The open files.
pub(super) struct Outputs(Vec<(Form, PathBuf, File)>);

impl Outputs {
    /// Makes the files that the flags name.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub(super) fn open(flags: &Flags) -> Result<Self, Failure> {
        let named = [
            (Form::Junit, &flags.common.junit),
            (Form::Json, &flags.common.json),
            (Form::Html, &flags.common.html),
            (Form::Har, &flags.har),
            (Form::Bundle, &flags.bundle),
        ];
        let open = |(form, path): (Form, &Option<PathBuf>)| {
            let path = path.clone()?;
            Some(
                File::create(&path)
                    .map(|file| (form, path.clone(), file))
                    .map_err(|error| Failure::cannot_start(cannot_write(&path, &error))),
            )
        };
        Ok(Self(named.into_iter().filter_map(open).collect::<Result<_, _>>()?))
    }

    /// Writes them.
    ///
    /// # Errors
    /// One of them cannot be written; the text says why.
    pub(super) fn write(self, report: &Report, world: &World) -> Result<(), String> {
        for (form, path, mut file) in self.0 {
            let bytes = match form {
                Form::Junit => junit::junit(report).into_bytes(),
                Form::Json => (serde_json::to_string(report).unwrap_or_default() + "\n").into_bytes(),
                Form::Html => html::html(report).into_bytes(),
                Form::Har => requests::har(world).into_bytes(),
                Form::Bundle => bundle::write::write(world)
                    .map_err(|why| format!("cannot write the bundle {}: {why}", path.display()))?,
            };
            file.write_all(&bytes).map_err(|error| cannot_write(&path, &error))?;
        }
        Ok(())
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}
