//! Admin handlers for a world's deliveries: list and retry.

use actix_web::{HttpResponse, web};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use utoipa::IntoParams;

use crate::api::events::canonical;
use crate::journal::mask::Mask;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, WorldPath, number};
use crate::server::admin::list::{self, Limit, Offset};
use crate::server::admin::requests::with_dropped;
use crate::server::long;
use crate::webhook::delivery::{Delivery, Status};
use crate::world::World;

/// Which deliveries are asked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct DeliveriesQuery {
    /// `pending`, `delivered` or `dead`.
    #[serde(default, deserialize_with = "status")]
    #[param(value_type = Option<String>)]
    status: Option<Status>,
    /// Name of the event.
    event: Option<String>,
    event_id: Option<String>,
    /// Name of the conversation.
    conversation: Option<String>,
    /// Id of the subscription.
    #[serde(default, deserialize_with = "number")]
    subscription: Option<u64>,
    #[serde(default)]
    #[param(inline)]
    offset: Offset,
    #[serde(default)]
    #[param(inline)]
    limit: Limit,
}

fn status<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Status>, D::Error> {
    let Some(name) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let all = [Status::Pending, Status::Delivered, Status::Dead];
    all.into_iter().find(|status| status.name() == name).map(Some).ok_or_else(|| {
        let names = format!("one of {}", all.map(Status::name).join(", "));
        D::Error::invalid_value(Unexpected::Str(&name), &names.as_str())
    })
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct DeliveryPath {
    /// Id of the delivery.
    id: String,
}

/// Lists the deliveries of a world, each with its attempts.
#[utoipa::path(get, path = "/__admin/worlds/{world}/deliveries", params(WorldPath, DeliveriesQuery),
    responses((status = 200, description = "The deliveries, in the order in which they were made", body = Vec<Object>)))]
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(query): Query<DeliveriesQuery>,
) -> Result<HttpResponse, AdminError> {
    let run = world.run();
    let matches = move |delivery: &Delivery| {
        query.status.is_none_or(|status| delivery.status == status)
            && query.subscription.is_none_or(|id| delivery.subscription == id)
            && query.event.as_deref().is_none_or(|event| delivery.event.name == canonical(event))
            && query.event_id.as_ref().is_none_or(|id| delivery.event.id == *id)
            && (query.conversation.is_none() || delivery.event.conversation == query.conversation)
    };
    let page = query.offset.0..query.offset.0.saturating_add(query.limit.0);
    let found = long::run(move || run.deliveries(matches, page)).await?;
    let response =
        list::respond(found.total, found.page.into(), move |delivery| shown(&world, delivery).to_string());
    Ok(with_dropped(response.await?, found.dropped))
}

/// A delivery with its secrets masked: an event's data and a receiver's answer may have any.
fn shown(world: &World, delivery: &Delivery) -> Value {
    let snapshot = world.snapshot();
    let minted = world.minted.as_ref().map(|key| key.key.as_str());
    let mut json = delivery.to_json();
    Mask::new(&snapshot.keys, minted, world.secrets()).json(&mut json);
    json
}

/// Delivers once more what is delivered or dead.
#[utoipa::path(post, path = "/__admin/worlds/{world}/deliveries/{id}/retry", params(WorldPath, DeliveryPath),
    responses((status = 202, description = "The delivery, pending again", body = Object)))]
pub(crate) async fn retry(
    PathWorld(world): PathWorld,
    path: web::Path<DeliveryPath>,
) -> Result<HttpResponse, AdminError> {
    let id = &path.id;
    match world.run().retry_delivery(id) {
        Some(Ok(delivery)) => Ok(HttpResponse::Accepted().json(shown(&world, &delivery))),
        Some(Err(_)) => Err(AdminError::conflict(format!(
            "The delivery {id} is still under way; advance the clock for its next attempt."
        ))),
        None => Err(AdminError::not_found(format!("No delivery has the id {id}: see deliveries."))),
    }
}
