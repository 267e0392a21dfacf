//! The eight tools of an agent. Each is a few calls of the admin API.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::scenario::{LoadContext, load_text, render};
use crate::server::mcp::Mcp;
use crate::server::mcp::definitions::{self, check_arguments};
use crate::server::mcp::page::{Page, lines, only_page, page};

/// The bytes of a name that a path has as they are.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

pub(super) type Arguments = Map<String, Value>;

/// What a tool answers.
enum Answer {
    /// It can be had again, and so page by page.
    Read(String),
    /// Likewise, and it was recorded from calls.
    ReadData(String),
    /// The tool has changed something, which it would do again.
    Did(String),
}

/// What a tool answers, or why it cannot. None if there is no such tool.
pub(super) async fn call(mcp: &Mcp, name: &str, arguments: &Arguments) -> Option<Result<String, String>> {
    let tools = definitions::list();
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
    let cursor = arguments.get("cursor").and_then(Value::as_str);
    Some(match answer {
        Ok(Answer::Read(text)) => page(&Page { text, is_data: false }, cursor),
        Ok(Answer::ReadData(text)) => page(&Page { text, is_data: true }, cursor),
        Ok(Answer::Did(text)) => Ok(only_page(&Page { text, is_data: false })),
        // What is wrong may be long, too.
        Err(text) => Err(only_page(&Page { text, is_data: false })),
    })
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

/// Those of some arguments that are given, in words. A false flag is none.
fn given(arguments: &Arguments, names: &[&str]) -> Option<String> {
    let is_given = |name: &&&str| arguments.get(**name).is_some_and(|value| *value != false);
    let given: Vec<&str> = names.iter().filter(is_given).copied().collect();
    (!given.is_empty()).then(|| given.join(", "))
}

async fn status(mcp: &Mcp) -> Result<Answer, String> {
    let health = mcp.admin.call("GET", "health", "").await?;
    let worlds = mcp.admin.call("GET", "worlds?limit=10000", "").await?;
    let example = mcp.admin.call("GET", "worlds/default/example", "").await.unwrap_or_default();
    let mut lines = vec![
        json!({ "status": health["status"], "version": health["version"], "baseUrl": mcp.admin.base_url(), "default": mcp.state.registry.default_name() }).to_string(),
        format!("example call: {example}"),
    ];
    for scenario in health["scenarios"].as_array().into_iter().flatten() {
        let name = scenario["name"].as_str().unwrap_or_default();
        let problems = scenario["diagnostics"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_broken = problems.iter().any(|problem| problem["severity"] == "error");
        let state = match (is_broken, scenario["generation"] == 0) {
            (false, _) => "served",
            (true, false) => "has errors, its last good version is served",
            (true, true) => "has errors, not served",
        };
        lines.push(format!("scenario {name}: {state}; diagnostics: {}", problems.len()));
        lines.extend(problems.iter().filter_map(|problem| problem["text"].as_str().map(str::to_owned)));
    }
    let own = worlds.as_array().into_iter().flatten().filter(|world| world["standing"] == false);
    lines.extend(own.map(|world| format!("world {world}")));
    Ok(Answer::Read(lines.join("\n")))
}

async fn check(mcp: &Mcp, arguments: &Arguments) -> Result<Answer, String> {
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
    Ok(Answer::Read(if text.is_empty() { "no errors and no warnings".to_owned() } else { text }))
}

async fn put_scenario(mcp: &Mcp, arguments: &Arguments) -> Result<Answer, String> {
    let path = format!("scenarios/{}", utf8_percent_encode(text(arguments, "name"), NAME));
    let put = mcp.admin.call("PUT", &path, text(arguments, "yaml").to_owned()).await?;
    Ok(Answer::Did(put.to_string()))
}

async fn world(mcp: &Mcp, arguments: &Arguments) -> Result<Answer, String> {
    const START: [&str; 4] = ["scenario", "seed", "clock", "faults"];
    if is_set(arguments, "remove") {
        if let Some(others) = given(arguments, &["scenario", "seed", "clock", "faults", "reset"]) {
            return Err(format!("remove takes nothing beside it: leave out {others}, or remove"));
        }
        mcp.admin.call("DELETE", &path(arguments, ""), "").await?;
        return Ok(Answer::Did(format!("the world {} is removed", text(arguments, "world"))));
    }
    if is_set(arguments, "reset") {
        if let Some(others) = given(arguments, &["scenario", "clock", "faults"]) {
            return Err(format!(
                "reset goes back to the world's own start and takes only seed beside it: leave out {others}; or leave out reset, and the world begins anew with them"
            ));
        }
        let seed = arguments.get("seed").map_or_else(|| json!({}), |seed| json!({ "seed": seed }));
        mcp.admin.call("POST", &path(arguments, "/reset"), seed.to_string()).await?;
        return shown(mcp, arguments).await;
    }
    let mut body = Map::new();
    for name in START {
        body.extend(arguments.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    if !body.is_empty() || mcp.admin.call("GET", &path(arguments, ""), "").await.is_err() {
        mcp.admin.call("PUT", &path(arguments, ""), Value::Object(body).to_string()).await?;
    }
    shown(mcp, arguments).await
}

/// A world, with a key that works at its base URL, and its clock.
async fn shown(mcp: &Mcp, arguments: &Arguments) -> Result<Answer, String> {
    let mut world = mcp.admin.call("GET", &path(arguments, ""), "").await?;
    let example = mcp.admin.call("GET", &path(arguments, "/example"), "").await?;
    world["apiKey"] = example["key"].clone();
    world["clock"] = mcp.admin.call("GET", &path(arguments, "/clock"), "").await?;
    Ok(Answer::Did(world.to_string()))
}

async fn fault(mcp: &Mcp, arguments: &Arguments) -> Result<Answer, String> {
    // To switch a fault off is something to do.
    let is_switch = arguments.contains_key("enabled");
    let named = text(arguments, "name");
    if named.is_empty() {
        let more =
            if is_switch { Some("enabled".to_owned()) } else { given(arguments, &["fault", "remove"]) };
        if let Some(what) = more {
            return Err(format!("{what} needs name, the name of the fault; without both, all are listed"));
        }
        let listed = lines(&mcp.admin.call("GET", &path(arguments, "/faults"), "").await?);
        return Ok(Answer::Read(if listed.is_empty() { "no faults".to_owned() } else { listed }));
    }
    if arguments.contains_key("cursor") {
        return Err("cursor belongs to the list of all faults: leave out name, or cursor".to_owned());
    }
    let path = path(arguments, &format!("/faults/{}", utf8_percent_encode(named, NAME)));
    if is_set(arguments, "remove") {
        if is_switch || arguments.contains_key("fault") {
            return Err(
                "remove takes nothing but name beside it: leave out fault and enabled, or remove".to_owned()
            );
        }
        mcp.admin.call("DELETE", &path, "").await?;
        return Ok(Answer::Did(format!("the fault {named} is removed")));
    }
    let mut answer = None;
    if let Some(fault) = arguments.get("fault") {
        answer = Some(mcp.admin.call("PUT", &path, fault.to_string()).await?);
    }
    if let Some(enabled) = arguments.get("enabled") {
        let body = json!({ "enabled": enabled }).to_string();
        answer = Some(mcp.admin.call("PATCH", &path, body).await?);
    }
    let nothing = || {
        format!(
            "nothing to do with the fault {named}: give fault to put it, enabled to switch it, or remove: true; without name, all are listed"
        )
    };
    answer.map(|answer| Answer::Did(answer.to_string())).ok_or_else(nothing)
}

async fn calls(mcp: &Mcp, arguments: &Arguments) -> Result<Answer, String> {
    const FILTERS: [&str; 4] = ["operation", "status", "fault", "after"];
    if let Some(seq) = arguments.get("why") {
        if let Some(others) = given(arguments, &FILTERS) {
            return Err(format!("why explains one call: leave out {others}, or why"));
        }
        let explained = mcp.admin.call("GET", &path(arguments, &format!("/requests/{seq}")), "").await?;
        return Ok(Answer::ReadData(explained.to_string()));
    }
    let mut query = form_urlencoded::Serializer::new("brief=true&limit=10000".to_owned());
    for name in FILTERS {
        if let Some(value) = arguments.get(name) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            query.append_pair(name, &value);
        }
    }
    let listed =
        mcp.admin.call("GET", &path(arguments, &format!("/requests?{}", query.finish())), "").await?;
    let text = lines(&listed);
    Ok(if text.is_empty() { Answer::Read("no calls".to_owned()) } else { Answer::ReadData(text) })
}

async fn act(mcp: &Mcp, arguments: &Arguments) -> Result<Answer, String> {
    let below = match text(arguments, "act") {
        "clock" => "/clock",
        "event" => "/events",
        "review" => "/reviews",
        "question" => "/questions",
        "verify" => "/verify",
        _ => return Err("act must be clock, event, review, question or verify".to_owned()),
    };
    if below != "/verify" && arguments.contains_key("cursor") {
        return Err("cursor belongs to the results of verify: leave it out, or use verify".to_owned());
    }
    let body = arguments.get("with").map(Value::to_string).unwrap_or_default();
    let done = mcp.admin.call("POST", &path(arguments, below), body).await?;
    // A verification changes nothing, and tells of calls.
    Ok(if below == "/verify" { Answer::ReadData(format!("{done:#}")) } else { Answer::Did(done.to_string()) })
}

async fn report(mcp: &Mcp, arguments: &Arguments) -> Result<Answer, String> {
    let report = mcp.admin.call("GET", &path(arguments, "/report"), "").await?;
    Ok(Answer::ReadData(format!("{report:#}")))
}
