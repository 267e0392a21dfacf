//! Admin handlers for worlds: create, list, get, put, reset and delete.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::draw::Seed;
use crate::scenario::admin_input;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{Body, PathWorld, Query, Text, WorldPath, seed};
use crate::server::admin::list::{self, Limit, Offset, Page};
use crate::server::admin::scenarios::serve_shipped;
use crate::server::long;
use crate::server::page::host;
use crate::server::state::State;
use crate::world::World;
use crate::world::create::{CreateError, RemoveError, Start, WorldRequest};

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateWorld {
    /// Name of the world; one is chosen where it is absent.
    name: Option<String>,
    /// Name of its scenario, one that is served or one of the program; the default one where it is absent.
    scenario: Option<String>,
    #[serde(default, deserialize_with = "seed")]
    #[schema(value_type = Option<SeedInput>)]
    seed: Option<Seed>,
    /// Faults, written as in a scenario, that are put in this order.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Vec<Object>)]
    faults: Option<Value>,
    /// Start and mode of its clock, written as in a scenario.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Object)]
    clock: Option<Value>,
}

/// Tells `null` from absence.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetWorld {
    /// Its seed until the next reset.
    #[serde(default, deserialize_with = "seed")]
    #[schema(value_type = Option<SeedInput>)]
    seed: Option<Seed>,
}

/// A number below 2^53, or `random`.
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "a schema")]
pub(crate) enum SeedInput {
    Number(u64),
    Random(RandomSeed),
}

#[derive(ToSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "a schema")]
pub(crate) enum RandomSeed {
    Random,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorldSummary {
    name: String,
    scenario: String,
    base_url: String,
    seed: u64,
    /// Whether it is a scenario's or a key's own world, which cannot be deleted.
    standing: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreatedWorld {
    name: String,
    base_url: String,
    /// The key made with the world, which covers all accounts; null for a standing world.
    api_key: Option<String>,
    seed: u64,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct WorldSeed {
    name: String,
    seed: u64,
}

/// Lists the worlds.
#[utoipa::path(get, path = "/__admin/worlds", params(Page),
    responses((status = 200, description = "The worlds by name", body = Vec<WorldSummary>)))]
pub(crate) async fn list(
    state: web::Data<State>,
    Query(page): Query<Page>,
    request: HttpRequest,
) -> Result<HttpResponse, AdminError> {
    let (host, Offset(offset), Limit(limit)) = (host(&request).to_owned(), page.offset, page.limit);
    let (worlds, total) = long::run(move || state.registry.page(offset, limit)).await?;
    list::respond(total, worlds.into(), move |world| list::json(&summary(world, &host))).await
}

/// Describes a world.
#[utoipa::path(get, path = "/__admin/worlds/{world}", params(WorldPath),
    responses((status = 200, description = "The world", body = WorldSummary)))]
pub(crate) async fn get(PathWorld(world): PathWorld, request: HttpRequest) -> web::Json<WorldSummary> {
    web::Json(summary(&world, host(&request)))
}

fn summary(world: &World, host: &str) -> WorldSummary {
    let snapshot = world.snapshot();
    WorldSummary {
        name: world.name.clone(),
        scenario: snapshot.scenario.clone(),
        base_url: base_url(world, host),
        seed: snapshot.seed.0,
        standing: world.is_standing(),
    }
}

fn base_url(world: &World, host: &str) -> String {
    format!("http://{host}/w/{}", world.name)
}

/// Creates a world.
#[utoipa::path(post, path = "/__admin/worlds", request_body = CreateWorld,
    responses((status = 201, description = "Created", body = CreatedWorld)))]
pub(crate) async fn create(
    state: web::Data<State>,
    Body(body): Body<CreateWorld>,
    Text(text): Text,
    request: HttpRequest,
) -> Result<HttpResponse, AdminError> {
    // Reading large faults takes some milliseconds.
    let made = long::apart(move || {
        let name = body.name.clone();
        let wanted = WorldRequest { name, ..wanted(&state, None, body, &text)? };
        state.registry.make(wanted).map_err(|reason| not_created(&reason))
    });
    let world = made.await??;
    Ok(HttpResponse::Created().json(created(&world, &request)))
}

/// Creates a world, or resets it to what the body says.
#[utoipa::path(put, path = "/__admin/worlds/{world}", params(WorldPath), request_body = CreateWorld,
    responses((status = 200, description = "Reset", body = CreatedWorld), (status = 201, description = "Created", body = CreatedWorld)))]
pub(crate) async fn put(
    state: web::Data<State>,
    name: web::Path<String>,
    Body(body): Body<CreateWorld>,
    Text(text): Text,
    request: HttpRequest,
) -> Result<HttpResponse, AdminError> {
    if let Some(other) = body.name.as_ref().filter(|other| **other != *name) {
        let message = format!("name must be {name}, as in the path, or be left out; it is {other}.");
        return Err(AdminError::bad_request(message));
    }
    let put = long::apart(move || {
        let present = state.registry.named(&name);
        let wanted = wanted(&state, present.as_deref(), body, &text)?;
        state.registry.put(&name, wanted).map_err(|reason| not_created(&reason))
    });
    let (world, is_new) = put.await??;
    world.touch();
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(HttpResponse::build(status).json(created(&world, &request)))
}

/// What a body asks for, its name aside. Faults are checked against the scenario that it names, else the scenario of the
/// world, else the default one.
fn wanted(
    state: &State,
    world: Option<&World>,
    body: CreateWorld,
    text: &str,
) -> Result<WorldRequest, AdminError> {
    let CreateWorld { scenario, seed, .. } = body;
    if let Some(name) = &scenario {
        serve_shipped(state, name)?;
    }
    let mut start = Start { seed, ..Start::default() };
    if body.faults.is_some() || body.clock.is_some() {
        let base = match world.filter(|_| scenario.is_none()) {
            Some(world) => world.scenario().0,
            None => state
                .registry
                .scenario(scenario.as_deref())
                .ok_or_else(|| not_created(&CreateError::NoScenario(scenario.clone().unwrap_or_default())))?,
        };
        let (faults, clock) =
            admin_input::parse_world_start(&base.references(base.clock.mode), text, state.setup.time.now())
                .map_err(|problems| AdminError::invalid("The world is not made so", &problems))?;
        start = Start { faults: faults.into_iter().map(Arc::new).collect(), clock, ..start };
    }
    Ok(WorldRequest { name: None, scenario, start })
}

pub(super) fn created(world: &World, request: &HttpRequest) -> CreatedWorld {
    CreatedWorld {
        name: world.name.clone(),
        base_url: base_url(world, host(request)),
        api_key: world.minted.as_ref().map(|key| key.key.clone()),
        seed: world.snapshot().seed.0,
    }
}

pub(super) fn not_created(reason: &CreateError) -> AdminError {
    let status = match reason {
        CreateError::BadName(_) | CreateError::NoScenario(_) => StatusCode::BAD_REQUEST,
        CreateError::Exists(_) | CreateError::Standing(_) => StatusCode::CONFLICT,
        CreateError::TooMany | CreateError::TooLarge | CreateError::TooManyRecords => {
            StatusCode::TOO_MANY_REQUESTS
        }
        CreateError::NoRoom => StatusCode::PAYLOAD_TOO_LARGE,
        CreateError::NoKey => StatusCode::INTERNAL_SERVER_ERROR,
    };
    AdminError::new(status, reason.to_string())
}

/// Deletes a world.
#[utoipa::path(delete, path = "/__admin/worlds/{world}", params(WorldPath),
    responses((status = 204, description = "Deleted")))]
pub(crate) async fn delete(
    state: web::Data<State>,
    name: web::Path<String>,
) -> Result<HttpResponse, AdminError> {
    let name = name.into_inner();
    let removed = name.clone();
    let removed = long::apart(move || state.registry.remove(&removed)).await?;
    removed.map_err(|reason| match reason {
        RemoveError::Unknown => unknown_world(&name),
        RemoveError::Standing => AdminError::conflict(format!(
            "{name} is a standing world, which stays; POST /__admin/worlds/{name}/reset takes it back to its start."
        )),
    })?;
    Ok(HttpResponse::NoContent().finish())
}

/// Resets a world to its start.
#[utoipa::path(post, path = "/__admin/worlds/{world}/reset", params(WorldPath), request_body = ResetWorld,
    responses((status = 200, description = "Reset", body = WorldSeed)))]
pub(crate) async fn reset(
    state: web::Data<State>,
    PathWorld(world): PathWorld,
    Body(ResetWorld { seed }): Body<ResetWorld>,
) -> Result<web::Json<WorldSeed>, AdminError> {
    let known = Arc::clone(&world);
    let reset = long::apart(move || state.registry.reset(&known, seed)).await?;
    reset.map_err(|reason| not_created(&reason))?;
    Ok(web::Json(WorldSeed { name: world.name.clone(), seed: world.snapshot().seed.0 }))
}

/// The error where no world has that name.
pub(crate) fn unknown_world(name: &str) -> AdminError {
    let body = json!({ "name": name });
    AdminError::not_found(format!("No world is named {name}. POST /__admin/worlds {body} makes one."))
}
