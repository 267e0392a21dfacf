//! Steps 0 and 1: answers a CORS preflight, and finds the world that a call is for.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use crate::api::call::{Call, decode};
use crate::api::cors;
use crate::api::error::{ApiError, Code};
use crate::api::query::WINDOW;
use crate::api::reply::Reply;
use crate::clock;
use crate::operations;
use crate::operations::spec::{KeyIn, Spec};
use crate::pipeline::refuse::refuse;
use crate::world::World;
use crate::world::registry::Registry;
use crate::world::run::Run;
use crate::world::snapshot::Snapshot;

/// A call with its world, and with what that world serves. A reload or reset that comes meanwhile does not change it.
#[derive(Clone, Debug)]
pub(crate) struct Received<'a> {
    /// Real time of the arrival.
    pub(crate) at: Instant,
    pub(crate) world: Arc<World>,
    /// What the call reads and writes, even if the world is reset meanwhile.
    pub(crate) run: Arc<Run>,
    pub(crate) snapshot: Arc<Snapshot>,
    /// The call, its path without the world's name.
    pub(super) call: Call<'a>,
    /// Whether the path began with the world's name.
    pub(super) prefixed: bool,
    /// What is at the path.
    pub(super) target: Target<'a>,
    /// The key in the body, for an operation that has it there.
    pub(super) body_key: Result<Option<String>, ApiError>,
    /// Whether the key was minted for another world.
    pub(super) foreign_key: bool,
}

/// What is at the path of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'a> {
    /// One of the six operations, and the path parameter as sent.
    Operation(&'static Spec, &'a str),
    /// Perhaps a route of the scenario.
    Other,
}

/// A call with a longer body may take long.
const LONG_BODY: usize = 64 << 10;
/// A call that asks for more elements may take long.
const LONG_PAGE: u64 = 1_000;

impl Received<'_> {
    /// Whether the call may take long to answer, so that it must not be done where other calls wait, and about how many bytes the
    /// answer may have then: the call has a long body or asks for a long page, or it searches a large dataset for a text.
    pub(crate) fn expected_if_long(&self) -> Option<usize> {
        let Target::Operation(spec, _) = self.target else {
            // A route that reads a large dataset goes through it.
            let is_long =
                self.snapshot.is_large() && self.snapshot.routes.uses_at(self.call.path, &READS_LISTS);
            return is_long.then_some(LONG_BODY);
        };
        let bytes = self.call.bytes();
        let page = spec.paging.as_ref().and_then(|paging| paging.asked(&self.call, &self.snapshot.dialect));
        let page = page.unwrap_or_default();
        let is_long = bytes.len() > LONG_BODY
            || page > LONG_PAGE
            || self.snapshot.is_large()
                && spec.searches.is_some_and(|field| contains(bytes, field.as_bytes()));
        is_long.then(|| usize::try_from(page.min(WINDOW)).unwrap_or_default() * ELEMENT)
    }
}

/// The functions of templates that go through lists of records.
const READS_LISTS: [&str; 4] = ["reviews", "score", "questions", "contacts"];

/// About how many bytes an element of a page has.
const ELEMENT: usize = 1_000;

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Finds the world of a call: by the path, else by the key, else the default world.
///
/// # Errors
/// The reply to a preflight, and the 404 of a world that does not exist.
pub(crate) fn receive<'a>(registry: &Registry, mut call: Call<'a>) -> Result<Received<'a>, Reply> {
    let at = clock::real_now();
    let named = match call.path.strip_prefix("/w/") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let name = decode(&rest[..end]);
            call.path = &rest[end..];
            Some(registry.named(&name).ok_or_else(|| no_world(registry, &name, &call))?)
        }
        None => None,
    };
    let prefixed = named.is_some();
    let in_baggage = match &named {
        Some(_) => None,
        None => world_in_baggage(&call).filter(|_| registry.default_world().snapshot().dialect.baggage),
    };
    let target = operations::at(call.path)
        .map_or(Target::Other, |(spec, parameter)| Target::Operation(spec, parameter));
    let body_key = match target {
        Target::Operation(Spec { key: KeyIn::Body(read), .. }, _) => read(&call),
        Target::Operation(..) | Target::Other => Ok(None),
    };
    // The world that the key belongs to, and whether that is another one than the call's.
    let mut key_world = None;
    let mut claimed = None;
    if registry.has_own_keys() {
        let key = match target {
            Target::Operation(Spec { key: KeyIn::Body(_), .. }, _) => {
                body_key.as_ref().ok().and_then(|key| key.as_deref()).map(|key| Cow::Borrowed(key.trim()))
            }
            Target::Operation(..) | Target::Other => call.header("x-api-key"),
        };
        key_world = key.as_deref().and_then(|key| registry.of_key(key));
        claimed = match key {
            Some(_) => key_world.clone(),
            None => call.parameter("api_key").and_then(|key| registry.of_key(&key)),
        };
    }
    let world = match (named.or(key_world), in_baggage) {
        (Some(world), _) => world,
        (None, Some(name)) => {
            let world = registry.named(&name).ok_or_else(|| no_world(registry, &name, &call))?;
            let is_allowed = world.snapshot().dialect.baggage;
            if is_allowed { world } else { registry.default_world() }
        }
        (None, None) => registry.default_world(),
    };
    let foreign_key = claimed.is_some_and(|owner| owner.minted.is_some() && !Arc::ptr_eq(&owner, &world));
    world.touch();
    let run = world.run();
    let snapshot = run.snapshot();
    if let Some(reply) =
        cors::preflight(&snapshot.dialect.cors, &call, || snapshot.routes.methods_at(call.path))
    {
        return Err(reply);
    }
    Ok(Received { at, world, run, snapshot, call, prefixed, target, body_key, foreign_key })
}

/// The world that the header `baggage` names (W3C Baggage): the first member `standin.world`. Tests of an application that
/// renders on its server cannot give each request another base URL, but OpenTelemetry passes this header on.
fn world_in_baggage(call: &Call<'_>) -> Option<String> {
    let headers = call.headers.iter().filter(|(name, _)| *name == "baggage");
    let lists = headers.filter_map(|(_, value)| std::str::from_utf8(value).ok());
    let mut members = lists.flat_map(|list| list.split(','));
    members.find_map(|member| {
        // What stands behind a semicolon are properties.
        let (name, value) = member.split(';').next()?.split_once('=')?;
        (name.trim() == "standin.world").then(|| decode(value.trim()).into_owned())
    })
}

/// The 404 of a world that does not exist. A preflight gets the default world's reply, so that the page may read the 404
/// that the call itself gets.
fn no_world(registry: &Registry, name: &str, call: &Call<'_>) -> Reply {
    let snapshot = registry.default_world().snapshot();
    if let Some(preflight) = cors::preflight(&snapshot.dialect.cors, call, || "POST".to_owned()) {
        return preflight;
    }
    let body = serde_json::json!({ "name": name });
    let message = if name.is_empty() {
        "Behind /w/ stands the name of a world; POST /__admin/worlds makes one.".to_owned()
    } else {
        format!("No world is named {name}. POST /__admin/worlds {body} makes one.")
    };
    let error = ApiError { message: message.into(), ..ApiError::new(Code::NotFound, "") };
    cors::add_headers(refuse(&snapshot, None, &error), &snapshot.dialect.cors, call)
}
