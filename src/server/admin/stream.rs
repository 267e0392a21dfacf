//! Admin handler for a world's stream: what happens in a world, as Server-Sent Events.

use std::convert::Infallible;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header;
use bytes::Bytes;
use futures_util::stream;
use tokio::time::{MissedTickBehavior, interval};

use crate::server::admin::extract::{PathWorld, WorldPath};

/// A comment is sent this often, so that nothing on the way closes the connection as idle.
const PING: Duration = Duration::from_secs(15);

/// Streams what happens in a world, as Server-Sent Events: requests, faults, deliveries and reloads.
#[utoipa::path(get, path = "/__admin/worlds/{world}/stream", params(WorldPath),
    responses((status = 200, description = "Server-Sent Events", body = String, content_type = "text/event-stream")))]
pub(crate) async fn watch(PathWorld(world): PathWorld) -> HttpResponse {
    // The first tick comes at once, so that the client sees that it is connected.
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let events = stream::unfold((world.stream.watch(), ping), async |(mut events, mut ping)| {
        let next = tokio::select! {
            biased;
            event = events.recv() => event?,
            _ = ping.tick() => Bytes::from_static(b": standin\n\n"),
        };
        Some((Ok::<_, Infallible>(next), (events, ping)))
    });
    HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, "no-cache, no-transform"))
        .streaming(events)
}
