//! What an agent can read: the JSON Schema of scenarios, the documentation, and the scenarios of the program.

use serde_json::{Value, json};

use crate::scenario::{schema, shipped};

macro_rules! documents {
    ($($name:literal,)*) => {
        /// The pages of the documentation.
        const DOCUMENTS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../../docs/", $name, ".md")))),*];
    };
}

documents! {
    "api", "expectations", "explore", "faults", "journal", "limits", "replay", "run", "scenarios", "scorecard", "stored",
    "webhooks", "worlds",
}

const SCHEMA: &str = "standin://schema";

/// The scenarios of the program, with their names.
fn scenarios() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    shipped::FILES.iter().filter_map(|(path, bytes)| {
        let file = path.strip_prefix("scenarios/")?.strip_suffix(".yaml")?;
        Some((file.rsplit('/').next()?, *bytes))
    })
}

/// All resources.
pub(super) fn list() -> Vec<Value> {
    let resource =
        |uri: String, name: &str, kind: &str| json!({ "uri": uri, "name": name, "mimeType": kind });
    let schema = resource(SCHEMA.to_owned(), "scenario.schema.json", "application/json");
    let document =
        |(name, _): &(&str, &str)| resource(format!("standin://docs/{name}"), name, "text/markdown");
    let scenario =
        |(name, _): (&str, &[u8])| resource(format!("standin://scenarios/{name}"), name, "application/yaml");
    std::iter::once(schema).chain(DOCUMENTS.iter().map(document)).chain(scenarios().map(scenario)).collect()
}

/// The content of a resource. None if there is none.
pub(super) fn read(uri: &str) -> Option<Value> {
    let (kind, text) = if uri == SCHEMA {
        ("application/json", format!("{:#}", schema()))
    } else if let Some(wanted) = uri.strip_prefix("standin://docs/") {
        ("text/markdown", DOCUMENTS.iter().find(|(name, _)| *name == wanted)?.1.to_owned())
    } else {
        let wanted = uri.strip_prefix("standin://scenarios/")?;
        let (_, bytes) = scenarios().find(|(name, _)| *name == wanted)?;
        ("application/yaml", String::from_utf8_lossy(bytes).into_owned())
    };
    Some(json!({ "uri": uri, "mimeType": kind, "text": text }))
}
