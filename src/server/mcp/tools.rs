//! The eight tools of an agent. Each is a few calls of the admin API.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::scenario::{LoadContext, load_text, render};
use crate::server::mcp::Mcp;
use crate::server::mcp::page::{lines, only_page, page};

/// The bytes of a name that a path has as they are.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

type Arguments = Map<String, Value>;

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
            "Tells the base URL, a key and a call to begin with, the scenarios and the worlds.",
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
            "Shows a world. Makes it if it is not there. With any of the other arguments it begins anew so, or is removed. Each test should have one: its calls, faults, clock and contacts are its own.",
            false,
            json!({
                "world": world,
                "scenario": text("its scenario; the default one if absent"),
                "seed": { "type": "integer", "description": "seed of its data and random choices" },
                "clock": object("{start: instant, mode: frozen or running}"),
                "faults": { "type": "array", "items": { "type": "object" }, "description": "faults to begin with" },
                "reset": { "type": "boolean", "description": "back to its start" },
                "remove": { "type": "boolean" },
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

/// What a tool answers, or why it cannot. None if there is no such tool.
pub(super) async fn call(mcp: &Mcp, name: &str, arguments: &Arguments) -> Option<Result<String, String>> {
    let tools = list();
    let tool = tools.as_array()?.iter().find(|tool| tool["name"] == name)?;
    if let Err(wrong) = check_arguments(&tool["inputSchema"], arguments) {
        return Some(Err(wrong));
    }
    let answer = match name {
        "status" => status(mcp).await,
        "check" => check(mcp, arguments).await,
        "put_scenario" => put_scenario(mcp, arguments).await,
        "world" => world(mcp, arguments).await,
        "fault" => fault(mcp, arguments).await,
        "calls" => calls(mcp, arguments).await,
        "act" => act(mcp, arguments).await,
        _ => report(mcp, arguments).await,
    };
    let is_data = ["calls", "act", "report"].contains(&name);
    let cursor = arguments.get("cursor").and_then(Value::as_str);
    // What is wrong may be long, too.
    Some(match answer {
        Ok(text) if tool["inputSchema"]["properties"].get("cursor").is_some() => page(&text, cursor, is_data),
        Ok(text) => Ok(only_page(&text, is_data)),
        Err(why) => Err(only_page(&why, false)),
    })
}

/// Checks names and kinds of the arguments against the definition of a tool.
fn check_arguments(schema: &Value, arguments: &Arguments) -> Result<(), String> {
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
            "integer" => value.is_i64() || value.is_u64(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            _ => value.is_object(),
        };
        if !fits {
            return Err(format!("{name} must be of type {kind}"));
        }
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing: Vec<&str> = required.filter(|name| !arguments.contains_key(*name)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("missing: {}", missing.join(", "))) }
}

fn text<'a>(arguments: &'a Arguments, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn is_set(arguments: &Arguments, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// The path of a world, or of what is below it.
fn path(arguments: &Arguments, below: &str) -> String {
    format!("worlds/{}{below}", utf8_percent_encode(text(arguments, "world"), NAME))
}

async fn status(mcp: &Mcp) -> Result<String, String> {
    let health = mcp.admin.call("GET", "health", "").await?;
    let worlds = mcp.admin.call("GET", "worlds?limit=200", "").await?;
    let example = mcp.admin.call("GET", "worlds/default/example", "").await.unwrap_or_default();
    let mut lines = vec![
        json!({ "status": health["status"], "version": health["version"], "baseUrl": mcp.admin.base_url(), "default": mcp.state.registry.default_name() }).to_string(),
        format!("example call: {example}"),
    ];
    for scenario in health["scenarios"].as_array().into_iter().flatten() {
        let problems = scenario["diagnostics"].as_array().map_or(0, Vec::len);
        lines.push(format!(
            "scenario {}, diagnostics: {problems}",
            scenario["name"].as_str().unwrap_or_default()
        ));
    }
    let own = worlds.as_array().into_iter().flatten().filter(|world| world["standing"] == false);
    lines.extend(own.map(|world| format!("world {world}")));
    Ok(lines.join("\n"))
}

async fn check(mcp: &Mcp, arguments: &Arguments) -> Result<String, String> {
    let (state, yaml) = (std::sync::Arc::clone(&mcp.state), text(arguments, "yaml").to_owned());
    let checked = crate::server::long::apart(move || {
        let setup = &state.setup;
        let context = LoadContext { files: &*setup.files, root: setup.root(), now: setup.time.now() };
        let own_name = yaml.lines().find_map(|line| line.strip_prefix("name:"));
        let own_name = own_name.and_then(|name| name.split('#').next()).unwrap_or_default();
        let name = own_name.trim().trim_matches(['"', '\'']);
        let loaded = load_text(&context, if name.is_empty() { "scenario" } else { name }, &yaml);
        let texts: Vec<String> = loaded.diagnostics.iter().map(|one| render::human(one, false)).collect();
        texts.join("\n\n")
    });
    let text = checked.await.map_err(|error| error.to_string())?;
    Ok(if text.is_empty() { "no errors and no warnings".to_owned() } else { text })
}

async fn put_scenario(mcp: &Mcp, arguments: &Arguments) -> Result<String, String> {
    let path = format!("scenarios/{}", utf8_percent_encode(text(arguments, "name"), NAME));
    let put = mcp.admin.call("PUT", &path, text(arguments, "yaml").to_owned()).await?;
    Ok(put.to_string())
}

async fn world(mcp: &Mcp, arguments: &Arguments) -> Result<String, String> {
    if is_set(arguments, "remove") {
        mcp.admin.call("DELETE", &path(arguments, ""), "").await?;
        return Ok("removed".to_owned());
    }
    if is_set(arguments, "reset") {
        return Ok(mcp.admin.call("POST", &path(arguments, "/reset"), "").await?.to_string());
    }
    let members = ["scenario", "seed", "clock", "faults"];
    let mut body = Map::new();
    for name in members {
        body.extend(arguments.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    if body.is_empty()
        && let Ok(world) = mcp.admin.call("GET", &path(arguments, ""), "").await
    {
        return Ok(world.to_string());
    }
    Ok(mcp.admin.call("PUT", &path(arguments, ""), Value::Object(body).to_string()).await?.to_string())
}

async fn fault(mcp: &Mcp, arguments: &Arguments) -> Result<String, String> {
    if !arguments.contains_key("name") {
        return Ok(lines(&mcp.admin.call("GET", &path(arguments, "/faults"), "").await?));
    }
    let path = path(arguments, &format!("/faults/{}", utf8_percent_encode(text(arguments, "name"), NAME)));
    if is_set(arguments, "remove") {
        mcp.admin.call("DELETE", &path, "").await?;
        return Ok("removed".to_owned());
    }
    let mut answer = None;
    if let Some(fault) = arguments.get("fault") {
        answer = Some(mcp.admin.call("PUT", &path, fault.to_string()).await?);
    }
    if let Some(enabled) = arguments.get("enabled") {
        let body = json!({ "enabled": enabled }).to_string();
        answer = Some(mcp.admin.call("PATCH", &path, body).await?);
    }
    answer.map(|answer| answer.to_string()).ok_or_else(|| "fault, enabled or remove is missing".to_owned())
}

async fn calls(mcp: &Mcp, arguments: &Arguments) -> Result<String, String> {
    if let Some(seq) = arguments.get("why") {
        return Ok(mcp
            .admin
            .call("GET", &path(arguments, &format!("/requests/{seq}")), "")
            .await?
            .to_string());
    }
    let mut query = form_urlencoded::Serializer::new("brief=true&limit=10000".to_owned());
    for name in ["operation", "status", "fault", "after"] {
        if let Some(value) = arguments.get(name) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            query.append_pair(name, &value);
        }
    }
    let listed =
        mcp.admin.call("GET", &path(arguments, &format!("/requests?{}", query.finish())), "").await?;
    let text = lines(&listed);
    Ok(if text.is_empty() { "no calls".to_owned() } else { text })
}

async fn act(mcp: &Mcp, arguments: &Arguments) -> Result<String, String> {
    let below = match text(arguments, "act") {
        "clock" => "/clock",
        "event" => "/events",
        "review" => "/reviews",
        "question" => "/questions",
        "verify" => "/verify",
        _ => return Err("act must be clock, event, review, question or verify".to_owned()),
    };
    let body = arguments.get("with").map(Value::to_string).unwrap_or_default();
    Ok(mcp.admin.call("POST", &path(arguments, below), body).await?.to_string())
}

async fn report(mcp: &Mcp, arguments: &Arguments) -> Result<String, String> {
    let report = mcp.admin.call("GET", &path(arguments, "/report"), "").await?;
    Ok(format!("{report:#}"))
}
