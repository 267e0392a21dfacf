//! The documents and the page that draws them: `/openapi.json`, `/docs`, and the same behind a world's name. All of it is
//! part of the program.

use std::sync::Arc;

use serde_json::Value;

use crate::api::call::{Call, decode};
use crate::api::reply::Reply;
use crate::server::guard::error;
use crate::server::openapi::{self, View};
use crate::server::state::State;
use crate::world::World;

const PAGE: &str = include_str!("docs/index.html");
const STYLE: &str = include_str!("docs/page.css");
const SCRIPT: &str = include_str!("docs/page.js");

/// The answer to a call for a document or the page; none where it is for something else.
#[must_use]
pub fn answer(state: &State, call: &Call<'_>) -> Option<Reply> {
    let (world, path) = of_world(state, call.path)?;
    let reply = match path {
        "/openapi.json" => json(&of(&world, &base(&world, call.path, call))),
        "/docs" | "/docs/" => page("text/html; charset=utf-8", &linked(call.path)),
        "/docs/page.css" => page("text/css; charset=utf-8", STYLE),
        "/docs/page.js" => page("text/javascript; charset=utf-8", SCRIPT),
        _ => return None,
    };
    if call.method != "GET" {
        let refusal = error(405, &format!("{} is not allowed here; GET is.", call.method));
        return Some(refusal.with("allow", "GET"));
    }
    Some(reply)
}

/// The world of a path, and what follows its name; none where it can be no document, which is told at a glance.
fn of_world<'a>(state: &State, path: &'a str) -> Option<(Arc<World>, &'a str)> {
    if path.starts_with("/openapi.json") || path.starts_with("/docs") {
        return Some((state.registry.default_world(), path));
    }
    let (name, _) = path.strip_prefix("/w/")?.split_once('/')?;
    let rest = &path["/w/".len() + name.len()..];
    let document = rest.starts_with("/openapi.json") || rest.starts_with("/docs");
    if document { Some((state.registry.named(&decode(name))?, rest)) } else { None }
}

fn base(world: &World, path: &str, call: &Call<'_>) -> String {
    let host = call.header("host").unwrap_or_default();
    if path.starts_with("/w/") { format!("http://{host}/w/{}", world.name) } else { format!("http://{host}") }
}

/// The API's document as a world serves it.
fn of(world: &World, server: &str) -> Value {
    let snapshot = world.snapshot();
    openapi::document(View { dialect: &snapshot.dialect, events: &snapshot.events, server })
}

/// A JSON document; pages of other origins may read it, as they may the API.
fn json(document: &Value) -> Reply {
    Reply::json(200, format!("{document:#}\n").into_bytes()).with("access-control-allow-origin", "*")
}

/// The page, whose links are relative to where it is.
fn linked(path: &str) -> String {
    if path.ends_with('/') { PAGE.replace("=\"docs/", "=\"") } else { PAGE.to_owned() }
}

fn page(kind: &'static str, text: &str) -> Reply {
    Reply::typed(200, kind, text.to_owned().into_bytes())
        .with("content-security-policy", "default-src 'self'")
        .with("cache-control", "no-cache")
}
