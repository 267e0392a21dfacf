//! The stream under actix: plain TCP until a fault ends the connection.

use std::cell::Cell;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::rt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::server::wire::ending::Ending;

/// Lets the handler of a request, or the body of its response, end the connection.
#[derive(Clone, Default)]
pub(crate) struct Control(Rc<Cell<Option<Ending>>>);

impl Control {
    /// Ends the connection once everything that actix has encoded is written. Call this while actix polls the handler or
    /// the body, and stay pending: actix writes and flushes after that poll, never during it.
    pub(super) fn end(&self, ending: Ending) {
        self.0.set(Some(ending));
    }
}

/// A TCP stream that can be taken away from actix.
pub(crate) struct Shaped {
    /// None once it is taken away; to actix, the connection is broken then.
    stream: Option<TcpStream>,
    control: Control,
}

impl Shaped {
    /// Wraps a connected stream.
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self { stream: Some(stream), control: Control::default() }
    }

    /// The control of this connection, for its requests.
    pub(crate) fn control(&self) -> Control {
        self.control.clone()
    }

    fn stream(&mut self) -> io::Result<Pin<&mut TcpStream>> {
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
        if let Some(ending) = this.control.0.take()
            && let Some(stream) = this.stream.take()
        {
            rt::spawn(ending.perform(stream));
        }
        this.stream()?.poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().stream()?.poll_shutdown(context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().stream()?.poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }
}
