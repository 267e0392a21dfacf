//! Admin handlers for what a world's clock brings: what falls due next, and how full the windows of rate limits are.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::call::KeyMatch;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, WorldPath};
use crate::server::admin::list::{self, Page};
use crate::server::long;

/// Something that falls due by the world's clock.
#[derive(Serialize, ToSchema)]
pub(crate) struct Due {
    /// World time.
    #[schema(format = DateTime)]
    at: String,
    /// What happens then, in words.
    what: String,
}

/// How much of its rate limit a key has used.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RateLimit {
    /// Its name or position, as the journal shows it.
    key: String,
    /// Requests that pass in each window.
    requests: u32,
    window_ms: u64,
    /// Requests that have passed in the latest window in which the key was used.
    used: u32,
    /// World time at which that window ends; null if the key was not used.
    #[schema(format = DateTime)]
    ends_at: Option<String>,
}

/// Lists what falls due next, in order: the next time of each entry of the timeline, and attempts of deliveries.
#[utoipa::path(get, path = "/__admin/worlds/{world}/clock/due", params(WorldPath, Page),
    responses((status = 200, description = "What falls due, the soonest first", body = Vec<Due>)))]
pub(crate) async fn due(
    PathWorld(world): PathWorld,
    Query(page): Query<Page>,
) -> Result<HttpResponse, AdminError> {
    let all = long::run(move || {
        let run = world.run();
        let due = run.due().into_iter();
        due.map(|(at, what)| Due { at: at.iso(), what: world.secrets().mask(&what).into_owned() })
            .collect::<Vec<_>>()
    });
    let all = all.await?;
    let total = all.len();
    list::respond(total, page.of(all.into_iter()), list::json).await
}

/// Lists the keys of a world that have a rate limit, and how much of it they have used.
#[utoipa::path(get, path = "/__admin/worlds/{world}/rate-limits", params(WorldPath),
    responses((status = 200, description = "The keys, in the order of the scenario", body = Vec<RateLimit>)))]
pub(crate) async fn rate_limits(PathWorld(world): PathWorld) -> web::Json<Vec<RateLimit>> {
    let run = world.run();
    let snapshot = run.snapshot();
    let quotas = run.quotas();
    let limited = snapshot.keys.all().iter().enumerate().filter_map(|(place, key)| {
        let limit = key.rate_limit?;
        let used = quotas.used(&key.key, limit);
        Some(RateLimit {
            key: snapshot.keys.label(KeyMatch::Listed(place))?,
            requests: limit.requests,
            window_ms: u64::try_from(limit.window.as_millis()).unwrap_or(u64::MAX),
            used: used.map_or(0, |(passed, _)| passed),
            ends_at: used.map(|(_, end)| end.iso()),
        })
    });
    web::Json(limited.collect())
}
