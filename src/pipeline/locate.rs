//! Step 1 of a request's way: which world it is for.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use crate::api::call::{Call, decode};
use crate::api::cors;
use crate::api::error::{ApiError, Code};
use crate::api::operation::Operation;
use crate::api::reply::Reply;
use crate::clock;
use crate::operations::subscribe;
use crate::pipeline::refused;
use crate::world::World;
use crate::world::registry::Registry;
use crate::world::snapshot::Snapshot;

/// Where a call goes: its world, and what that world serves while the call is under way.
#[derive(Clone, Debug)]
pub struct Located {
    /// When it was located, by real time.
    pub at: Instant,
    /// Whether its path began with the world's name.
    pub(super) prefixed: bool,
    /// Whether the call carries a key that was minted for another world.
    pub(super) foreign: bool,
    /// The world.
    pub world: Arc<World>,
    /// What it serves.
    pub snapshot: Arc<Snapshot>,
}

/// Step 1: finds the world of a call and takes the world's name off its path. A base URL beats a key.
///
/// # Errors
/// The answer to a call for a world that is not there.
pub fn locate(registry: &Registry, call: &mut Call<'_>) -> Result<Located, Reply> {
    let at = clock::real_now();
    let name = call.path.strip_prefix("/w/");
    let prefixed = name.is_some();
    let world = match name {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let name = decode(&rest[..end], false);
            let world = registry.named(&name).ok_or_else(|| no_world(registry, &name, call))?;
            call.path = &rest[end..];
            world
        }
        None if registry.has_own_keys() => {
            let key = key_of_any_place(call);
            key.and_then(|key| registry.of_key(&key)).unwrap_or_else(|| registry.default_world())
        }
        None => registry.default_world(),
    };
    world.touch();
    let snapshot = world.snapshot();
    let foreign = registry.has_own_keys() && carries_foreign_key(registry, &world, call);
    Ok(Located { at, prefixed, foreign, world, snapshot })
}

/// A key minted for a world is a bad one in every other.
fn carries_foreign_key(registry: &Registry, world: &Arc<World>, call: &Call<'_>) -> bool {
    let in_query = || call.parameter("api_key").map(Cow::into_owned);
    let owner = key_of_any_place(call).or_else(in_query).and_then(|key| registry.of_key(&key));
    owner.is_some_and(|owner| owner.minted.is_some() && !Arc::ptr_eq(&owner, world))
}

/// The key by which a call without a world in its path may name one. A body that cannot be read names none.
fn key_of_any_place(call: &Call<'_>) -> Option<String> {
    if matches!(Operation::at(call.path), Some((Operation::Subscribe, _))) {
        return subscribe::sent_key(call).ok().flatten().map(|key| key.trim().to_owned());
    }
    call.header("x-api-key").map(Cow::into_owned)
}

/// The answer to a call for a world that is not there; to a preflight, that of the default world, so that a page may
/// read the answer to the call it asks for.
fn no_world(registry: &Registry, name: &str, call: &Call<'_>) -> Reply {
    let snapshot = registry.default_world().snapshot();
    if let Some(preflight) = cors::preflight(&snapshot.dialect.cors, call) {
        return preflight;
    }
    let body = serde_json::json!({ "name": name });
    let message = if name.is_empty() {
        "Behind /w/ stands the name of a world; POST /__admin/worlds makes one.".to_owned()
    } else {
        format!("No world is named {name}. POST /__admin/worlds {body} makes one.")
    };
    let refusal = ApiError { message: message.into(), ..ApiError::new(Code::NotFound, "") };
    let reply = refused(&snapshot, None, &refusal);
    cors::dressed(reply, &snapshot.dialect.cors, call)
}
