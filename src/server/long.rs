//! Work that takes long, such as an answer of many megabytes. It is done on other threads, so that no other request waits for
//! it, and little of it at a time, so that its memory is bounded, too.

use std::collections::VecDeque;
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

/// A permit for each large answer of the simulated API: while it is made, and until it is sent.
static LARGE_ANSWERS: Semaphore = Semaphore::const_new(2);

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

/// The permit for a large answer.
pub(crate) type LargeAnswer = Option<SemaphorePermit<'static>>;

/// Makes a large answer on another thread when there is a permit for it.
pub(crate) async fn answer<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<(T, LargeAnswer)> {
    // The semaphore is never closed.
    let permit = LARGE_ANSWERS.acquire().await.ok();
    web::block(move || (work(), permit)).await.ok()
}

/// Keeps the permit of a large answer until it is sent or given up.
pub(crate) fn hold(response: HttpResponse, permit: LargeAnswer) -> HttpResponse {
    if permit.is_none() {
        return response;
    }
    response.map_body(|_, body| BoxBody::new(Held { body, _permit: permit }))
}

struct Held {
    body: BoxBody,
    _permit: LargeAnswer,
}

impl MessageBody for Held {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(context)
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

    #[actix_web::test]
    async fn a_large_answer_keeps_its_permit_until_its_body_is_gone() {
        let before = LARGE_ANSWERS.available_permits();
        let (text, permit) = answer(|| "x").await.unwrap();
        let response = hold(HttpResponse::Ok().body(text), permit);
        assert_eq!(LARGE_ANSWERS.available_permits(), before - 1);
        drop(response);
        assert_eq!(LARGE_ANSWERS.available_permits(), before);
    }
}
