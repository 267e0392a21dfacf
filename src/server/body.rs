//! Reads a request's body to its end. A server that answers before it has read the body must close the connection.

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use crate::api::call::BODY_LIMIT;

/// How much of a body over the limit is read and discarded, so that the client sees the answer: 8 MiB.
const DISCARDED: usize = 8 << 20;

/// The body, or none if it is over the limit. It fails if the client left or broke the framing.
pub(crate) async fn read(payload: &mut Payload) -> Result<Option<Bytes>, PayloadError> {
    let (mut size, mut body) = (0, BytesMut::new());
    while let Some(chunk) = payload.next().await.transpose()? {
        size += chunk.len();
        if size <= BODY_LIMIT {
            body.extend_from_slice(&chunk);
        } else if size <= BODY_LIMIT + DISCARDED {
            body = BytesMut::new();
        } else {
            break;
        }
    }
    Ok((size <= BODY_LIMIT).then(|| body.freeze()))
}
