//! The admin side, described: one row for each call.

use serde_json::{Map, Value, json};

/// One call.
struct Row {
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    /// Names of the query's parameters.
    query: &'static [&'static str],
    /// Schema of the body, by name; empty where there is none.
    body: &'static str,
    status: &'static str,
    /// Schema of the answer, by name; empty where there is none.
    answer: &'static str,
}

const fn row(
    (method, path): (&'static str, &'static str),
    summary: &'static str,
    query: &'static [&'static str],
    body: &'static str,
    (status, answer): (&'static str, &'static str),
) -> Row {
    Row { method, path, summary, query, body, status, answer }
}

const PAGE: &[&str] = &["offset", "limit"];
const STORED: &[&str] = &["business", "offset", "limit"];
const CALLS: &[&str] = &["operation", "status", "code", "key", "fault", "after", "limit"];
const SENT: &[&str] = &["status", "event", "eventId", "conversation", "subscription", "offset", "limit"];
const W: &str = "/__admin/worlds/{world}";

const ROWS: [Row; 33] = [
    row(
        ("get", "/__admin/health"),
        "Whether what is served is what stands on the disk",
        &[],
        "",
        ("200", "Health"),
    ),
    row(("get", "/__admin/scenarios"), "What is served", PAGE, "", ("200", "Scenarios")),
    row(("put", "/__admin/scenarios/{name}"), "Add or replace a scenario", &[], "Yaml", ("200", "Scenario")),
    row(("get", "/__admin/worlds"), "All worlds", PAGE, "", ("200", "Worlds")),
    row(("post", "/__admin/worlds"), "Make a world", &[], "WorldRequest", ("201", "Made")),
    row(("get", W), "One world", &[], "", ("200", "World")),
    row(("put", W), "Make it, or begin it anew", &[], "WorldRequest", ("200", "Made")),
    row(("delete", W), "Remove it", &[], "", ("204", "")),
    row(("post", "/__admin/worlds/{world}/reset"), "Back to its start", &[], "Reset", ("200", "Object")),
    row(("get", "/__admin/worlds/{world}/clock"), "World time", &[], "", ("200", "Clock")),
    row(
        ("post", "/__admin/worlds/{world}/clock"),
        "Move it; what falls due happens first",
        &[],
        "Move",
        ("200", "Clock"),
    ),
    row(("get", "/__admin/worlds/{world}/faults"), "Its faults, in order", PAGE, "", ("200", "Faults")),
    row(("put", "/__admin/worlds/{world}/faults/{name}"), "Put a fault", &[], "Object", ("200", "Fault")),
    row(
        ("patch", "/__admin/worlds/{world}/faults/{name}"),
        "Turn it on or off",
        &[],
        "Enabled",
        ("200", "Fault"),
    ),
    row(("delete", "/__admin/worlds/{world}/faults/{name}"), "Remove it", &[], "", ("204", "")),
    row(("get", "/__admin/worlds/{world}/requests"), "The journal", CALLS, "", ("200", "Calls")),
    row(("delete", "/__admin/worlds/{world}/requests"), "Empty it", &[], "", ("204", "")),
    row(
        ("get", "/__admin/worlds/{world}/requests.har"),
        "The journal as HAR 1.2",
        CALLS,
        "",
        ("200", "Object"),
    ),
    row(
        ("get", "/__admin/worlds/{world}/stream"),
        "What happens, as Server-Sent Events",
        &[],
        "",
        ("200", "Events"),
    ),
    row(("post", "/__admin/worlds/{world}/events"), "Make an event happen", &[], "Event", ("202", "Emitted")),
    row(
        ("get", "/__admin/worlds/{world}/deliveries"),
        "What was sent where",
        SENT,
        "",
        ("200", "Deliveries"),
    ),
    row(
        ("post", "/__admin/worlds/{world}/deliveries/{id}/retry"),
        "Deliver it once more",
        &[],
        "",
        ("202", "Delivery"),
    ),
    row(("get", "/__admin/worlds/{world}/contacts"), "Contacts stored", PAGE, "", ("200", "Objects")),
    row(
        ("get", "/__admin/worlds/{world}/subscriptions"),
        "Subscriptions stored",
        PAGE,
        "",
        ("200", "Objects"),
    ),
    row(("get", "/__admin/worlds/{world}/reviews"), "Reviews stored", STORED, "", ("200", "Objects")),
    row(
        ("post", "/__admin/worlds/{world}/reviews"),
        "Add one to this world",
        &[],
        "Record",
        ("201", "Object"),
    ),
    row(("get", "/__admin/worlds/{world}/questions"), "Questions stored", STORED, "", ("200", "Objects")),
    row(
        ("post", "/__admin/worlds/{world}/questions"),
        "Add one to this world",
        &[],
        "Record",
        ("201", "Object"),
    ),
    row(("get", "/__admin/openapi.json"), "This document", &[], "", ("200", "Object")),
    row(("get", "/metrics"), "For Prometheus", &[], "", ("200", "Metrics")),
    row(("get", "/openapi.json"), "The API's document", &[], "", ("200", "Object")),
    row(("get", "/w/{world}/openapi.json"), "That of a world", &[], "", ("200", "Object")),
    row(("get", "/docs"), "A page to read and try the API", &[], "", ("200", "Html")),
];

/// The document of the admin side.
#[must_use]
pub fn document(server: &str) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for row in &ROWS {
        let path = paths.entry(row.path).or_insert_with(|| json!({}));
        path[row.method] = call(row);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Standin, the admin side",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "An error is `{\"error\": what is wrong and what to do}`; where a scenario, a fault or a record has problems, `diagnostics` has all of them.",
        },
        "servers": [{ "url": server }],
        "security": [{}, { "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas(),
        },
    })
}

fn call(row: &Row) -> Value {
    let places = row.path.split('{').skip(1).filter_map(|part| part.split('}').next());
    let in_path = places
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    let in_query = row.query.iter().map(|name| {
        let numeric = matches!(*name, "offset" | "limit" | "after" | "code" | "business" | "subscription");
        let mut schema = json!({ "type": if numeric { "integer" } else { "string" } });
        if *name == "operation" {
            schema["enum"] = json!(crate::operations::ALL.map(|spec| spec.operation.name()));
        }
        json!({ "name": name, "in": "query", "schema": schema })
    });
    let refer = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let kind = match row.answer {
        "Events" => "text/event-stream",
        "Metrics" => "application/openmetrics-text",
        "Html" => "text/html",
        _ => "application/json",
    };
    let mut good = json!({ "description": "Done" });
    if !row.answer.is_empty() {
        good["content"] = json!({ kind: { "schema": refer(row.answer) } });
    }
    let error = json!({
        "description": "What is wrong, and what to do",
        "content": { "application/json": { "schema": refer("Error") } },
    });
    let mut responses = json!({ row.status: good, "default": error });
    if row.method == "put" && row.status == "200" {
        responses["201"] = responses["200"].clone();
    }
    let mut call = json!({
        "summary": row.summary,
        "parameters": in_path.chain(in_query).collect::<Vec<_>>(),
        "responses": responses,
    });
    if !row.body.is_empty() {
        let kind = if row.body == "Yaml" { "application/yaml" } else { "application/json" };
        call["requestBody"] = json!({ "content": { kind: { "schema": refer(row.body) } } });
    }
    call
}

fn schemas() -> Value {
    let text = || json!({ "type": "string" });
    let object = |members: Value| json!({ "type": "object", "properties": members });
    let list =
        |name: &str| json!({ "type": "array", "items": { "$ref": format!("#/components/schemas/{name}") } });
    let instant = || json!({ "type": "string", "format": "date-time" });
    let mut all = json!({
        "Error": { "type": "object", "required": ["error"], "properties": { "error": text(), "diagnostics": { "type": "array" } } },
        "Object": { "type": "object" },
        "Objects": list("Object"),
        "Yaml": text(),
        "Events": text(),
        "Metrics": text(),
        "Html": text(),
        "Health": object(json!({ "status": { "enum": ["ok", "degraded"] }, "version": text(), "scenarios": { "type": "array" } })),
        "Scenario": object(json!({ "name": text(), "summary": { "type": ["string", "null"] }, "default": { "type": "boolean" }, "file": { "type": ["string", "null"] } })),
        "Scenarios": list("Scenario"),
        "WorldRequest": object(json!({
            "name": text(), "scenario": text(), "seed": { "type": "integer", "minimum": 0 },
            "faults": list("Object"), "clock": object(json!({ "start": instant(), "mode": { "enum": ["frozen", "running"] } })),
        })),
        "Reset": object(json!({ "seed": { "type": "integer", "minimum": 0 } })),
        "Made": object(json!({ "name": text(), "baseUrl": text(), "apiKey": { "type": ["string", "null"] }, "seed": { "type": "integer" } })),
        "World": object(json!({ "name": text(), "scenario": text(), "baseUrl": text(), "seed": { "type": "integer" }, "standing": { "type": "boolean" } })),
        "Worlds": list("World"),
        "Clock": object(json!({ "now": instant(), "start": instant(), "mode": { "enum": ["frozen", "running"] }, "pending": { "type": "integer" } })),
        "Move": object(json!({ "advance": text(), "set": instant(), "mode": { "enum": ["frozen", "running"] } })),
        "Enabled": object(json!({ "enabled": { "type": "boolean" } })),
        "Fault": object(json!({ "name": text(), "enabled": { "type": "boolean" }, "hitCount": { "type": "integer" }, "fault": { "type": "object" } })),
        "Faults": list("Fault"),
        "Record": { "type": "object", "required": ["businessId"], "properties": { "businessId": { "type": ["integer", "string"] } } },
        "Event": {
            "type": "object",
            "required": ["event", "business"],
            "properties": { "event": text(), "business": { "type": ["integer", "string"] }, "conversation": text(), "text": text(), "data": { "type": "object" } },
        },
        "Emitted": object(json!({ "eventId": text(), "deliveries": { "type": "integer" } }))
    });
    all["Delivery"] = object(json!({
        "id": text(), "eventId": text(), "event": text(), "businessId": { "type": "integer" }, "conversation": { "type": ["string", "null"] },
        "subscriptionId": { "type": "integer" }, "endpoint": text(), "status": { "enum": ["pending", "delivered", "dead"] },
        "reason": { "type": ["string", "null"] }, "attempts": list("Attempt"),
    }));
    all["Deliveries"] = list("Delivery");
    all["Attempt"] = object(json!({
        "at": instant(), "request": { "type": "object" }, "response": { "type": ["object", "null"] },
        "durationMs": { "type": ["number", "null"] }, "error": { "type": ["string", "null"] },
    }));
    all["Call"] = object(json!({
        "seq": { "type": "integer" }, "at": instant(), "elapsedMs": { "type": "number" }, "world": text(),
        "operation": { "type": ["string", "null"] }, "key": { "type": ["string", "null"] }, "method": text(), "path": text(),
        "query": { "type": "object" }, "headers": { "type": "object" }, "body": {}, "status": { "type": ["integer", "null"] },
        "code": { "type": ["integer", "null"] }, "response": { "type": ["object", "null"] }, "fault": { "type": ["string", "null"] },
        "decision": { "type": ["object", "null"] }, "durationMs": { "type": ["number", "null"] }, "notes": { "type": "array", "items": text() },
    }));
    all["Calls"] = list("Call");
    all
}
