//! Admin handlers for a world's faults: list, put, patch and delete.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::memory::Full;
use crate::scenario::diagnostic::did_you_mean;
use crate::scenario::{admin_input, render};
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{Body, PathWorld, Query, Text, WorldPath};
use crate::server::admin::list::{self, Page};
use crate::server::long;
use crate::world::World;
use crate::world::fault_edits::{FaultStatus, NoRoom};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct FaultPath {
    /// Name of the fault.
    name: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fault {
    name: String,
    enabled: bool,
    /// How many requests the fault has been applied to.
    hit_count: u64,
    source: Source,
    /// The fault as a scenario has it.
    #[serde(rename = "fault")]
    #[schema(value_type = Object)]
    definition: Value,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Source {
    File,
    Admin,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PutFault {
    #[serde(flatten)]
    fault: Fault,
    /// Warnings.
    #[schema(value_type = Vec<Object>)]
    diagnostics: Value,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatchFault {
    enabled: bool,
}

/// Lists the faults of a world, in the order in which they are considered.
#[utoipa::path(get, path = "/__admin/worlds/{world}/faults", params(WorldPath, Page),
    responses((status = 200, description = "The faults", body = Vec<Fault>)))]
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(page): Query<Page>,
) -> Result<HttpResponse, AdminError> {
    let all = long::run(move || world.faults()).await?;
    let total = all.len();
    list::respond(total, page.of(all.into_iter()), |status| list::json(&show(status))).await
}

fn show(status: &FaultStatus) -> Fault {
    let FaultStatus { fault, from_file, hits } = status;
    Fault {
        name: fault.name.clone(),
        enabled: fault.enabled,
        hit_count: *hits,
        source: if *from_file { Source::File } else { Source::Admin },
        definition: serde_json::from_str(&fault.text).unwrap_or_default(),
    }
}

fn find(world: &World, name: &str) -> Result<Fault, AdminError> {
    let faults = world.faults();
    let found = faults.iter().find(|status| status.fault.name == name);
    found.map(show).ok_or_else(|| unknown_fault(world, name))
}

fn unknown_fault(world: &World, name: &str) -> AdminError {
    let faults = world.faults();
    let help = did_you_mean(name, faults.iter().map(|status| status.fault.name.as_str()));
    AdminError::not_found(format!("The world {} has no fault {name}: {help}.", world.name))
}

pub(crate) fn no_room(world: &World, reason: NoRoom) -> AdminError {
    let (status, message, advice) = match reason {
        NoRoom::Number => (
            StatusCode::TOO_MANY_REQUESTS,
            format!("The world {} has as many faults of its own as it can have.", world.name),
            "Delete some, or write them into the scenario.",
        ),
        NoRoom::Memory(Full::World { limit }) => (
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "The faults that the world {} has of its own take more than {} MiB.",
                world.name,
                limit >> 20
            ),
            "Delete some, or write them into the scenario.",
        ),
        NoRoom::Memory(Full::All { limit }) => (
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("What was written to all worlds, faults included, takes more than {} MiB.", limit >> 20),
            "Delete faults or worlds, or reset worlds.",
        ),
    };
    AdminError::new(status, message).with_advice(status, advice)
}

/// Adds or replaces a fault of a world.
///
/// The body is a fault as a scenario has it, as JSON or YAML. A new fault is considered before all others; a replaced one
/// keeps its place.
#[utoipa::path(put, path = "/__admin/worlds/{world}/faults/{name}", params(WorldPath, FaultPath), request_body = Object,
    responses((status = 200, description = "Replaced", body = PutFault), (status = 201, description = "Added", body = PutFault)))]
pub(crate) async fn put(
    PathWorld(world): PathWorld,
    path: web::Path<FaultPath>,
    Text(text): Text,
) -> Result<HttpResponse, AdminError> {
    let (target, name) = (Arc::clone(&world), path.name.clone());
    // Reading a large fault takes some milliseconds.
    let put = move || {
        let mode = target.run().clock.mode();
        let parsed = admin_input::parse_fault(&target.snapshot().references(mode), &name, &text);
        let (fault, warnings) =
            parsed.map_err(|problems| AdminError::invalid("The fault is not taken", &problems))?;
        let is_new = target.put_fault(fault).map_err(|reason| no_room(&target, reason))?;
        Ok((is_new, warnings))
    };
    let (is_new, warnings) = long::apart(put).await??;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let fault = find(&world, &path.name)?;
    Ok(HttpResponse::build(status).json(PutFault { fault, diagnostics: render::json(&warnings) }))
}

/// Enables or disables a fault of a world.
#[utoipa::path(patch, path = "/__admin/worlds/{world}/faults/{name}", params(WorldPath, FaultPath), request_body = PatchFault,
    responses((status = 200, description = "The fault", body = Fault)))]
pub(crate) async fn patch(
    PathWorld(world): PathWorld,
    path: web::Path<FaultPath>,
    Body(PatchFault { enabled }): Body<PatchFault>,
) -> Result<web::Json<Fault>, AdminError> {
    let known = world.enable_fault(&path.name, enabled).map_err(|reason| no_room(&world, reason))?;
    if !known {
        return Err(unknown_fault(&world, &path.name));
    }
    find(&world, &path.name).map(web::Json)
}

/// Deletes a fault of a world.
#[utoipa::path(delete, path = "/__admin/worlds/{world}/faults/{name}", params(WorldPath, FaultPath),
    responses((status = 204, description = "Deleted")))]
pub(crate) async fn delete(
    PathWorld(world): PathWorld,
    path: web::Path<FaultPath>,
) -> Result<HttpResponse, AdminError> {
    if !world.remove_fault(&path.name) {
        return Err(unknown_fault(&world, &path.name));
    }
    Ok(HttpResponse::NoContent().finish())
}
