//! The admin side under `/__admin`: health, scenarios, and what a world holds.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::api::call::{Body, Call, decode};
use crate::api::reply::Reply;
use crate::clock::Moment;
use crate::reload::Entry;
use crate::scenario::render;
use crate::server::admin_world;
use crate::server::guard::{self, error};
use crate::server::state::State;
use crate::world::World;

/// What follows `/__admin` in a path.
#[must_use]
pub fn path(path: &str) -> Option<&str> {
    path.strip_prefix("/__admin").filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The world that a call of the admin side is about.
#[must_use]
pub fn world(state: &State, path: &str) -> Option<Arc<World>> {
    let name = path.strip_prefix("/worlds/")?.split('/').next()?;
    state.registry.named(&decode(name, false))
}

/// Answers a call of the admin side; `path` is what follows `/__admin`.
#[must_use]
pub fn answer(state: &State, path: &str, call: &Call<'_>) -> Reply {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if let Some(refusal) = guard::refusal(state, call) {
        let open = refusal.status == 401 && segments == ["health"] && call.method == "GET";
        return if open { short_health(state) } else { refusal };
    }
    match segments.as_slice() {
        ["health"] => on(call, &[("GET", &|| health(state))]),
        ["scenarios"] => on(call, &[("GET", &|| list(call, scenarios(state)))]),
        ["worlds"] => on(call, &[("POST", &|| admin_world::made(state, call))]),
        ["worlds", name, rest @ ..] => {
            let name = decode(name, false);
            match state.registry.named(&name) {
                Some(world) => admin_world::of_world(&world, rest, call),
                None => error(404, &format!("No world is named {name}.")),
            }
        }
        _ => nothing(path),
    }
}

/// The answer where nothing is.
#[must_use]
pub fn nothing(path: &str) -> Reply {
    error(
        404,
        &format!(
            "Nothing is at {path} of the admin side: see health, scenarios, worlds, and of a world contacts, subscriptions, reset, clock."
        ),
    )
}

/// The answer by method; another method is 405.
#[must_use]
pub fn on(call: &Call<'_>, methods: &[(&'static str, &dyn Fn() -> Reply)]) -> Reply {
    if let Some((_, answer)) = methods.iter().find(|(method, _)| *method == call.method) {
        return answer();
    }
    let allowed = methods.iter().map(|(method, _)| *method).collect::<Vec<_>>().join(", ");
    error(405, &format!("{} is not allowed here; {allowed} is.", call.method)).with("allow", allowed)
}

/// A JSON answer.
#[must_use]
pub fn ok(value: &Value) -> Reply {
    Reply::json(200, value.to_string().into_bytes())
}

/// How many elements a list has at the most, unless told and if told.
const PAGE: usize = 1_000;
const LARGEST_PAGE: usize = 10_000;

/// A page of a list, `offset` and `limit` as the query says; the total stands in a header.
#[must_use]
pub fn list(call: &Call<'_>, mut values: Vec<Value>) -> Reply {
    let asked = |name, default| match call.parameter(name) {
        None => Ok(default),
        Some(text) => text
            .parse::<usize>()
            .map_err(|_| error(400, &format!("{name} must be an integer of 0 or more; it is {text}."))),
    };
    let (offset, limit) = match (asked("offset", 0), asked("limit", PAGE)) {
        (Ok(offset), Ok(limit)) if limit <= LARGEST_PAGE => (offset, limit),
        (Ok(_), Ok(limit)) => {
            return error(400, &format!("limit must be at most {LARGEST_PAGE}; it is {limit}."));
        }
        (Err(reply), _) | (_, Err(reply)) => return reply,
    };
    let total = values.len();
    let page: Vec<Value> = values.drain(offset.min(total)..offset.saturating_add(limit).min(total)).collect();
    ok(&Value::Array(page)).with("x-total-count", total.to_string())
}

fn health(state: &State) -> Reply {
    let entries = state.board.entries();
    let scenarios: Vec<Value> = entries
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "generation": entry.generation,
                "loadedAt": entry.loaded_at.map(Moment::iso),
                "diagnostics": render::json(&entry.problems),
            })
        })
        .collect();
    ok(&json!({ "status": status(&entries), "version": env!("CARGO_PKG_VERSION"), "scenarios": scenarios }))
}

fn short_health(state: &State) -> Reply {
    ok(&json!({ "status": status(&state.board.entries()), "version": env!("CARGO_PKG_VERSION") }))
}

fn status(entries: &[Entry]) -> &'static str {
    if entries.iter().any(Entry::is_degraded) { "degraded" } else { "ok" }
}

fn scenarios(state: &State) -> Vec<Value> {
    let served = |entry: &Entry| {
        let snapshot = entry.snapshot.as_ref()?;
        let counts = snapshot.counts;
        Some(json!({
            "name": entry.name,
            "summary": snapshot.summary,
            "default": entry.name == state.registry.default_name(),
            "file": entry.file,
            "businesses": counts.businesses,
            "locations": counts.locations,
            "reviews": counts.reviews,
            "questions": counts.questions,
            "faults": counts.faults,
        }))
    };
    state.board.entries().iter().filter_map(served).collect()
}

/// The members of a body; an empty body has none.
///
/// # Errors
/// The answer, where the body is no JSON object or has a member that is not allowed.
pub fn members(call: &Call<'_>, allowed: &[&str]) -> Result<serde_json::Map<String, Value>, Reply> {
    let Body::Whole(bytes) = call.body else { return Err(error(413, "The body is too large.")) };
    if bytes.trim_ascii().is_empty() {
        return Ok(serde_json::Map::new());
    }
    let members = match serde_json::from_slice(bytes) {
        Ok(Value::Object(members)) => members,
        Ok(other) => return Err(error(400, &format!("The body must be a JSON object; it is {other}."))),
        Err(problem) => return Err(error(400, &format!("The body is not JSON: {problem}."))),
    };
    match members.keys().find(|name| !allowed.contains(&name.as_str())) {
        Some(name) => Err(error(400, &format!("{name} is unknown here; {} is allowed.", allowed.join(", ")))),
        None => Ok(members),
    }
}
