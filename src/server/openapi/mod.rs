//! OpenAPI 3.1 documents. That of the API is made from the operations' definitions, the error catalogue and the dialect of
//! the world that serves it.

/// The admin side's own document.
pub(crate) mod admin;
/// The example calls as files for clients.
pub(crate) mod calls;
mod definitions;
mod routes;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::api::dialect::Dialect;
use crate::api::error::Code;
use crate::api::events::{CLOSED_ALIAS, KNOWN};
use crate::api::operation::Operation;
use crate::operations::ALL;
use crate::operations::spec::{KeyIn, ParameterKind, Run, Spec};
use crate::route::table::Table;
use crate::server::openapi::definitions::Definitions;

/// Requests that the demo scenario takes, and what it answers; a test keeps them in step.
const EXAMPLES: &str = include_str!("examples.json");

/// The example of an operation: `{query, body, response}`.
pub(crate) fn example(operation: Operation) -> Value {
    let all: Value = serde_json::from_str(EXAMPLES).unwrap_or_default();
    all[operation.name()].clone()
}

/// The API that is described.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) dialect: &'a Dialect,
    /// Names of webhook events that the scenario adds.
    pub(crate) events: &'a [String],
    /// The routes that the scenario defines.
    pub(crate) routes: &'a Table,
    /// The base URL.
    pub(crate) server: &'a str,
}

/// The document of the simulated API.
pub(crate) fn document(view: View<'_>) -> Value {
    let mut paths: Map<String, Value> =
        ALL.iter().map(|spec| (spec.path.to_owned(), json!({ "post": operation(spec, view) }))).collect();
    let error = json!({
        "description": "An error of the API",
        "headers": header_references(&["x-standin-detail"]),
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
    });
    let mut schemas = schemas(view);
    routes::add(&mut paths, view, &error, &mut Definitions::new(&mut schemas));
    let mut security = Map::new();
    security.insert("key".to_owned(), json!({ "type": "apiKey", "in": "header", "name": "x-api-key" }));
    if view.dialect.query_api_key {
        security.insert("queryKey".to_owned(), json!({ "type": "apiKey", "in": "query", "name": "api_key" }));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Insight, contact, competitor review, Q&A and webhook subscription",
            "version": "0.0.1",
            "summary": "The simulated API, as this Standin serves it.",
            "description": "An error body is exactly `{code, message}`. The header `x-standin-detail` says what exactly was wrong.",
        },
        "servers": [{ "url": view.server }],
        "paths": paths,
        "components": {
            "securitySchemes": security,
            "schemas": schemas,
            "headers": headers(),
        },
    })
}

fn operation(spec: &Spec, view: View<'_>) -> Value {
    let example = example(spec.operation);
    let mut described = json!({
        "operationId": spec.operation.name(),
        "summary": spec.summary,
        "parameters": parameters(spec, view.dialect, &example),
        "requestBody": {
            "required": spec.needs_body,
            "content": { "application/json": {
                "schema": { "$ref": format!("#/components/schemas/{}Request", schema_name(spec)) },
                "example": example["body"],
            } },
        },
        "responses": responses(spec, view.dialect, &example),
    });
    if matches!(spec.key, KeyIn::Header) {
        described["security"] = security(view.dialect);
    }
    described
}

/// The ways to send a key, of which one is enough.
fn security(dialect: &Dialect) -> Value {
    if dialect.query_api_key { json!([{ "key": [] }, { "queryKey": [] }]) } else { json!([{ "key": [] }]) }
}

/// The name of an operation in camel case: `sentiment-locations` is `SentimentLocations`.
fn schema_name(spec: &Spec) -> String {
    let capitalize = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    };
    spec.operation.name().split('-').map(capitalize).collect()
}

/// The schemas of all bodies. What the scenario of the world adds to them is in them.
fn schemas(view: View<'_>) -> Map<String, Value> {
    let mut schemas = Map::new();
    for spec in ALL {
        let name = schema_name(spec);
        schemas.insert(format!("{name}Request"), spec.request.clone());
        schemas.insert(format!("{name}Response"), spec.response.clone());
    }
    let sources = &view.dialect.sources;
    let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    let aliases: Vec<&str> = sources.iter().map(|source| source.alias.as_str()).collect();
    schemas["ReviewsResponse"]["items"]["properties"]["sourceType"]["enum"] = json!(names);
    schemas["ReviewsRequest"]["properties"]["sources"]["items"]["examples"] = json!(aliases);
    let added = view.events.iter().map(String::as_str);
    let events: Vec<&str> = KNOWN.into_iter().chain([CLOSED_ALIAS.0]).chain(added).collect();
    schemas["SubscribeRequest"]["properties"]["events"]["items"]["enum"] = json!(events);
    let error = json!({
        "type": "object",
        "properties": { "code": { "type": "integer" }, "message": { "type": "string" } },
        "required": ["code", "message"],
    });
    schemas.insert("Error".to_owned(), error);
    schemas
}

fn parameters(spec: &Spec, dialect: &Dialect, example: &Value) -> Vec<Value> {
    let mut parameters = Vec::new();
    if let Some(name) = spec.path_parameter() {
        parameters.push(json!({
            "name": name,
            "in": "path",
            "required": true,
            "schema": { "type": "string" },
            "example": example["path"],
        }));
    }
    if let Run::ForAccount(..) = spec.run {
        parameters.push(json!({
            "name": "x-business-number",
            "in": "header",
            "required": true,
            "description": "Number of the enterprise; for sentiment also of a reseller",
            "schema": { "type": "string" },
            "example": "100",
        }));
    }
    for parameter in spec.query {
        let name = parameter.name.get(dialect);
        let is_page =
            [&dialect.names.start_index, &dialect.names.count].into_iter().any(|known| known == name);
        let is_required = parameter.required || (dialect.page_required && is_page);
        let mut schema = parameter_schema(parameter.kind);
        if let (true, Some(members)) = (is_required, schema.as_object_mut()) {
            members.remove("default");
        }
        let mut described = json!({ "name": name, "in": "query", "required": is_required, "schema": schema });
        if let Some(example) = example["query"].get(name) {
            described["example"] = example.clone();
        }
        parameters.push(described);
    }
    parameters
}

fn parameter_schema(kind: ParameterKind) -> Value {
    match kind {
        ParameterKind::Integer { min, max, default } => {
            let mut schema = json!({ "type": "integer", "minimum": min, "default": default });
            if let Some(max) = max {
                schema["maximum"] = max.into();
            }
            schema
        }
        ParameterKind::Word(words) => json!({ "type": "string", "enum": words, "default": words[0] }),
        ParameterKind::Number(numbers) => {
            json!({ "type": "integer", "enum": numbers, "default": numbers[0] })
        }
        ParameterKind::Boolean => json!({ "type": "boolean", "default": false }),
        ParameterKind::Business => json!({ "type": "string" }),
    }
}

/// The CORS headers, which answers to pages of other origins have.
const CORS_HEADERS: [&str; 2] = ["access-control-allow-origin", "access-control-expose-headers"];

fn responses(spec: &Spec, dialect: &Dialect, example: &Value) -> Value {
    let mut responses = Map::new();
    responses.insert(
        "200".to_owned(),
        json!({
            "description": "OK",
            "headers": header_references(&CORS_HEADERS),
            "content": { "application/json": {
                "schema": { "$ref": format!("#/components/schemas/{}Response", schema_name(spec)) },
                "example": example["response"],
            } },
        }),
    );
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in spec.codes() {
        by_status.entry(dialect.status(code, Some(spec.operation))).or_default().push(code);
    }
    for (status, codes) in by_status {
        let mut names = vec!["x-standin-detail"];
        names.extend(CORS_HEADERS);
        if codes.contains(&Code::RateLimited) && dialect.retry_after {
            names.push("retry-after");
        }
        if codes.contains(&Code::Method) {
            names.push("allow");
        }
        let rows = codes.iter().map(|code| format!("{}: {}", code.row().number, message(*code, spec)));
        let description = rows.collect::<Vec<_>>().join("\n\n");
        let example = |code: &Code| {
            let number = code.row().number;
            (number.to_string(), json!({ "value": { "code": number, "message": message(*code, spec) } }))
        };
        let examples: Map<String, Value> = codes.iter().map(example).collect();
        responses.insert(
            status.to_string(),
            json!({
                "description": description,
                "headers": header_references(&names),
                "content": { "application/json": {
                    "schema": { "$ref": "#/components/schemas/Error" },
                    "examples": examples,
                } },
            }),
        );
    }
    responses.into()
}

fn message(code: Code, spec: &Spec) -> &'static str {
    if code == Code::Validation { spec.injected_2003 } else { code.row().message }
}

fn header_references(names: &[&str]) -> Value {
    let refer = |name: &&str| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    names.iter().map(refer).collect::<Map<_, _>>().into()
}

fn headers() -> Value {
    let header = |description: &str, schema: Value| json!({ "description": description, "schema": schema });
    json!({
        "x-standin-detail": header("What exactly was wrong", json!({ "type": "string", "maxLength": 512 })),
        "retry-after": header("Seconds until the key's window ends", json!({ "type": "integer", "minimum": 1 })),
        "allow": header("The method that is allowed", json!({ "type": "string" })),
        "access-control-allow-origin": header("Sent to pages of other origins", json!({ "type": "string" })),
        "access-control-expose-headers": header("Headers that pages may read", json!({ "type": "string" })),
    })
}
