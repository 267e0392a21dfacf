//! Response bodies that are sent slowly or in part.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::header::{CONTENT_LENGTH, HeaderValue};
use bytes::Bytes;
use tokio::time::{Sleep, sleep};

use crate::server::wire::ending::Ending;
use crate::server::wire::shaped::Control;

/// Sends the body of a response a few bytes at a time.
pub(super) fn drip(response: HttpResponse, bytes: u32, every: Duration) -> HttpResponse {
    response.map_body(|_, body| match body.try_into_bytes() {
        Ok(rest) => BoxBody::new(Drip {
            rest,
            bytes: usize::try_from(bytes.max(1)).unwrap_or(usize::MAX),
            every,
            next: Box::pin(sleep(every)),
        }),
        Err(body) => body,
    })
}

/// Sends a share of the body of a response, in parts per million, and then resets the connection.
pub(super) fn truncate(response: HttpResponse, share: u32, control: Control) -> HttpResponse {
    response.map_body(|head, body| match body.try_into_bytes() {
        Ok(mut whole) => {
            let size = whole.len() as u64;
            if size == 0 {
                // Actix does not poll a body of size 0, so this one has no size, and we set the header.
                head.no_chunking(true);
                head.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
            }
            let kept = usize::try_from(u128::from(size) * u128::from(share) / 1_000_000);
            whole.truncate(kept.unwrap_or(usize::MAX));
            BoxBody::new(Truncated { size, kept: Some(whole).filter(|kept| !kept.is_empty()), control })
        }
        Err(body) => body,
    })
}

struct Drip {
    rest: Bytes,
    /// At least 1.
    bytes: usize,
    every: Duration,
    next: Pin<Box<Sleep>>,
}

impl MessageBody for Drip {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.rest.len() as u64)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        ready!(self.next.as_mut().poll(context));
        // The next piece is due one interval after this one, however late this one was.
        let every = self.every;
        self.next.set(sleep(every));
        let bytes = self.bytes.min(self.rest.len());
        Poll::Ready(Some(Ok(self.rest.split_to(bytes))))
    }
}

struct Truncated {
    /// Size of the whole body, as `content-length` states it.
    size: u64,
    kept: Option<Bytes>,
    control: Control,
}

impl MessageBody for Truncated {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        if self.size == 0 { BodySize::Stream } else { BodySize::Sized(self.size) }
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        if let Some(kept) = self.kept.take() {
            return Poll::Ready(Some(Ok(kept)));
        }
        // Everything before is encoded by now, and is sent before the reset.
        self.control.end(Ending::Reset);
        Poll::Pending
    }
}
