//! Worlds: made, looked at, reset, removed.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::api::call::{Body, Call};
use crate::api::reply::Reply;
use crate::scenario::admin_input;
use crate::server::admin::body::{Members, members, seed, text};
use crate::server::admin::listing::Page;
use crate::server::admin::{done, invalid, ok, to_make};
use crate::server::guard::error;
use crate::server::state::State;
use crate::world::World;
use crate::world::wanted::{CreateError, RemoveError, Start, WorldRequest};

/// `GET /__admin/worlds`.
///
/// # Errors
/// The answer, where the query asks for no page.
pub fn all(state: &State, call: &Call<'_>) -> Result<Reply, Reply> {
    let Page { offset, limit } = Page::of(call)?;
    let worlds = state.registry.all();
    let page = worlds.iter().skip(offset).take(limit).map(|world| listed(world, call)).collect();
    Ok(Page::reply(worlds.len(), page))
}

/// `GET /__admin/worlds/{world}`.
///
/// # Errors
/// The answer, where there is none of that name.
pub fn one(state: &State, name: &str, call: &Call<'_>) -> Result<Reply, Reply> {
    let world = state.registry.named(name).ok_or_else(|| unknown(name))?;
    world.touch();
    Ok(ok(&listed(&world, call)))
}

fn listed(world: &World, call: &Call<'_>) -> Value {
    let snapshot = world.snapshot();
    json!({
        "name": world.name,
        "scenario": snapshot.scenario,
        "baseUrl": base_url(world, call),
        "seed": snapshot.seed.0,
        "standing": world.is_standing(),
    })
}

fn base_url(world: &World, call: &Call<'_>) -> String {
    format!("http://{}/w/{}", call.header("host").unwrap_or_default(), world.name)
}

/// The answer where no world has that name.
#[must_use]
pub fn unknown(name: &str) -> Reply {
    error(404, &format!("No world is named {name}. {}", to_make(name)))
}

/// `POST /__admin/worlds`.
///
/// # Errors
/// The answer, where none can be made so.
pub fn made(state: &State, call: &Call<'_>) -> Result<Reply, Reply> {
    let members = read(call)?;
    let name = text(&members, "name")?;
    let wanted = WorldRequest { name, ..wanted(state, None, &members, call)? };
    let world = state.registry.make(wanted).map_err(|reason| not_made(&reason))?;
    Ok(told(201, &world, call))
}

/// `PUT /__admin/worlds/{world}`.
///
/// # Errors
/// The answer, where it can be neither made so nor begun anew.
pub fn put(state: &State, name: &str, call: &Call<'_>) -> Result<Reply, Reply> {
    let members = read(call)?;
    if let Some(other) = text(&members, "name")?.filter(|other| other != name) {
        let message = format!("name must be {name}, as in the path, or be left out; it is {other}.");
        return Err(error(400, &message));
    }
    let present = state.registry.named(name);
    let wanted = wanted(state, present.as_deref(), &members, call)?;
    let (world, made) = state.registry.put(name, wanted).map_err(|reason| not_made(&reason))?;
    world.touch();
    Ok(told(if made { 201 } else { 200 }, &world, call))
}

fn read(call: &Call<'_>) -> Result<Members, Reply> {
    members(call, &["name", "scenario", "seed", "faults", "clock"])
}

/// What a body wants, its name set aside; faults are checked against the scenario that it names, else the world's, else
/// the default one.
fn wanted(
    state: &State,
    world: Option<&World>,
    members: &Members,
    call: &Call<'_>,
) -> Result<WorldRequest, Reply> {
    let scenario = text(members, "scenario")?;
    let mut start = Start { seed: seed(members)?, ..Start::default() };
    if members.contains_key("faults") || members.contains_key("clock") {
        let base = match world.filter(|_| scenario.is_none()) {
            Some(world) => world.scenario().0,
            None => state
                .registry
                .scenario(scenario.as_deref())
                .ok_or_else(|| not_made(&CreateError::NoScenario(scenario.clone().unwrap_or_default())))?,
        };
        let Body::Whole(bytes) = call.body else { return Err(error(413, "The body is too large.")) };
        let (faults, clock) = admin_input::parse_world_start(
            &base.references(base.clock.mode),
            &String::from_utf8_lossy(bytes),
        )
        .map_err(|problems| invalid("The world is not made so", &problems))?;
        start = Start { faults: faults.into_iter().map(Arc::new).collect(), clock, ..start };
    }
    Ok(WorldRequest { name: None, scenario, start })
}

fn told(status: u16, world: &World, call: &Call<'_>) -> Reply {
    let body = json!({
        "name": world.name,
        "baseUrl": base_url(world, call),
        "apiKey": world.minted.as_ref().map(|key| key.key.as_str()),
        "seed": world.snapshot().seed.0,
    });
    Reply::json(status, body.to_string().into_bytes())
}

fn not_made(reason: &CreateError) -> Reply {
    let status = match reason {
        CreateError::BadName(_) | CreateError::NoScenario(_) => 400,
        CreateError::Exists(_) | CreateError::Standing(_) => 409,
        CreateError::TooMany | CreateError::TooLarge => 429,
        CreateError::NoKey => 500,
    };
    error(status, &reason.to_string())
}

/// `DELETE /__admin/worlds/{world}`.
///
/// # Errors
/// The answer, where it is not there or stays.
pub fn removed(state: &State, name: &str) -> Result<Reply, Reply> {
    state.registry.remove(name).map_err(|reason| match reason {
        RemoveError::Unknown => unknown(name),
        RemoveError::Standing => {
            let message = format!(
                "{name} is a standing world, which stays; POST /__admin/worlds/{name}/reset takes it back to its start."
            );
            error(409, &message)
        }
    })?;
    Ok(done())
}

/// `POST …/reset`.
///
/// # Errors
/// The answer to a body that cannot be read, or to a seed for which there is no room.
pub fn reset(state: &State, world: &Arc<World>, call: &Call<'_>) -> Result<Reply, Reply> {
    let seed = seed(&members(call, &["seed"])?)?;
    state.registry.reset(world, seed).map_err(|reason| not_made(&reason))?;
    Ok(ok(&json!({ "name": world.name, "seed": world.snapshot().seed.0 })))
}
