//! Fills the examples of an API document from what a world serves.

use serde_json::{Map, Value};

use crate::route::tree::Text;
use crate::template::compiled::Budget;

/// Fills the examples of requests to the operations from what the world serves. Its key is left out, since pages of any origin may read the
/// document.
pub(super) fn fill(document: &mut Value, requests: &Value) {
    let operations = document["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    for operation in operations.filter_map(|path| path.get_mut("post")) {
        let request = &requests["requests"][operation["operationId"].as_str().unwrap_or_default()];
        if request.is_null() {
            continue;
        }
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let filled = match parameter["in"].as_str() {
                Some("path") => &request["path"],
                Some("query") => &request["query"][name],
                _ => &request["headers"][name],
            };
            if !filled.is_null() {
                parameter["example"] = filled.clone();
            }
        }
        let example = &mut operation["requestBody"]["content"]["application/json"]["example"];
        for (name, value) in example.as_object_mut().into_iter().flatten() {
            let filled = &request["body"][name.as_str()];
            if name != "apiKey" && !filled.is_null() {
                *value = filled.clone();
            }
        }
    }
}

/// Renders the examples in the schemas of routes, whose texts may be templates over the data, the root. One that the data has nothing for
/// is left out. Parameters and bodies have the first as their example.
pub(super) fn render(document: &mut Value, root: &minijinja::Value) {
    let paths = document["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    let operations = paths.flat_map(|path| path.as_object_mut().into_iter().flat_map(Map::values_mut));
    let of_routes = operations
        .filter(|operation| operation["operationId"].as_str().is_some_and(|name| name.starts_with("route:")));
    for operation in of_routes {
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            if let Some(example) = rendered(&mut parameter["schema"], root) {
                parameter["example"] = example;
            }
        }
        let Some(media) = operation.pointer_mut("/requestBody/content/application~1json") else { continue };
        let members = media["schema"]["properties"].as_object_mut().into_iter().flatten();
        let body: Map<String, Value> =
            members.filter_map(|(name, schema)| Some((name.clone(), rendered(schema, root)?))).collect();
        if !body.is_empty() {
            media["example"] = body.into();
        }
    }
}

/// Renders the examples of a schema, and returns the first.
fn rendered(schema: &mut Value, root: &minijinja::Value) -> Option<Value> {
    let is_text = schema["type"] == "string";
    let examples = schema.get_mut("examples")?.as_array_mut()?;
    *examples = examples.iter().filter_map(|example| value(example, is_text, root)).collect();
    examples.first().cloned()
}

fn value(example: &Value, is_text: bool, root: &minijinja::Value) -> Option<Value> {
    let Value::String(text) = example else { return Some(example.clone()) };
    let text = Text::new(text).ok()?;
    let value = text.value(root, &mut Budget::default()).ok()?;
    if value.is_undefined() || value.is_none() {
        return None;
    }
    if is_text { Some(value.to_string().into()) } else { serde_json::to_value(&value).ok() }
}
