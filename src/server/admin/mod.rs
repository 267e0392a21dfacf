//! The admin side under `/__admin`: which call goes where.

/// Bodies of calls, read.
pub mod body;
/// Pages of lists.
pub mod listing;
/// How the loads went.
pub mod health;
/// What is served.
pub mod scenarios;
/// Isolated runs, made and removed.
pub mod worlds;
/// What goes wrong in a world.
pub mod faults;
/// A world's time.
pub mod clock;
/// A world's journal.
pub mod requests;
/// What happens in a world, as it happens.
pub mod stream;
/// Events, made to happen.
pub mod events;
/// What came of them.
pub mod deliveries;
/// What is stored of contacts.
pub mod contacts;
/// What is stored of subscriptions.
pub mod subscriptions;
/// What is stored of reviews, and one more.
pub mod reviews;
/// What is stored of questions, and one more.
pub mod questions;
/// What lists and additions of records have in common.
pub mod stored;

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use crate::api::call::{Call, decode};
use crate::api::reply::Reply;
use crate::scenario::diagnostic::Diagnostic;
use crate::scenario::render;
use crate::server::admin::listing::list;
use crate::server::guard::{self, error};
use crate::server::metrics;
use crate::server::openapi;
use crate::server::state::State;
use crate::world::World;

/// What follows `/__admin` in a path.
#[must_use]
pub fn path(path: &str) -> Option<&str> {
    path.strip_prefix("/__admin").filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The world of which a call of the admin side may tell what is stored.
#[must_use]
pub fn world(state: &State, path: &str) -> Option<Arc<World>> {
    let (name, of) = path.strip_prefix("/worlds/")?.split_once('/')?;
    let nothing_stored = of.is_empty() || of.starts_with("faults") || matches!(of, "reset" | "clock");
    if nothing_stored { None } else { state.registry.named(&decode(name)) }
}

/// Answers a call that moves a world's clock, if it is one.
pub async fn moved(state: &State, path: &str, call: &Call<'_>) -> Option<Reply> {
    let name = path.strip_prefix("/worlds/")?.strip_suffix("/clock").filter(|name| !name.contains('/'))?;
    if call.method != "POST" || guard::refusal(state, call).is_some() {
        return None;
    }
    let world = state.registry.named(&decode(name))?;
    world.touch();
    Some(clock::moved(&world, call).await.unwrap_or_else(|refusal| refusal))
}

/// Whether a call of the admin side reads files.
#[must_use]
pub fn reads_files(path: &str, method: &str) -> bool {
    method == "PUT" && path.starts_with("/scenarios/")
}

/// Answers a call of the admin side; `path` is what follows `/__admin`.
#[must_use]
pub fn answer(state: &State, path: &str, call: &Call<'_>) -> Reply {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if let Some(refusal) = guard::refusal(state, call) {
        let open = refusal.status == 401 && segments == ["health"] && call.method == "GET";
        return if open { health::short(state) } else { refusal };
    }
    let answer = match segments.as_slice() {
        ["health"] => on(call, &[("GET", &|| Ok(health::whole(state)))]),
        ["openapi.json"] => on(call, &[("GET", &|| Ok(described(call)))]),
        ["scenarios"] => on(call, &[("GET", &|| list(call, scenarios::all(state)))]),
        ["scenarios", name] => on(call, &[("PUT", &|| scenarios::put(state, &decode(name), call))]),
        ["worlds"] => {
            on(call, &[("GET", &|| worlds::all(state, call)), ("POST", &|| worlds::made(state, call))])
        }
        ["worlds", name] => {
            let name = decode(name);
            let methods: [Method<'_>; 3] = [
                ("GET", &|| worlds::one(state, &name, call)),
                ("PUT", &|| worlds::put(state, &name, call)),
                ("DELETE", &|| worlds::removed(state, &name)),
            ];
            on(call, &methods)
        }
        ["worlds", name, rest @ ..] => {
            let name = decode(name);
            match state.registry.named(&name) {
                Some(world) => of_world(state, &world, rest, call),
                None => Err(worlds::unknown(&name)),
            }
        }
        _ => Err(nothing(path)),
    };
    answer.unwrap_or_else(|refusal| refusal)
}

/// Answers `/metrics`, for which the rules of the admin side hold.
#[must_use]
pub fn metrics(state: &State, call: &Call<'_>) -> Reply {
    let answer = || on(call, &[("GET", &|| Ok(metrics::shown(state)))]).unwrap_or_else(|refusal| refusal);
    guard::refusal(state, call).unwrap_or_else(answer)
}

/// Answers a call about one world; `rest` is what follows its name.
fn of_world(state: &State, world: &Arc<World>, rest: &[&str], call: &Call<'_>) -> Result<Reply, Reply> {
    world.touch();
    match rest {
        // A call that may watch does not come here (`exchange`).
        ["stream"] => on(call, &[("GET", &|| Err(nothing(&format!("/worlds/{}/stream", world.name))))]),
        ["requests"] => {
            on(call, &[("GET", &|| requests::all(world, call)), ("DELETE", &|| Ok(requests::emptied(world)))])
        }
        ["requests.har"] => on(call, &[("GET", &|| requests::archive(world, call))]),
        ["events"] => on(call, &[("POST", &|| events::emitted(world, call))]),
        ["deliveries"] => on(call, &[("GET", &|| deliveries::all(world, call))]),
        ["deliveries", id, "retry"] => on(call, &[("POST", &|| deliveries::retried(world, &decode(id)))]),
        ["contacts"] => on(call, &[("GET", &|| list(call, contacts::all(world)))]),
        ["subscriptions"] => on(call, &[("GET", &|| list(call, subscriptions::all(world)))]),
        ["reviews"] => {
            on(call, &[("GET", &|| reviews::all(world, call)), ("POST", &|| reviews::added(world, call))])
        }
        ["questions"] => {
            on(call, &[("GET", &|| questions::all(world, call)), ("POST", &|| questions::added(world, call))])
        }
        ["reset"] => on(call, &[("POST", &|| worlds::reset(state, world, call))]),
        ["faults"] => on(call, &[("GET", &|| list(call, faults::all(world)))]),
        ["faults", name] => {
            let name = decode(name);
            let methods: [Method<'_>; 3] = [
                ("PUT", &|| faults::put(world, &name, call)),
                ("PATCH", &|| faults::patched(world, &name, call)),
                ("DELETE", &|| faults::removed(world, &name)),
            ];
            on(call, &methods)
        }
        ["clock"] => {
            // A call that moves it does not come here (`exchange`).
            on(call, &[("GET", &|| Ok(clock::shown(world))), ("POST", &|| Err(nothing("/clock")))])
        }
        _ => Err(nothing(&format!("/worlds/{}/{}", world.name, rest.join("/")))),
    }
}

/// The admin side's own document.
fn described(call: &Call<'_>) -> Reply {
    let host = call.header("host").unwrap_or_default();
    ok(&openapi::admin::document(&format!("http://{host}")))
}

/// The answer where nothing is.
fn nothing(path: &str) -> Reply {
    error(
        404,
        &format!(
            "Nothing is at {path} of the admin side: see health, scenarios, worlds, and of a world faults, requests, requests.har, stream, events, deliveries, contacts, subscriptions, reviews, questions, reset, clock."
        ),
    )
}

/// One method of a path, and what it does.
type Method<'a> = (&'static str, &'a dyn Fn() -> Result<Reply, Reply>);

/// The answer by method; another method is 405.
fn on(call: &Call<'_>, methods: &[Method<'_>]) -> Result<Reply, Reply> {
    if let Some((_, answer)) = methods.iter().find(|(method, _)| *method == call.method) {
        return answer();
    }
    let allowed = methods.iter().map(|(method, _)| *method).collect::<Vec<_>>().join(", ");
    Err(error(405, &format!("{} is not allowed here; {allowed} is.", call.method)).with("allow", allowed))
}

/// How a world of that name comes to be.
fn to_make(name: &str) -> String {
    format!("POST /__admin/worlds {} makes one.", serde_json::json!({ "name": name }))
}

/// The answer to what has problems: the first of them in words, and all as diagnostics.
fn invalid(what: &str, problems: &[Diagnostic]) -> Reply {
    let first = problems.iter().min_by_key(|problem| problem.severity);
    let told = first.map(|problem| {
        let help = problem.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("line {}: {}{help}", problem.location.line, problem.message)
    });
    let more = match problems.len() {
        0 | 1 => String::new(),
        count => format!(", and {} more: see diagnostics", count - 1),
    };
    let message = format!("{what}: {}{more}.", told.unwrap_or_default());
    let body = serde_json::json!({ "error": message, "diagnostics": render::json(problems) });
    Reply::json(400, body.to_string().into_bytes())
}

/// The answer where nothing is to be told.
const fn done() -> Reply {
    Reply { status: 204, headers: Vec::new(), body: Bytes::new() }
}

/// A JSON answer.
#[must_use]
pub fn ok(value: &Value) -> Reply {
    Reply::json(200, value.to_string().into_bytes())
}
