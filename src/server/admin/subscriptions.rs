//! Admin handler for a world's webhook subscriptions: list, in the API's field names.

use actix_web::HttpResponse;

use crate::ledger::shown::Subscription;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, WorldPath};
use crate::server::admin::list::{self, Page};
use crate::server::long;
use crate::world::World;

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
    stored.map(Subscription::of).collect()
}
