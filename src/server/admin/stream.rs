//! `GET …/stream`: what happens in a world, as Server-Sent Events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_http::body::{BodySize, BoxBody, MessageBody};
use actix_http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use actix_http::{Response, StatusCode};
use bytes::Bytes;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::world::World;

/// A comment so often, so that nothing between takes the connection for dead.
const PING: Duration = Duration::from_secs(15);

/// The response that goes on until the client leaves.
#[must_use]
pub fn response(world: &World) -> Response<BoxBody> {
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let body = Events { events: world.stream.watch(), ping };
    let mut response = Response::with_body(StatusCode::OK, BoxBody::new(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    response
}

struct Events {
    events: Receiver<Bytes>,
    ping: Interval,
}

impl MessageBody for Events {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        if let Poll::Ready(event) = self.events.poll_recv(context) {
            return Poll::Ready(event.map(Ok));
        }
        // The first tick is at once: the client sees that it is connected.
        self.ping.poll_tick(context).map(|_| Some(Ok(Bytes::from_static(b": standin\n\n"))))
    }
}
