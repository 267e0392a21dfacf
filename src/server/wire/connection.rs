//! What stands between actix and a socket: it passes on one request at a time, and ends a connection that does not move.
//!
//! actix decodes all requests that it can read. If an answer is delayed or not read, those that were sent ahead fill its
//! buffer: then it polls without a pause, and in the end forgets the rest. It also encodes each answer by the method and
//! the version of the request that was decoded last. So the next request is passed on once the answer is encoded.

use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::server::wire::answer::Answered;
use crate::server::wire::framing::Framing;

/// Room for one read.
const READ: usize = 16 << 10;
/// How much actix gets at a time. It reads all that there is before it looks at it.
const PORTION: usize = 32 << 10;
/// How much is read ahead of an answer. It is read to notice that the client leaves.
const MAX_AHEAD: usize = 128 << 10;

thread_local! {
    /// A buffer for connections that have nothing to keep. An idle connection holds none.
    static SPARE: RefCell<BytesMut> = RefCell::new(BytesMut::new());
}

/// A stream under actix.
pub(super) struct Connection<S> {
    stream: S,
    answered: Answered,
    framing: Framing,
    /// What was read and not passed on.
    ahead: BytesMut,
    /// How many of these bytes can be passed on.
    passable: usize,
    /// How many bytes actix has got since it was last told to wait.
    portion: usize,
    /// Whether the client sends nothing more.
    is_ended: bool,
    /// Whether actix has had no chance to answer the request yet, of which it has just got the last byte.
    is_fresh: bool,
    /// Whether the client takes no more bytes of an answer.
    is_blocked: bool,
    /// Ends the connection if the client sends nothing more of a request that has begun.
    reading: Stall,
    /// Ends it if the client takes nothing more of an answer.
    writing: Stall,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// `stall` is how long a request or an answer may stand still.
    pub(super) fn new(stream: S, answered: Answered, stall: Duration) -> Self {
        Self {
            stream,
            answered,
            framing: Framing::default(),
            ahead: BytesMut::new(),
            passable: 0,
            portion: 0,
            is_ended: false,
            is_fresh: false,
            is_blocked: false,
            reading: Stall::new(stall),
            writing: Stall::new(stall),
        }
    }

    pub(super) fn into_stream(self) -> S {
        self.stream
    }

    /// Reads more into the buffer. It is the end of the input if nothing comes.
    fn poll_more(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            self.ahead = SPARE.take();
        }
        self.ahead.reserve(READ);
        // This future keeps nothing between two polls.
        let read = pin!(self.stream.read_buf(&mut self.ahead)).poll(context);
        self.give_back();
        let read = ready!(read)?;
        self.is_ended = read == 0;
        self.reading.stop();
        Poll::Ready(Ok(()))
    }

    /// Gives an empty buffer back.
    fn give_back(&mut self) {
        if self.ahead.is_empty() {
            SPARE.set(std::mem::take(&mut self.ahead));
        }
    }

    /// While a request is answered: waits for that, and notices if the client leaves.
    fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let is_fresh = std::mem::take(&mut self.is_fresh);
        while !self.is_ended && self.ahead.len() < MAX_AHEAD && self.poll_more(context)?.is_ready() {}
        if self.is_ended && !is_fresh {
            return Poll::Ready(Ok(()));
        }
        if self.is_ended {
            context.waker().wake_by_ref();
        } else if !self.ahead.is_empty() {
            self.answered.wait(context);
        }
        Poll::Pending
    }

    /// Waits until there are bytes that can be passed on, or no more will come.
    fn poll_passable(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.passable == 0 {
            self.passable = self.framing.advance(&mut self.ahead);
            if self.passable == 0 && self.is_ended {
                self.passable = self.ahead.len();
                break;
            }
            if self.passable == 0 && self.poll_more(context)?.is_pending() {
                if !self.framing.is_before_request() {
                    ready!(self.reading.poll(context))?;
                }
                return Poll::Pending;
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.passable == 0 && this.framing.is_after_request() {
            this.portion = 0;
            if !this.answered.take() {
                return this.poll_answer(context);
            }
            this.framing.begin_next();
        }
        if this.is_blocked && this.framing.is_before_request() {
            this.answered.wait(context);
            return Poll::Pending;
        }
        if this.portion >= PORTION {
            this.portion = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        ready!(this.poll_passable(context))?;
        let length = this.passable.min(buffer.remaining());
        buffer.put_slice(&this.ahead[..length]);
        this.ahead.advance(length);
        this.passable -= length;
        this.portion += length;
        this.is_fresh = this.passable == 0 && this.framing.is_after_request();
        this.give_back();
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        if written.is_pending() {
            this.is_blocked = true;
            ready!(this.writing.poll(context))?;
        } else {
            this.writing.stop();
            if std::mem::take(&mut this.is_blocked) {
                this.answered.wake();
            }
        }
        written
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

/// A timer that runs while a connection waits for its client.
struct Stall {
    limit: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    is_running: bool,
}

impl Stall {
    fn new(limit: Duration) -> Self {
        Self { limit, timer: None, is_running: false }
    }

    /// Starts the timer unless it runs. It fails when the time is over.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let limit = self.limit;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(limit)));
        if !std::mem::replace(&mut self.is_running, true) {
            timer.set(sleep(limit));
        }
        timer.as_mut().poll(context).map(|()| Err(ErrorKind::TimedOut.into()))
    }

    fn stop(&mut self) {
        self.is_running = false;
    }
}
