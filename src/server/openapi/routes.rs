//! The routes of a scenario in the OpenAPI document. Routes of one path and method are one operation there, with the name of the
//! first, the answers of all, and only those parameters required that all of them require.

use serde_json::{Map, Value, json};

use crate::fault::condition::Condition;
use crate::fault::matching::Accept;
use crate::route::schema::Part;
use crate::route::tree::Text;
use crate::route::{Content, Method, Response, Route};
use crate::server::openapi::definitions::Definitions;
use crate::server::openapi::{View, security};

/// Adds the routes to the paths of the document.
pub(super) fn add(
    paths: &mut Map<String, Value>,
    view: View<'_>,
    error: &Value,
    definitions: &mut Definitions<'_>,
) {
    for route in &view.routes.routes {
        let path = paths.entry(route.path.text().to_owned()).or_insert_with(|| json!({}));
        for method in &route.methods {
            let name = method.name().to_ascii_lowercase();
            match path.get_mut(&name) {
                Some(known) => {
                    merge_parameters(known, parameters(route, definitions));
                    add_responses(known, route, definitions);
                }
                None => {
                    path[&name] = operation(route, *method, error, definitions);
                    if route.requires_key {
                        path[&name]["security"] = security(view.dialect);
                    }
                }
            }
        }
    }
}

fn operation(route: &Route, method: Method, error: &Value, definitions: &mut Definitions<'_>) -> Value {
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
        "parameters": parameters(route, definitions),
        "responses": {},
    });
    let body = route.schema.as_ref().and_then(|schema| schema.of(Part::Body));
    if let Some(schema) = body {
        let is_optional = schema["x-optional"] == json!(true);
        let schema = definitions.moved(schema, schema);
        described["requestBody"] =
            json!({ "required": !is_optional, "content": { "application/json": { "schema": schema } } });
    } else if [Method::Post, Method::Put, Method::Patch].contains(&method) {
        described["requestBody"] = json!({ "content": { "application/json": { "schema": {} } } });
    }
    add_responses(&mut described, route, definitions);
    let refusals = if route.requires_key {
        &["400", "401", "404", "405", "413", "429", "500"][..]
    } else {
        &["400", "404", "405", "413", "429", "500"]
    };
    for status in refusals {
        if described["responses"].get(status).is_none() {
            described["responses"][status] = error.clone();
        }
    }
    described
}

fn parameters(route: &Route, definitions: &mut Definitions<'_>) -> Vec<Value> {
    let mut schema = |part: Part, name: &str| {
        let of_part = route.schema.as_ref().and_then(|schema| schema.of(part));
        let found = of_part.and_then(|root| Some(definitions.moved(root, root["properties"].get(name)?)));
        found.unwrap_or_else(|| json!({ "type": "string" }))
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
    for when in route.responses.iter().filter_map(|response| response.when.as_ref()) {
        let Condition { query, headers, .. } = &when.condition;
        for (place, part, conditions) in [("query", Part::Query, query), ("header", Part::Header, headers)] {
            for (name, _) in conditions.iter().filter(|(name, _)| name != "x-api-key") {
                add(place, part, name, false);
            }
        }
    }
    parameters
}

/// Adds the parameters of another route to those of an operation.
fn merge_parameters(described: &mut Value, added: Vec<Value>) {
    let Some(known) = described["parameters"].as_array_mut() else { return };
    let is_same = |a: &Value, b: &Value| a["name"] == b["name"] && a["in"] == b["in"];
    let is_required = |list: &[Value], one: &Value| {
        list.iter().any(|other| is_same(one, other) && other["required"] == json!(true))
    };
    for parameter in known.iter_mut() {
        parameter["required"] =
            (parameter["required"] == json!(true) && is_required(&added, parameter)).into();
    }
    for mut parameter in added {
        if !known.iter().any(|other| is_same(&parameter, other)) {
            parameter["required"] = false.into();
            known.push(parameter);
        }
    }
}

fn add_responses(described: &mut Value, route: &Route, definitions: &mut Definitions<'_>) {
    for response in &route.responses {
        let answer = &mut described["responses"][response.status.to_string()];
        if answer.is_null() {
            *answer = json!({ "description": "As the scenario says" });
        }
        let Some((media_type, media)) = media(response, definitions) else { continue };
        let known = &mut answer["content"][media_type];
        if known.is_null() {
            *known = media;
        } else if known["schema"] != media["schema"] {
            known["schema"] = json!({ "anyOf": [known["schema"], media["schema"]] });
        }
    }
}

/// The media type of a response's body and what the document says of it. None if there is no body.
fn media(response: &Response, definitions: &mut Definitions<'_>) -> Option<(String, Value)> {
    let mut media = json!({});
    let (mut media_type, literal) = match &response.content {
        Content::Empty => return None,
        Content::Text(_) => ("text/plain".to_owned(), None),
        Content::Json(tree) => ("application/json".to_owned(), tree.literal()),
    };
    let given = response.headers.iter().find(|(name, _)| name == "content-type");
    match given.map(|(_, value)| value) {
        Some(Text::Literal(given)) => {
            media_type = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        }
        Some(Text::Template(_)) => "*/*".clone_into(&mut media_type),
        None => {}
    }
    let example = literal.and_then(|text| serde_json::from_slice::<Value>(text).ok());
    let is_error = |body: &Value| {
        let members = body.as_object().map(Map::len);
        members == Some(2) && body["code"].is_i64() && body["message"].is_string()
    };
    media["schema"] = match (&response.schema, &example) {
        (Some(schema), _) => definitions.moved(schema, schema),
        (None, Some(body)) if is_error(body) => json!({ "$ref": "#/components/schemas/Error" }),
        (None, _) if media_type.starts_with("text/") => json!({ "type": "string" }),
        (None, _) => json!({}),
    };
    if let Some(example) = example {
        media["example"] = example;
    }
    Some((media_type, media))
}
