//! Work that takes long, such as an answer of many megabytes. It is done on other threads, so that no other request waits for
//! it, and little of it at a time, so that its memory is bounded, too.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::{HttpResponse, HttpResponseBuilder, web};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::server::admin::error::AdminError;

/// A permit for each piece of the admin side's work that is done at a time.
static TURNS: Semaphore = Semaphore::const_new(1);

/// A permit for each long call of the simulated API that is answered at a time. The program adds some when it starts.
static CALLS: Semaphore = Semaphore::const_new(1);

/// A permit for each MiB of their answers, from before they are made until they are sent.
static ROOM: Semaphore = Semaphore::const_new(MOST_ROOM as usize);
const MOST_ROOM: u32 = 256;

/// Lets as many long calls be answered at a time as suit that many worker threads. It is called once, at the start.
pub(crate) fn set_workers(workers: usize) {
    CALLS.add_permits(calls_at_a_time(workers) - 1);
}

/// Half of the worker threads, so that there are processors left for other calls.
fn calls_at_a_time(workers: usize) -> usize {
    (workers / 2).clamp(1, Semaphore::MAX_PERMITS)
}

/// Does a piece of work on another thread when it is its turn.
///
/// # Errors
/// It panicked.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AdminError> {
    let turn = TURNS.acquire().await;
    let work = move || {
        // The work goes on if the client leaves, and so does its turn.
        let _turn = turn;
        work()
    };
    web::block(work).await.map_err(|_| AdminError::internal())
}

/// Does a piece of work on another thread at once. It is for work that waits or is long only rarely.
///
/// # Errors
/// It panicked.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AdminError> {
    web::block(work).await.map_err(|_| AdminError::internal())
}

/// The room for an answer.
pub(crate) type Room = Option<SemaphorePermit<'static>>;

/// Answers a long call on another thread, when there is a permit for it and room for an answer of about so many bytes. `size`
/// tells the bytes of the answer, and what it does not need is given back.
pub(crate) async fn answer<T: Send + 'static>(
    expected: usize,
    work: impl FnOnce() -> T + Send + 'static,
    size: impl Fn(&T) -> usize,
) -> Option<(T, Room)> {
    let mebibytes = |bytes: usize| u32::try_from(bytes >> 20).unwrap_or(MOST_ROOM).min(MOST_ROOM);
    // The semaphores are never closed.
    let mut room = ROOM.acquire_many(mebibytes(expected)).await.ok();
    let call = CALLS.acquire().await;
    let work = move || {
        // The work goes on if the client leaves, and so does its permit.
        let _call = call;
        work()
    };
    let answer = web::block(work).await.ok()?;
    let needed = mebibytes(size(&answer)) as usize;
    Some((answer, room.as_mut().and_then(|room| room.split(needed.min(room.num_permits())))))
}

/// Sends a large body in slices, and keeps the room of an answer until it is sent or given up.
pub(crate) fn send(response: HttpResponse, room: Room) -> HttpResponse {
    response.map_body(|_, body| match body.try_into_bytes() {
        Ok(whole) if whole.len() > PIECE => BoxBody::new(Slices { rest: whole, sent: 0, _room: room }),
        Ok(whole) => BoxBody::new(whole),
        Err(body) => body,
    })
}

/// A large body. It is sent in slices, since actix copies each piece of a body, and its connection lets others have their turn
/// from time to time.
struct Slices {
    rest: Bytes,
    sent: usize,
    _room: Room,
}

/// After so many slices others have their turn.
const SLICES_AT_ONCE: usize = 8;

impl MessageBody for Slices {
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
        self.sent += 1;
        if self.sent.is_multiple_of(SLICES_AT_ONCE) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let length = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(self.rest.split_to(length))))
    }
}

/// A list of JSON values that is written piece by piece, as the client reads it.
pub(crate) struct JsonList<T> {
    /// What stands before the values, and after them.
    pub(crate) around: (&'static str, &'static str),
    pub(crate) values: VecDeque<T>,
}

/// Answers a list. A short one is sent with its length, a long one in chunks.
///
/// # Errors
/// `write` panicked.
pub(crate) async fn respond<T: Send + 'static>(
    mut response: HttpResponseBuilder,
    list: JsonList<T>,
    write: impl Fn(&T) -> String + Send + 'static,
) -> Result<HttpResponse, AdminError> {
    response.content_type("application/json");
    let (around, is_empty) = (list.around, list.values.is_empty());
    let writer = Writer { list, write, is_first: true };
    if is_empty {
        return Ok(response.body([around.0, around.1].concat()));
    }
    let (first, rest) = writer.next_piece().await?;
    let Some(rest) = rest else { return Ok(response.body(first)) };
    let pieces = stream::unfold((Some(first), Some(rest)), async |(ready, rest)| {
        if let Some(ready) = ready {
            return Some((Ok(ready), (None, rest)));
        }
        match rest?.next_piece().await {
            Ok((piece, rest)) => Some((Ok(piece), (None, rest))),
            // The client sees that the answer breaks off.
            Err(error) => Some((Err(error), (None, None))),
        }
    });
    Ok(response.streaming(pieces))
}

/// From this length on a piece is sent.
const PIECE: usize = 64 << 10;

struct Writer<T, F> {
    list: JsonList<T>,
    write: F,
    is_first: bool,
}

impl<T: Send + 'static, F: Fn(&T) -> String + Send + 'static> Writer<T, F> {
    /// Writes the next piece, and returns the writer of the rest if that was not the last one.
    async fn next_piece(self) -> Result<(Bytes, Option<Self>), AdminError> {
        run(move || self.write_piece()).await
    }

    fn write_piece(mut self) -> (Bytes, Option<Self>) {
        let mut piece = String::with_capacity(PIECE / 4);
        while piece.len() < PIECE {
            let Some(value) = self.list.values.pop_front() else { break };
            piece.push_str(if self.is_first { self.list.around.0 } else { "," });
            piece.push_str(&(self.write)(&value));
            self.is_first = false;
        }
        if self.list.values.is_empty() {
            piece.push_str(self.list.around.1);
            return (piece.into(), None);
        }
        (piece.into(), Some(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::to_bytes;

    fn list(count: usize) -> JsonList<usize> {
        JsonList { around: ("[", "]"), values: (0..count).collect() }
    }

    async fn written(count: usize) -> (BodySize, String) {
        let write = |value: &usize| format!("\"{value}{}\"", "x".repeat(1_000));
        let response = respond(HttpResponse::Ok(), list(count), write).await.unwrap();
        let size = response.body().size();
        let body = to_bytes(response.into_body()).await.unwrap();
        (size, String::from_utf8(body.to_vec()).unwrap())
    }

    #[actix_web::test]
    async fn a_list_is_the_same_in_one_piece_and_in_many() {
        assert_eq!(written(0).await, (BodySize::Sized(2), "[]".to_owned()));
        let (size, body) = written(3).await;
        assert_eq!((size, body.len()), (BodySize::Sized(3_013), 3_013));
        for count in [65, 66, 1_000] {
            let (size, body) = written(count).await;
            let values: Vec<String> = serde_json::from_str(&body).unwrap();
            assert_eq!(values.len(), count);
            assert!(values[count - 1].starts_with(&format!("{}x", count - 1)));
            assert_eq!(size == BodySize::Stream, count > 66, "{count} {size:?}");
        }
    }

    #[test]
    fn half_of_the_workers_can_answer_long_calls() {
        let calls = [1, 2, 3, 4, 16].map(calls_at_a_time);
        assert_eq!(calls, [1, 1, 1, 2, 8]);
    }

    #[actix_web::test]
    async fn a_large_answer_keeps_the_room_that_it_needs_until_its_body_is_gone() {
        let small = answer(50 << 20, || "x", |text| text.len()).await.unwrap();
        assert_eq!(ROOM.available_permits(), MOST_ROOM as usize);
        let (text, room) = answer(50 << 20, || "x".repeat(3 << 20), String::len).await.unwrap();
        let response = send(HttpResponse::Ok().body(text), room);
        assert_eq!(ROOM.available_permits(), MOST_ROOM as usize - 3);
        assert_eq!(response.body().size(), BodySize::Sized(3 << 20));
        assert!(to_bytes(response.into_body()).await.unwrap().iter().all(|byte| *byte == b'x'));
        assert_eq!(ROOM.available_permits(), MOST_ROOM as usize);
        drop(small);
    }
}
