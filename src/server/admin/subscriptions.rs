//! Admin handler for a world's webhook subscriptions: list, in the API's field names.

use actix_web::HttpResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, WorldPath};
use crate::server::admin::list::{self, Page};
use crate::server::long;
use crate::world::World;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Subscription {
    #[serde(rename = "subscriptionId")]
    id: u64,
    business_id: u64,
    events: Vec<String>,
    endpoint: String,
}

/// Lists the webhook subscriptions of a world.
#[utoipa::path(get, path = "/__admin/worlds/{world}/subscriptions", params(WorldPath, Page),
    responses((status = 200, description = "The subscriptions, in the order in which they were made", body = Vec<Subscription>)))]
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(page): Query<Page>,
) -> Result<HttpResponse, AdminError> {
    let all = long::run(move || all(&world)).await?;
    let total = all.len();
    list::respond(total, page.of(all.into_iter()), list::json).await
}

pub(crate) fn all(world: &World) -> Vec<Subscription> {
    let run = world.run();
    let ledger = run.ledger();
    let stored = ledger.subscriptions.all().iter();
    stored
        .map(|stored| Subscription {
            id: stored.id,
            business_id: stored.business,
            events: stored.events.clone(),
            endpoint: stored.endpoint.clone(),
        })
        .collect()
}
