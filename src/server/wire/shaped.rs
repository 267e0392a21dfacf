//! The stream under actix: plain TCP until a fault ends the connection.

use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::rt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::journal::entry::Entry;
use crate::server::wire::answer::Answered;
use crate::server::wire::connection::Connection;
use crate::server::wire::ending::Ending;

/// Lets the handler of a request, or the body of its response, end the connection.
#[derive(Clone, Default)]
pub(crate) struct Control {
    ending: Rc<Cell<Option<Ending>>>,
    pub(super) answered: Answered,
    /// Number of the connection, from 1 over the process.
    number: u64,
}

impl Control {
    /// Number of the connection, from 1 over the process.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// Lets the end of the exchange under way be written to its journal entry.
    pub(crate) fn follow(&self, entry: &Arc<Entry>) {
        self.answered.follow(Arc::clone(entry));
    }

    /// Ends the connection once everything that actix has encoded is written. Call this while actix polls the handler or
    /// the body, and stay pending: actix writes and flushes after that poll, never during it.
    pub(super) fn end(&self, ending: Ending) {
        self.ending.set(Some(ending));
    }
}

/// A TCP stream that can be taken away from actix.
pub(crate) struct Shaped {
    /// None once it is taken away; to actix, the connection is broken then.
    stream: Option<Connection<TcpStream>>,
    control: Control,
}

impl Shaped {
    /// Wraps a connected stream. `stall` is how long a request or an answer may stand still.
    pub(crate) fn new(stream: TcpStream, stall: Duration) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let control = Control { number: NUMBER.fetch_add(1, Ordering::Relaxed), ..Control::default() };
        let stream = Connection::new(stream, control.answered.clone(), stall);
        Self { stream: Some(stream), control }
    }

    /// The control of this connection, for its requests.
    pub(crate) fn control(&self) -> Control {
        self.control.clone()
    }

    fn stream(&mut self) -> io::Result<Pin<&mut Connection<TcpStream>>> {
        self.stream.as_mut().map(Pin::new).ok_or(ErrorKind::ConnectionAborted.into())
    }
}

impl AsyncRead for Shaped {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.get_mut().stream()?.poll_read(context, buffer)
    }
}

impl AsyncWrite for Shaped {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().stream()?.poll_write(context, bytes)
    }

    /// Actix flushes only when the stream has taken every byte of its buffer, so earlier responses are written and the
    /// ending can begin.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(ending) = this.control.ending.take()
            && let Some(stream) = this.stream.take()
        {
            let entry = this.control.answered.take_entry();
            rt::spawn(ending.perform(stream.into_stream(), entry));
        }
        this.stream()?.poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().stream()?.poll_shutdown(context)
    }
}
