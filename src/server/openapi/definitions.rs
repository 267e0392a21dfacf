//! What the schemas of routes define for themselves, in `$defs`: in the document those are schemas of the document, because a
//! reference leads from the document's top there, and not from the schema's.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The schemas of the document, which those of routes are added to.
pub(super) struct Definitions<'a> {
    schemas: &'a mut Map<String, Value>,
    /// The added ones as the routes have them, by their names in the document.
    added: BTreeMap<String, Value>,
}

impl<'a> Definitions<'a> {
    pub(super) fn new(schemas: &'a mut Map<String, Value>) -> Self {
        Self { schemas, added: BTreeMap::new() }
    }

    /// A schema, which stands somewhere in `root`, for the document. What `root` defines is added to the document.
    pub(super) fn moved(&mut self, root: &Value, schema: &Value) -> Value {
        let Some(definitions) = root["$defs"].as_object() else { return schema.clone() };
        let names = self.names(definitions);
        for (name, definition) in definitions {
            let Some(name) = names.get(name.as_str()) else { continue };
            if !self.added.contains_key(name) {
                self.added.insert(name.clone(), definition.clone());
                self.schemas.insert(name.clone(), referring(definition, &names));
            }
        }
        let mut moved = referring(schema, &names);
        if let Some(members) = moved.as_object_mut() {
            members.remove("$defs");
        }
        moved
    }

    /// The names of definitions in the document. They keep their own if the document has no others of these names: most routes
    /// of an imported document define the same.
    fn names<'b>(&self, definitions: &'b Map<String, Value>) -> BTreeMap<&'b str, String> {
        let is_valid = |name: &str| {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
        };
        let is_free = |name: &str, definition: &Value| match self.added.get(name) {
            Some(known) => known == definition,
            None => !self.schemas.contains_key(name),
        };
        if definitions.iter().all(|(name, definition)| is_valid(name) && is_free(name, definition)) {
            return definitions.keys().map(|name| (name.as_str(), name.clone())).collect();
        }
        // The place of each makes the names of one schema distinct.
        let numbered = |number: usize| -> BTreeMap<&'b str, String> {
            let name = |(place, name): (usize, &'b String)| {
                let plain: String = name
                    .chars()
                    .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
                    .collect();
                (name.as_str(), format!("{plain}.{number}.{place}"))
            };
            definitions.keys().enumerate().map(name).collect()
        };
        let mut number = 2;
        loop {
            let names = numbered(number);
            if names.iter().all(|(name, new)| definitions.get(*name).is_some_and(|it| is_free(new, it))) {
                return names;
            }
            number += 1;
        }
    }
}

/// A schema whose references lead to the document's schemas of these names.
fn referring(schema: &Value, names: &BTreeMap<&str, String>) -> Value {
    match schema {
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                let reference = value.as_str().filter(|_| key == "$ref");
                let new = reference.and_then(|reference| renamed(reference, names)).map(Value::from);
                (key.clone(), new.unwrap_or_else(|| referring(value, names)))
            };
            members.iter().map(member).collect::<Map<_, _>>().into()
        }
        Value::Array(list) => list.iter().map(|value| referring(value, names)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// Where a reference to a definition leads in the document. None if it is another one.
fn renamed(reference: &str, names: &BTreeMap<&str, String>) -> Option<String> {
    let path = reference.strip_prefix("#/$defs/")?;
    let (name, rest) = path.find('/').map_or((path, ""), |at| path.split_at(at));
    let name = name.replace("~1", "/").replace("~0", "~");
    Some(format!("#/components/schemas/{}{rest}", names.get(name.as_str())?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_schemas_define_is_moved_once_and_other_definitions_of_a_name_get_another_name() {
        let mut schemas = Map::from_iter([("Error".to_owned(), json!({ "type": "object" }))]);
        let mut definitions = Definitions::new(&mut schemas);
        let tree = |of: &str| {
            json!({
                "$ref": "#/$defs/Node",
                "$defs": {
                    "Node": { "properties": { "next": { "$ref": "#/$defs/Node" }, "of": { "$ref": "#/$defs/Of" } } },
                    "Of": { "type": of },
                },
            })
        };
        for (root, expected) in [
            (tree("string"), "Node"),
            (tree("string"), "Node"),
            (tree("number"), "Node.2.0"),
            (json!({ "$ref": "#/$defs/Error", "$defs": { "Error": {} } }), "Error.2.0"),
            (json!({ "$ref": "#/$defs/a~1b/not", "$defs": { "a/b": { "not": true } } }), "a_b.2.0/not"),
        ] {
            let moved = definitions.moved(&root, &root);
            assert_eq!(moved, json!({ "$ref": format!("#/components/schemas/{expected}") }));
        }
        assert_eq!(schemas["Error"], json!({ "type": "object" }));
        assert_eq!(schemas["Of.2.1"], json!({ "type": "number" }));
        assert_eq!(
            schemas["Node.2.0"]["properties"],
            json!({ "next": { "$ref": "#/components/schemas/Node.2.0" }, "of": { "$ref": "#/components/schemas/Of.2.1" } })
        );
        assert_eq!(schemas.len(), 7);
    }
}
