//! The definitions of the eight tools, and the check of arguments against them.

use serde_json::{Map, Value, json};

use crate::server::mcp::tools::Arguments;

/// The definitions.
pub(super) fn list() -> Value {
    let text = |what: &str| json!({ "type": "string", "description": what });
    let world = text("name of the world");
    let cursor = text("where the page begins, as the answer before told it");
    let yaml = text("text of a scenario file");
    let object = |what: &str| json!({ "type": "object", "description": what });
    let tool = |name: &str, does: &str, is_read: bool, members: Value, required: &[&str]| {
        json!({
            "name": name,
            "description": does,
            "inputSchema": { "type": "object", "properties": members, "required": required, "additionalProperties": false },
            "annotations": { "readOnlyHint": is_read, "openWorldHint": false },
        })
    };
    json!([
        tool(
            "status",
            "Tells the base URL, a key and a call to begin with, the scenarios with what is wrong in their files, and the worlds.",
            true,
            json!({ "cursor": cursor }),
            &[]
        ),
        tool(
            "check",
            "Checks the text of a scenario. Tells every error and warning with its line and what is allowed.",
            true,
            json!({ "yaml": yaml, "cursor": cursor }),
            &["yaml"]
        ),
        tool(
            "put_scenario",
            "Checks a scenario and serves it under a name, in place of the one of that name. No file is written.",
            false,
            json!({ "name": text("name of the scenario"), "yaml": yaml }),
            &["name", "yaml"]
        ),
        tool(
            "world",
            "Shows a world: base URL, key, seed, clock. Makes it if it is not there. With scenario, seed, clock or faults it begins anew so. Each test should have one: its calls, faults, clock and contacts are its own.",
            false,
            json!({
                "world": world,
                "scenario": text("its scenario; the default one if absent"),
                "seed": { "type": "integer", "description": "seed of its data and random choices" },
                "clock": object("{start: instant, mode: frozen or running}"),
                "faults": { "type": "array", "items": { "type": "object" }, "description": "faults to begin with" },
                "reset": { "type": "boolean", "description": "back to its start; takes only seed beside it" },
                "remove": { "type": "boolean", "description": "takes nothing beside it" },
            }),
            &["world"]
        ),
        tool(
            "fault",
            "Lists a world's faults, or adds, replaces, switches or removes one. A fault as in a scenario, such as {operation: reviews, hits: 1, then: {error: 89}}.",
            false,
            json!({
                "world": world,
                "name": text("name of the fault; without it, all are listed"),
                "fault": object("the fault to put under that name"),
                "enabled": { "type": "boolean" },
                "remove": { "type": "boolean" },
                "cursor": cursor,
            }),
            &["world"]
        ),
        tool(
            "calls",
            "Lists the calls that a world received, or explains one: headers, bodies, every check in its order, the fault, and its retries.",
            true,
            json!({
                "world": world,
                "why": { "type": "integer", "description": "seq of the call to explain" },
                "operation": text("only calls of this operation"),
                "status": { "type": "integer" },
                "fault": text("only calls to which this fault applied"),
                "after": { "type": "integer", "description": "only calls with a larger seq" },
                "cursor": cursor,
            }),
            &["world"]
        ),
        tool(
            "act",
            "Lets something happen in a world: its clock advances ({advance: 61s}), an event is emitted ({event, business, …}), a review or question arrives ({business, rating, comments, …}), or expectations are verified.",
            false,
            json!({
                "world": world,
                "act": { "type": "string", "enum": ["clock", "event", "review", "question", "verify"] },
                "with": { "description": "the body, as the admin API takes it" },
                "cursor": cursor,
            }),
            &["world", "act"]
        ),
        tool(
            "report",
            "The scorecard of the client: which rules of a well-behaved client its calls broke, with the calls, and what to do.",
            true,
            json!({ "world": world, "cursor": cursor }),
            &["world"]
        ),
    ])
}

/// Checks names and kinds of the arguments against the definition of a tool.
pub(super) fn check_arguments(schema: &Value, arguments: &Arguments) -> Result<(), String> {
    let members = &schema["properties"];
    for (name, value) in arguments {
        let Some(member) = members.get(name) else {
            let known: Vec<&String> = members.as_object().into_iter().flat_map(Map::keys).collect();
            return Err(format!("{name} is unknown here; allowed are {known:?}"));
        };
        // Without a kind, any is taken.
        let Some(kind) = member["type"].as_str() else { continue };
        let fits = match kind {
            "string" => value.is_string(),
            "integer" => value.is_u64(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            _ => value.is_object(),
        };
        if !fits && kind == "integer" {
            return Err(format!("{name} must be a whole number from 0; it is {value}"));
        }
        if !fits {
            return Err(format!("{name} must be of type {kind}"));
        }
        if name != "yaml" && value.as_str().is_some_and(|text| text.trim().is_empty()) {
            return Err(format!("{name} must not be empty: {}", described(member)));
        }
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing: Vec<&str> = required.filter(|name| !arguments.contains_key(*name)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("missing: {}", missing.join(", "))) }
}

fn described(member: &Value) -> &str {
    member["description"].as_str().unwrap_or("text of this argument")
}
