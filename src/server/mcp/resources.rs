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
    "agents", "api", "architecture", "ci", "console", "expectations", "explore", "faults", "journal", "limits", "packages",
    "phrases", "reliability", "replay", "routes", "run", "scale", "scenarios", "scorecard", "stored", "webhooks", "worlds",
}

const SCHEMA: &str = "standin://schema";

/// The scenarios of the program, with their names. A part, which has none, has its path.
fn scenarios() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    shipped::FILES.iter().filter_map(|(path, bytes)| {
        let file = path.strip_prefix("scenarios/")?.strip_suffix(".yaml")?;
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let name = lines.find_map(|line| std::str::from_utf8(line.strip_prefix(b"name: ")?).ok());
        Some((name.unwrap_or(file), *bytes))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_page_of_the_documentation_is_a_resource() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).unwrap();
        let pages: BTreeSet<String> = folder
            .filter_map(|file| Some(file.unwrap().file_name().to_str()?.strip_suffix(".md")?.to_owned()))
            .collect();
        assert_eq!(pages, DOCUMENTS.iter().map(|(name, _)| (*name).to_owned()).collect());
    }

    #[test]
    fn resources_have_names_of_their_own_and_scenarios_those_that_they_are_served_under() {
        let listed = list();
        let uris: BTreeSet<&str> = listed.iter().map(|one| one["uri"].as_str().unwrap()).collect();
        assert_eq!(uris.len(), listed.len());
        for uri in &uris {
            assert!(read(uri).unwrap()["text"].as_str().unwrap().len() > 20, "{uri}");
        }
        for name in ["demo", "edge-numbers", "parts/platform"] {
            assert!(uris.contains(format!("standin://scenarios/{name}").as_str()), "{name}");
        }
        assert!(read("standin://scenarios/numbers").is_none());
        assert!(serde_json::to_string(&listed).unwrap().len() < 8_000);
    }
}
