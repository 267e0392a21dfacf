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
/// A world's time.
pub mod clock;
/// A world's journal.
pub mod requests;
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

use serde_json::Value;

use crate::api::call::{Call, decode};
use crate::api::reply::Reply;
use crate::server::admin::listing::list;
use crate::server::guard::{self, error};
use crate::server::metrics;
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
        return if open { health::short(state) } else { refusal };
    }
    let answer = match segments.as_slice() {
        ["health"] => on(call, &[("GET", &|| Ok(health::whole(state)))]),
        ["scenarios"] => on(call, &[("GET", &|| list(call, scenarios::all(state)))]),
        ["worlds"] => on(call, &[("POST", &|| worlds::made(state, call))]),
        ["worlds", name, rest @ ..] => {
            let name = decode(name, false);
            match state.registry.named(&name) {
                Some(world) => of_world(&world, rest, call),
                None => Err(error(404, &format!("No world is named {name}."))),
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
fn of_world(world: &Arc<World>, rest: &[&str], call: &Call<'_>) -> Result<Reply, Reply> {
    match rest {
        ["requests"] => {
            on(call, &[("GET", &|| requests::all(world, call)), ("DELETE", &|| Ok(requests::emptied(world)))])
        }
        ["requests.har"] => on(call, &[("GET", &|| requests::archive(world, call))]),
        ["contacts"] => on(call, &[("GET", &|| list(call, contacts::all(world)))]),
        ["subscriptions"] => on(call, &[("GET", &|| list(call, subscriptions::all(world)))]),
        ["reviews"] => {
            on(call, &[("GET", &|| reviews::all(world, call)), ("POST", &|| reviews::added(world, call))])
        }
        ["questions"] => {
            on(call, &[("GET", &|| questions::all(world, call)), ("POST", &|| questions::added(world, call))])
        }
        ["reset"] => on(call, &[("POST", &|| worlds::reset(world, call))]),
        ["clock"] => {
            on(call, &[("GET", &|| Ok(clock::shown(world))), ("POST", &|| clock::moved(world, call))])
        }
        _ => Err(nothing(&format!("/worlds/{}/{}", world.name, rest.join("/")))),
    }
}

/// The answer where nothing is.
fn nothing(path: &str) -> Reply {
    error(
        404,
        &format!(
            "Nothing is at {path} of the admin side: see health, scenarios, worlds, and of a world contacts, subscriptions, reviews, questions, reset, clock."
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

/// A JSON answer.
#[must_use]
pub fn ok(value: &Value) -> Reply {
    Reply::json(200, value.to_string().into_bytes())
}
