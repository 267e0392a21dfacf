//! Admin handlers for a world's events: list their names, and emit one.

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::api::events::{KNOWN, canonical};
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{Body, PathWorld, WorldPath};
use crate::server::api::build_dataset;
use crate::webhook::settings::Emission;
use crate::world::snapshot::Snapshot;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EmitEvent {
    /// Name of the event.
    event: String,
    /// Number of the account, as a number or a string of digits.
    #[schema(value_type = BusinessNumber)]
    business: Value,
    /// Name of the conversation.
    conversation: Option<String>,
    text: Option<String>,
    /// Further members of the payload.
    data: Option<Map<String, Value>>,
}

#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "a schema")]
pub(crate) enum BusinessNumber {
    Number(u64),
    Digits(String),
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EmittedEvent {
    event_id: String,
    /// How many deliveries the event makes.
    deliveries: usize,
}

/// Lists the names of the events of a world: those of the API, and those that its scenario adds.
#[utoipa::path(get, path = "/__admin/worlds/{world}/events", params(WorldPath),
    responses((status = 200, description = "The names", body = Vec<String>)))]
pub(crate) async fn list(PathWorld(world): PathWorld) -> web::Json<Vec<String>> {
    web::Json(names(&world.snapshot()))
}

/// The names of the events, each once.
pub(crate) fn names(snapshot: &Snapshot) -> Vec<String> {
    let added = snapshot.events.iter().map(String::as_str).filter(|name| !KNOWN.contains(name));
    KNOWN.into_iter().chain(added).map(str::to_owned).collect()
}

/// Emits an event to the subscriptions of a world.
#[utoipa::path(post, path = "/__admin/worlds/{world}/events", params(WorldPath), request_body = EmitEvent,
    responses((status = 202, description = "Emitted", body = EmittedEvent)))]
pub(crate) async fn emit(
    PathWorld(world): PathWorld,
    Body(body): Body<EmitEvent>,
) -> Result<HttpResponse, AdminError> {
    let snapshot = world.snapshot();
    let event = canonical(&body.event).to_owned();
    let known = names(&snapshot);
    if !known.contains(&event) {
        let message = format!("event must be one of {}; it is {}.", known.join(", "), body.event);
        return Err(AdminError::bad_request(message));
    }
    build_dataset(&snapshot).await;
    let business = account(snapshot.dataset(), &body.business)?;
    let EmitEvent { conversation, text, data, .. } = body;
    let emission = Emission { event, business: Some(business), conversation, text, data };
    let emitted = world.run().emit(&emission, business).ok_or_else(|| {
        let name = emission.conversation.as_deref().unwrap_or_default();
        AdminError::conflict(format!(
            "The conversation {name} is closed: give another name to open a new one."
        ))
    })?;
    let body = EmittedEvent { event_id: emitted.event_id, deliveries: emitted.deliveries };
    Ok(HttpResponse::Accepted().json(body))
}

/// The account of that number.
pub(crate) fn account(dataset: &Dataset, sent: &Value) -> Result<u64, AdminError> {
    let number = sent.as_i64().or_else(|| sent.as_str()?.trim().parse().ok());
    match number.and_then(|number| dataset.find(number)) {
        Some(BusinessRef::Account(account)) => Ok(dataset.account(account).number),
        Some(BusinessRef::Location(_)) => {
            Err(AdminError::bad_request(format!("business must be an account; {sent} is a location.")))
        }
        None => Err(AdminError::bad_request(format!(
            "business must be the number of an account; {sent} is none."
        ))),
    }
}
