//! Admin handler for a world's stream: what happens in a world, as Server-Sent Events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::{StatusCode, header};
use bytes::Bytes;
use futures_util::stream;
use serde::Deserialize;
use tokio::time::{MissedTickBehavior, interval, sleep};
use utoipa::IntoParams;

use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, WorldPath, flag};

/// A comment is sent this often, so that nothing on the way closes the connection as idle.
const PING: Duration = Duration::from_secs(15);
/// Watchers learn after at most this time that they missed events.
const MISSED: Duration = Duration::from_secs(1);

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct StreamQuery {
    /// Requests come without headers and bodies.
    #[serde(default, deserialize_with = "flag")]
    #[param(value_type = Option<bool>)]
    brief: bool,
}

/// How long events for a page gather when they come faster than they are sent one by one.
const GATHERING: Duration = Duration::from_millis(100);
/// Most events that are sent as one.
const MOST_AT_ONCE: usize = 1_000;

/// Streams what happens in a world, as Server-Sent Events: requests, faults, deliveries, conversations, records, resets and reloads.
#[utoipa::path(get, path = "/__admin/worlds/{world}/stream", params(WorldPath, StreamQuery),
    responses((status = 200, description = "Server-Sent Events", body = String, content_type = "text/event-stream"), (status = 429, description = "Too many watchers", body = super::error::ErrorBody)))]
pub(crate) async fn watch(
    PathWorld(world): PathWorld,
    Query(StreamQuery { brief }): Query<StreamQuery>,
) -> Result<HttpResponse, AdminError> {
    let watch = world.stream.watch(brief);
    let watch = watch.map_err(|full| AdminError::new(StatusCode::TOO_MANY_REQUESTS, full.to_string()))?;
    // The first tick comes at once, so that the client sees that it is connected.
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let told = Arc::clone(&world.stream);
    let mut missed = interval(MISSED);
    missed.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let begin = (watch, ping, missed, told, false);
    let events = stream::unfold(begin, move |(mut events, mut ping, mut missed, told, is_busy)| async move {
        // Under load, many events are sent as one, which costs both sides less.
        if is_busy {
            sleep(GATHERING).await;
        }
        let next = loop {
            tokio::select! {
                biased;
                event = events.recv() => break event?,
                _ = ping.tick() => break Bytes::from_static(b": standin\n\n"),
                _ = missed.tick() => told.publish_missed(),
            }
        };
        let more = events.waiting(MOST_AT_ONCE);
        let is_busy = brief && !more.is_empty();
        let next = if more.is_empty() { next } else { [next, more.concat().into()].concat().into() };
        Some((Ok::<_, Infallible>(next), (events, ping, missed, told, is_busy)))
    });
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, "no-cache, no-transform"))
        .streaming(events))
}
