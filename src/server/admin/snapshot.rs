//! Admin handlers for a world's snapshot: get and put.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Text, WorldPath};
use crate::server::admin::worlds::{CreatedWorld, created, not_created};
use crate::server::long;
use crate::server::state::State;
use crate::world::saved::{MOST_BYTES, NotRestored, SavedWorld};

/// About how many bytes a snapshot has.
const EXPECTED: usize = 1 << 20;

/// Gets a world's snapshot: all that it holds beyond its scenario, to move or keep it.
#[utoipa::path(get, path = "/__admin/worlds/{world}/snapshot", params(WorldPath),
    responses((status = 200, description = "The snapshot", body = Object), (status = 413, description = "The world holds too much", body = super::error::ErrorBody)))]
pub(crate) async fn get(PathWorld(world): PathWorld) -> Result<HttpResponse, AdminError> {
    let save = move || world.save();
    let saved = long::answer(EXPECTED, save, |saved| saved.as_ref().map_or(0, String::len)).await;
    let (saved, room) = saved.ok_or_else(AdminError::internal)?;
    let text = saved.map_err(|why| AdminError::new(StatusCode::PAYLOAD_TOO_LARGE, why))?;
    Ok(long::send(HttpResponse::Ok().content_type("application/json").body(text), room))
}

/// Takes up a snapshot: makes the world, or replaces it.
#[utoipa::path(put, path = "/__admin/worlds/{world}/snapshot", params(WorldPath), request_body = Object,
    responses((status = 200, description = "Replaced", body = CreatedWorld), (status = 201, description = "Created", body = CreatedWorld), (status = 400, description = "It is no snapshot, or of another version; nothing is changed", body = super::error::ErrorBody)))]
pub(crate) async fn put(
    state: web::Data<State>,
    name: web::Path<String>,
    Text(text): Text,
    request: HttpRequest,
) -> Result<HttpResponse, AdminError> {
    let shared = state.into_inner();
    let restore = move || {
        let saved = SavedWorld::read(&text)?;
        drop(text);
        Arc::clone(&shared.registry).restore(&name, &saved)
    };
    let restored = long::run(restore).await?.map_err(|reason| match reason {
        NotRestored::NotCreated(reason) => not_created(&reason),
        NotRestored::Mangled(_) => AdminError::bad_request(reason.to_string()),
    });
    let (world, is_new) = restored?;
    world.touch();
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(HttpResponse::build(status).json(created(&world, &request)))
}

/// The most bytes of the body of a request to the admin side, if it is not the usual limit.
pub(crate) fn body_limit(path: &str) -> Option<usize> {
    let is_snapshot =
        path.starts_with("/__admin/worlds/") && path.trim_end_matches('/').ends_with("/snapshot");
    is_snapshot.then_some(MOST_BYTES)
}
