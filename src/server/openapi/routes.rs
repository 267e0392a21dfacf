//! The routes of a scenario in the OpenAPI document. Routes of one path and method are one operation there, with the name of the
//! first.

use serde_json::{Map, Value, json};

use crate::fault::matching::Accept;
use crate::route::schema::Part;
use crate::route::table::Table;
use crate::route::{Content, Method, Route};

/// Adds the routes to the paths of the document.
pub(super) fn add(paths: &mut Map<String, Value>, routes: &Table, error: &Value) {
    for route in &routes.routes {
        let path = paths.entry(route.path.text().to_owned()).or_insert_with(|| json!({}));
        for method in &route.methods {
            let name = method.name().to_ascii_lowercase();
            match path.get_mut(&name) {
                Some(known) => add_responses(known, route),
                None => path[&name] = operation(route, *method, error),
            }
        }
    }
}

fn operation(route: &Route, method: Method, error: &Value) -> Value {
    // A route of several methods has several operations, each with an id of its own.
    let name = route.operation.name();
    let id = if route.methods.len() == 1 {
        name.to_owned()
    } else {
        format!("{name}:{}", method.name().to_ascii_lowercase())
    };
    let mut described = json!({
        "operationId": id,
        "summary": format!("The route {} of the scenario", route.name),
        "parameters": parameters(route),
        "responses": {},
    });
    let body = route.schema.as_ref().and_then(|schema| schema.of(Part::Body));
    if let Some(schema) = body {
        let is_optional = schema["x-optional"] == json!(true);
        described["requestBody"] =
            json!({ "required": !is_optional, "content": { "application/json": { "schema": schema } } });
    } else if [Method::Post, Method::Put, Method::Patch].contains(&method) {
        described["requestBody"] = json!({ "content": { "application/json": { "schema": {} } } });
    }
    if route.requires_key {
        described["security"] = json!([{ "key": [] }]);
    }
    add_responses(&mut described, route);
    let refusals = if route.requires_key {
        &["401", "404", "405", "413", "429", "500"][..]
    } else {
        &["404", "405", "413", "429", "500"]
    };
    for status in refusals {
        if described["responses"].get(status).is_none() {
            described["responses"][status] = error.clone();
        }
    }
    described
}

fn parameters(route: &Route) -> Vec<Value> {
    let schema = |part: Part, name: &str| {
        let of_part = route.schema.as_ref().and_then(|schema| schema.of(part));
        let found = of_part.and_then(|schema| schema["properties"].get(name));
        found.cloned().unwrap_or_else(|| json!({ "type": "string" }))
    };
    let mut parameters: Vec<Value> = route
        .path
        .parameters()
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": schema(Part::Path, name) }))
        .collect();
    let mut add = |place: &str, part: Part, name: &str, required: bool| {
        if !parameters.iter().any(|known| known["name"] == name && known["in"] == place) {
            parameters.push(
                json!({ "name": name, "in": place, "required": required, "schema": schema(part, name) }),
            );
        }
    };
    let asks =
        |accepted: &[Accept<String>]| accepted.iter().all(|accept| !matches!(accept, Accept::Present(false)));
    for (place, part, conditions) in
        [("query", Part::Query, &route.condition.query), ("header", Part::Header, &route.condition.headers)]
    {
        for (name, accepted) in conditions.iter().filter(|(name, _)| name != "x-api-key") {
            if asks(accepted) {
                add(place, part, name, true);
            }
        }
        let described = route.schema.as_ref().and_then(|schema| schema.of(part));
        let names = described.and_then(|schema| schema["properties"].as_object());
        for name in names.into_iter().flat_map(|names| names.keys()) {
            let required = described.and_then(|schema| schema["required"].as_array());
            let required = required.is_some_and(|required| required.iter().any(|known| known == name));
            add(place, part, name, required);
        }
    }
    parameters
}

fn add_responses(described: &mut Value, route: &Route) {
    for response in &route.responses {
        let status = response.status.to_string();
        if described["responses"].get(&status).is_some() {
            continue;
        }
        let mut answer = json!({ "description": "As the scenario says" });
        match &response.content {
            Content::Empty => {}
            Content::Text(_) => {
                answer["content"] = json!({ "text/plain": { "schema": { "type": "string" } } });
            }
            Content::Json(tree) => {
                let mut media = json!({ "schema": {} });
                let example = tree.literal().and_then(|text| serde_json::from_slice::<Value>(text).ok());
                if let Some(example) = example {
                    media["example"] = example;
                }
                answer["content"] = json!({ "application/json": media });
            }
        }
        described["responses"][&status] = answer;
    }
}
