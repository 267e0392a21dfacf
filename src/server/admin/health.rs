//! Whether what is served is what stands in the files.

use std::sync::atomic::Ordering;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::clock::Moment;
use crate::reload::status::Entry;
use crate::scenario::render;
use crate::server::guard::has_token;
use crate::server::state::State;

#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    status: Status,
    version: &'static str,
    /// Left out where the admin side is off, or has a token that the request does not carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    scenarios: Option<Vec<ScenarioHealth>>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    /// A scenario has errors: its last good version, if any, is served.
    Degraded,
    /// The server is about to stop, and still answers calls.
    Draining,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ScenarioHealth {
    name: String,
    /// Which load of the scenario is served, from 1; 0 where none was good.
    generation: u64,
    #[schema(format = DateTime)]
    loaded_at: Option<String>,
    /// The instant to which relative dates of what is served refer: the start of the clock, or that of the load where it has none.
    #[schema(format = DateTime)]
    clock_start: Option<String>,
    /// Errors and warnings of the last load.
    #[schema(value_type = Vec<Object>)]
    diagnostics: Value,
}

/// Says whether every scenario is served as it stands in its file.
#[utoipa::path(get, path = "/__admin/health", responses((status = 200, description = "How the scenarios are", body = Health), (status = 503, description = "The server is about to stop", body = Health)))]
pub(crate) async fn get(state: web::Data<State>, request: HttpRequest) -> (web::Json<Health>, StatusCode) {
    let entries = state.board.entries();
    let is_draining = state.is_draining.load(Ordering::Relaxed);
    let status = if is_draining {
        Status::Draining
    } else if entries.iter().any(Entry::is_degraded) {
        Status::Degraded
    } else {
        Status::Ok
    };
    let shows_all = state.admin && has_token(&state, request.headers());
    let scenarios = shows_all.then(|| entries.iter().map(scenario).collect());
    let code = if is_draining { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    (web::Json(Health { status, version: env!("CARGO_PKG_VERSION"), scenarios }), code)
}

fn scenario(entry: &Entry) -> ScenarioHealth {
    ScenarioHealth {
        name: entry.name.clone(),
        generation: entry.generation,
        loaded_at: entry.loaded_at.map(Moment::iso),
        clock_start: entry.snapshot.as_ref().map(|snapshot| snapshot.start.iso()),
        diagnostics: render::json(&entry.problems),
    }
}
