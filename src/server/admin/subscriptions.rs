//! Admin handlers for a world's webhook subscriptions: list, in the API's field names, and create.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::events::canonical;
use crate::ledger::shown::Subscription;
use crate::ledger::subscriptions;
use crate::server::admin::error::AdminError;
use crate::server::admin::events::{BusinessNumber, account, names};
use crate::server::admin::extract::{Body, PathWorld, Query, WorldPath};
use crate::server::admin::list::{self, Page};
use crate::server::api::build_dataset;
use crate::server::long;
use crate::webhook::target::Target;
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

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateSubscription {
    /// Number of the account, as a number or a string of digits.
    #[schema(value_type = BusinessNumber)]
    business: Value,
    /// URL that deliveries are sent to.
    endpoint: String,
    /// Names of events; all where it is absent.
    events: Option<Vec<String>>,
}

/// Subscribes an endpoint to events of an account, without a call of a client.
#[utoipa::path(post, path = "/__admin/worlds/{world}/subscriptions", params(WorldPath), request_body = CreateSubscription,
    responses((status = 201, description = "Created", body = Subscription)))]
pub(crate) async fn create(
    PathWorld(world): PathWorld,
    Body(body): Body<CreateSubscription>,
) -> Result<HttpResponse, AdminError> {
    let snapshot = world.snapshot();
    build_dataset(&snapshot).await;
    let business_id = account(snapshot.dataset(), &body.business)?;
    Target::of(&body.endpoint).map_err(|reason| AdminError::bad_request(format!("{reason}.")))?;
    let known = names(&snapshot);
    let mut events: Vec<String> = match body.events.filter(|events| !events.is_empty()) {
        Some(events) => events.iter().map(|name| canonical(name).to_owned()).collect(),
        None => known.clone(),
    };
    events.dedup();
    if let Some(unknown) = events.iter().find(|name| !known.contains(name)) {
        let message = format!("events must be a list of {}; it has {unknown}.", known.join(", "));
        return Err(AdminError::bad_request(message));
    }
    let run = world.run();
    let new = subscriptions::Subscription {
        id: 0,
        business: business_id,
        events,
        endpoint: body.endpoint,
        by_page: false,
        created: run.clock.now(),
    };
    let added = run.ledger().subscribe(new.clone());
    let id = added.map_err(|full| AdminError::new(StatusCode::PAYLOAD_TOO_LARGE, full.to_string()))?;
    Ok(HttpResponse::Created().json(Subscription::of(&subscriptions::Subscription { id, ..new })))
}

pub(crate) fn all(world: &World) -> Vec<Subscription> {
    let run = world.run();
    let ledger = run.ledger();
    let stored = ledger.subscriptions.all().iter();
    stored.map(Subscription::of).collect()
}
