//! Reads a request's body to its end. A server that answers before it has read the body must close the connection.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use crate::server::memory;

/// How much of a body over the limit is read and discarded, so that the client sees the answer: 8 MiB.
const DISCARDED: usize = 8 << 20;
/// Most bytes of all bodies together that are being read or answered: 128 MiB.
const MAX_HELD: usize = 128 << 20;
/// Up to this size a body is not counted.
const FREE: usize = 16 << 10;

/// Why a refused client should try again.
pub(crate) const NO_ROOM: &str = "128 MiB of request bodies are being read; try again";

/// How long it takes until the connections of these bodies are gone, too.
const PAUSE: Duration = Duration::from_millis(200);
/// If there were as many bytes at a time, the memory is given back when there are none any more: 32 MiB.
const MANY: usize = 32 << 20;

/// Number of bytes of all bodies that are counted.
static HELD: AtomicUsize = AtomicUsize::new(0);
/// Whether it was over `MANY` since the memory was given back.
static WERE_MANY: AtomicBool = AtomicBool::new(false);

/// A body that was read to its end.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    Whole(Bytes),
    /// It was over the limit, and was discarded.
    TooLarge,
    /// There was no room for it among all the others, and it was discarded.
    NoRoom,
}

/// A body, and its share of the room for all bodies, which it gives back when it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) body: Body,
    _share: Share,
}

#[derive(Debug, Default)]
struct Share(usize);

impl Share {
    /// Takes room for a body of this size. Returns whether there is as much.
    fn take(&mut self, size: usize) -> bool {
        if size <= self.0.max(FREE) {
            return true;
        }
        // Room is taken in steps, so that a body of many small chunks rarely touches the counter.
        let more = size.next_multiple_of(64 << 10) - self.0;
        let taken = HELD.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
            held.checked_add(more).filter(|held| *held <= MAX_HELD)
        });
        let Ok(before) = taken else { return false };
        self.0 += more;
        if before + more > MANY {
            WERE_MANY.store(true, Ordering::Relaxed);
        }
        true
    }

    fn clear(&mut self) {
        let size = std::mem::take(&mut self.0);
        if size == 0 {
            return;
        }
        let left = HELD.fetch_sub(size, Ordering::Relaxed) - size;
        if left == 0 && WERE_MANY.swap(false, Ordering::Relaxed) {
            // Without a thread it is given back another time.
            let _ = thread::Builder::new().name("memory".to_owned()).spawn(|| {
                thread::sleep(PAUSE);
                memory::give_back();
            });
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Reads a body, of which so many bytes are taken. It fails if the client left or broke the framing.
pub(crate) async fn read(payload: &mut Payload, limit: usize) -> Result<Held, PayloadError> {
    let (mut size, mut bytes, mut share) = (0, BytesMut::new(), Share::default());
    let mut refused = None;
    while let Some(chunk) = payload.next().await.transpose()? {
        size += chunk.len();
        if size > limit + DISCARDED {
            break;
        }
        if size > limit {
            refused = Some(Body::TooLarge);
        } else if refused.is_none() && !share.take(size) {
            refused = Some(Body::NoRoom);
        }
        if refused.is_none() {
            bytes.extend_from_slice(&chunk);
        } else {
            bytes = BytesMut::new();
            share.clear();
        }
    }
    let body = refused.unwrap_or_else(|| Body::Whole(bytes.freeze()));
    Ok(Held { body, _share: share })
}
