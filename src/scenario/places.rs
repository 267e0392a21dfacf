//! Where the faults of a scenario stand.

use crate::scenario::diagnostic::Findings;
use crate::scenario::fault;
use crate::scenario::node::Value;
use crate::scenario::source::FileId;
use crate::scenario::yaml;

/// The names of the faults in the text of a scenario file, each with its line, from 1. Includes are not followed.
pub(crate) fn fault_lines(text: &str) -> Vec<(String, usize)> {
    let node = yaml::parse(&mut Findings::default(), FileId(0), text);
    let Some(faults) = node.as_ref().and_then(|node| node.get("faults")) else { return Vec::new() };
    let Value::List(faults) = &faults.value else { return Vec::new() };
    let line = |offset: u32| text.get(..offset as usize).unwrap_or_default().matches('\n').count() + 1;
    faults
        .iter()
        .filter_map(|node| fault::name(node).map(|(name, _)| (name.to_owned(), line(node.span.start))))
        .collect()
}
