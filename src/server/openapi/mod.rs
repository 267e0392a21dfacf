//! OpenAPI 3.1 documents, built from the tables that the server itself goes by: the operations, the error catalogue, the
//! dialect, and the fields that the operations read.

/// Requests and answers of the six operations.
pub mod schemas;
/// The admin side's own document.
pub mod admin;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::api::dialect::Dialect;
use crate::api::error::{ApiError, CATALOGUE, Code};
use crate::api::operation::Operation;
use crate::operations;

/// Requests that the demo scenario takes, and what it answers; a test keeps them in step.
const EXAMPLES: &str = include_str!("examples.json");

/// The example of an operation: `{query, body, response}`.
#[must_use]
pub fn example(operation: Operation) -> Value {
    let all: Value = serde_json::from_str(EXAMPLES).unwrap_or_default();
    all[operation.name()].clone()
}

/// Whose API is described.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Its manners.
    pub dialect: &'a Dialect,
    /// Events that the scenario adds.
    pub events: &'a [String],
    /// The base URL.
    pub server: &'a str,
}

/// The document of the six operations.
#[must_use]
pub fn document(view: View<'_>) -> Value {
    let paths: Map<String, Value> = Operation::ALL
        .into_iter()
        .map(|operation| (operation.path().to_owned(), path(operation, view)))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Insight, contact, competitor review, Q&A and webhook subscription",
            "version": "0.0.1",
            "summary": "The simulated API, as this Standin serves it.",
            "description": "Every operation is a POST with a JSON body. An error body is exactly `{code, message}`; what exactly was wrong stands in the header `x-standin-detail`.",
        },
        "servers": [{ "url": view.server }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": { "type": "apiKey", "in": "header", "name": "x-api-key" },
            },
            "schemas": schemas::all(view),
            "headers": headers(),
        },
    })
}

fn path(operation: Operation, view: View<'_>) -> Value {
    let example = example(operation);
    let mut described = json!({
        "operationId": operation.name(),
        "summary": summary(operation),
        "parameters": parameters(operation, view.dialect, &example),
        "requestBody": {
            "required": matches!(operation, Operation::SentimentLocations | Operation::SentimentBenchmark | Operation::Contact | Operation::Subscribe),
            "content": { "application/json": {
                "schema": { "$ref": format!("#/components/schemas/{}Request", schemas::name(operation)) },
                "example": example["body"],
            } },
        },
        "responses": responses(operation, view.dialect, &example),
    });
    if operation != Operation::Subscribe {
        described["security"] = json!([{ "key": [] }]);
    }
    json!({ "post": described })
}

const fn summary(operation: Operation) -> &'static str {
    match operation {
        Operation::SentimentLocations => "Sentiment scores and mentions by location",
        Operation::SentimentBenchmark => "A sentiment score beside the industry's",
        Operation::Contact => "Create or update a contact",
        Operation::Reviews => "Reviews of a competitor, or of an own account or location",
        Operation::Qna => "Questions that the owner has not answered",
        Operation::Subscribe => "Subscribe an endpoint to events of an account",
    }
}

fn parameters(operation: Operation, dialect: &Dialect, example: &Value) -> Vec<Value> {
    let mut parameters = Vec::new();
    if operation == Operation::Reviews {
        parameters.push(json!({
            "name": "CompetitorEnterpriseBusinessId",
            "in": "path",
            "required": true,
            "schema": { "type": "string" },
            "example": example["path"],
        }));
    }
    if matches!(operation, Operation::SentimentLocations | Operation::SentimentBenchmark | Operation::Contact)
    {
        parameters.push(json!({
            "name": "x-business-number",
            "in": "header",
            "required": true,
            "description": "Number of the enterprise; for sentiment also of a reseller",
            "schema": { "type": "string" },
            "example": "100",
        }));
    }
    for name in operations::parameters(operation, dialect) {
        parameters.push(parameter(name, dialect, &example["query"]));
    }
    parameters
}

fn parameter(name: &str, dialect: &Dialect, example: &Value) -> Value {
    let names = &dialect.names;
    let schema = match name {
        "start-index" => json!({ "type": "integer", "minimum": 0, "default": 0 }),
        "page-size" => json!({ "type": "integer", "minimum": 1, "maximum": 100, "default": 10 }),
        "sort-by" => json!({ "type": "string", "enum": ["name", "sentiment-score"], "default": "name" }),
        "sort-order" => json!({ "type": "integer", "enum": [0, 1], "default": 0 }),
        other if other == names.start_index => json!({ "type": "integer", "minimum": 0, "default": 0 }),
        other if other == names.count => json!({ "type": "integer", "minimum": 0, "default": 25 }),
        other if other == names.competitor => json!({ "type": "boolean", "default": false }),
        _ => json!({ "type": "string" }),
    };
    let mut parameter =
        json!({ "name": name, "in": "query", "required": name == names.business, "schema": schema });
    if let Some(example) = example.get(name) {
        parameter["example"] = example.clone();
    }
    parameter
}

fn responses(operation: Operation, dialect: &Dialect, example: &Value) -> Value {
    let mut responses = Map::new();
    responses.insert(
        "200".to_owned(),
        json!({
            "description": "OK",
            "headers": referred(&["access-control-allow-origin", "access-control-expose-headers"]),
            "content": { "application/json": {
                "schema": { "$ref": format!("#/components/schemas/{}Response", schemas::name(operation)) },
                "example": example["response"],
            } },
        }),
    );
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for row in CATALOGUE.iter().filter(|row| row.operations.contains(&operation)) {
        by_status.entry(dialect.status(row.code, Some(operation))).or_default().push(row.code);
    }
    for (status, codes) in by_status {
        let examples: Map<String, Value> = codes.iter().map(|code| refused(*code, operation)).collect();
        let told: Vec<String> =
            codes.iter().map(|code| format!("{}: {}", code.row().number, code.row().message)).collect();
        let mut names =
            vec!["x-standin-detail", "access-control-allow-origin", "access-control-expose-headers"];
        if codes.contains(&Code::RateLimited) && dialect.retry_after {
            names.push("retry-after");
        }
        if codes.contains(&Code::Method) {
            names.push("allow");
        }
        responses.insert(
            status.to_string(),
            json!({
                "description": told.join("\n\n"),
                "headers": referred(&names),
                "content": { "application/json": {
                    "schema": { "$ref": "#/components/schemas/Error" },
                    "examples": examples,
                } },
            }),
        );
    }
    responses.into()
}

/// An error body as an example, by its code.
fn refused(code: Code, operation: Operation) -> (String, Value) {
    let mut refusal = ApiError::new(code, "");
    if code == Code::Validation && !operation.is_sentiment() {
        refusal = ApiError::mandatory(operations::fields(operation).first().copied().unwrap_or_default());
    }
    let body: Value = serde_json::from_slice(&refusal.body()).unwrap_or_default();
    (code.row().number.to_string(), json!({ "value": body }))
}

fn referred(names: &[&str]) -> Value {
    let refer = |name: &&str| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    names.iter().map(refer).collect::<Map<_, _>>().into()
}

fn headers() -> Value {
    let header = |description: &str, schema: Value| json!({ "description": description, "schema": schema });
    json!({
        "x-standin-detail": header("What exactly was wrong", json!({ "type": "string", "maxLength": 512 })),
        "retry-after": header("Seconds until the key's window ends", json!({ "type": "integer", "minimum": 1 })),
        "allow": header("The method that is allowed", json!({ "type": "string" })),
        "access-control-allow-origin": header("For pages", json!({ "type": "string" })),
        "access-control-expose-headers": header("Headers that pages may read", json!({ "type": "string" })),
    })
}
