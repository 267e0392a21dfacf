//! Fills the examples of an API document from what a world serves.

use serde_json::{Map, Value};

use crate::api::call::{Body, Call};
use crate::operations::ALL;
use crate::operations::spec::Spec;
use crate::pipeline::example;
use crate::route::tree::Text;
use crate::template::compiled::Budget;
use crate::world::World;

/// Fills the examples of requests to the operations from what the world serves, its key only if the reader may have it.
pub(super) fn fill(document: &mut Value, requests: &Value, with_key: bool) {
    for (spec, operation) in operations(document) {
        let request = &requests["requests"][spec.operation.name()];
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
            if name == "apiKey" && !with_key {
                *value = "a key of this world".into();
            } else if !filled.is_null() {
                *value = filled.clone();
            }
        }
    }
    let email = &requests["requests"]["sentiment-locations"]["body"]["userEmail"];
    document["components"]["schemas"]["SentimentLocationsRequest"]["properties"]["userEmail"]["example"] =
        email.clone();
}

/// Sets the examples of answers to what the operations answer to the examples of requests.
pub(super) fn answer(document: &mut Value, world: &World, requests: &Value) {
    let snapshot = world.snapshot();
    let key = requests["key"].as_str().unwrap_or_default();
    let known = world.minted.as_ref().filter(|minted| minted.key == key).or_else(|| snapshot.keys.find(key));
    for (spec, operation) in operations(document) {
        let request = &requests["requests"][spec.operation.name()];
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in request["query"].as_object().into_iter().flatten() {
            query.append_pair(name, value.as_str().unwrap_or_default());
        }
        let (query, body) = (query.finish(), request["body"].to_string());
        let account = request["headers"]["x-business-number"].as_str().unwrap_or_default();
        let call = Call {
            method: "POST",
            path: spec.path,
            query: &query,
            headers: vec![("x-business-number", account.as_bytes())],
            body: Body::Whole(body.as_bytes()),
            connection: 0,
        };
        let parameter = request["path"].as_str().unwrap_or_default();
        let answered = example::answer(world, spec, &call, parameter, known);
        match answered.and_then(|body| serde_json::from_slice::<Value>(&body).ok()) {
            Some(example) => {
                operation["responses"]["200"]["content"]["application/json"]["example"] = example
            }
            None => remove_answer(operation),
        }
    }
}

/// Removes the examples of answers.
pub(super) fn remove_answers(document: &mut Value) {
    for (_, operation) in operations(document) {
        remove_answer(operation);
    }
}

fn remove_answer(operation: &mut Value) {
    if let Some(media) = operation.pointer_mut("/responses/200/content/application~1json") {
        media.as_object_mut().map(|media| media.remove("example"));
    }
}

/// The six operations in a document.
fn operations(document: &mut Value) -> impl Iterator<Item = (&'static Spec, &mut Value)> {
    let paths = document["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    paths.filter_map(|path| path.get_mut("post")).filter_map(|operation| {
        let name = operation["operationId"].as_str()?;
        Some((*ALL.iter().find(|spec| spec.operation.name() == name)?, operation))
    })
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
