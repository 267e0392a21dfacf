//! `standin schema`: prints the JSON Schema of scenario files, for editors.

use crate::cli::{Exit, print};
use crate::scenario::schema;

pub(crate) fn run() -> Exit {
    print(&format!("{:#}", schema()));
    Exit::Success
}
