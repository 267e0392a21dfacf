//! When an answer ends: a service around the application, which tells the connection that an answer is encoded, and ends
//! event streams when the server stops.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use actix_http::{Payload, Request, Response};
use actix_server::GracefulShutdownSignal;
use actix_service::{Service, ServiceFactory, apply_fn_factory};
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::{Method, header};
use bytes::Bytes;

use crate::journal::entry::Entry;
use crate::server::wire::shaped::Control;

/// Tells a connection that the answer to a request is encoded.
#[derive(Clone, Default)]
pub(super) struct Answered(Rc<State>);

#[derive(Default)]
struct State {
    is_answered: Cell<bool>,
    /// The task of the connection, if it waits.
    waker: Cell<Option<Waker>>,
    /// The journal entry of the exchange under way.
    entry: RefCell<Option<Arc<Entry>>>,
}

impl Answered {
    pub(super) fn set(&self) {
        self.0.is_answered.set(true);
        self.wake();
    }

    /// Lets the end of this exchange be written to its journal entry.
    pub(super) fn follow(&self, entry: Arc<Entry>) {
        self.0.entry.replace(Some(entry));
    }

    /// The entry of the exchange under way, for whoever ends it.
    pub(super) fn take_entry(&self) -> Option<Arc<Entry>> {
        self.0.entry.take()
    }

    /// Whether it happened since the last call.
    pub(super) fn take(&self) -> bool {
        self.0.is_answered.take()
    }

    /// Wakes the task when it happens.
    pub(super) fn wait(&self, context: &Context<'_>) {
        self.0.waker.set(Some(context.waker().clone()));
    }

    /// Wakes the task that waits.
    pub(super) fn wake(&self) {
        if let Some(waker) = self.0.waker.take() {
            waker.wake();
        }
    }
}

/// One request. It is dropped when its answer is encoded, or with its connection.
struct Exchange {
    answered: Answered,
    /// Whether all of its answer is encoded.
    is_whole: bool,
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // A fault that ends the connection has taken the entry.
        if let Some(entry) = self.answered.take_entry() {
            entry.end(!self.is_whole);
        }
        self.answered.set();
    }
}

/// The body of an answer.
pub(crate) struct Answer<B> {
    body: B,
    /// Resolves when the server stops. Only an event stream has it: it does not end by itself.
    stopping: Option<Pin<Box<dyn Future<Output = ()>>>>,
    /// Whether the method is HEAD. A stream would never end, though nothing of it is sent.
    is_head: bool,
    exchange: Exchange,
}

impl<B: MessageBody + Unpin> MessageBody for Answer<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let is_head = self.is_head;
        let stopping = self.stopping.as_mut();
        let next = if is_head || stopping.is_some_and(|stopping| stopping.as_mut().poll(context).is_ready()) {
            Poll::Ready(None)
        } else {
            Pin::new(&mut self.body).poll_next(context)
        };
        self.exchange.is_whole = matches!(next, Poll::Ready(None));
        next
    }
}

/// The application, with the end of each answer observed.
pub(crate) fn observe<Factory>(
    application: Factory,
    stopping: GracefulShutdownSignal,
) -> impl ServiceFactory<
    Request,
    Config = (),
    Response = Response<Answer<BoxBody>>,
    Error = Factory::Error,
    InitError = Factory::InitError,
>
where
    Factory: ServiceFactory<Request, Config = ()>,
    Factory::Response: Into<Response<BoxBody>>,
    Factory::Error: Into<Response<BoxBody>>,
{
    apply_fn_factory(application, move |mut request: Request, service: &Factory::Service| {
        let answered = request.conn_data::<Control>().cloned().unwrap_or_default().answered;
        let mut exchange = Exchange { answered, is_whole: false };
        if request.method() == Method::CONNECT {
            // All that follows would be its body.
            let _: Payload = request.take_payload();
        }
        let is_head = request.method() == Method::HEAD;
        let answering = service.call(request);
        let stopping = stopping.clone();
        async move {
            let response: Response<BoxBody> = match answering.await {
                Ok(response) => response.into(),
                Err(error) => error.into(),
            };
            let kind = response.headers().get(header::CONTENT_TYPE);
            let has_no_end = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
            Ok(response.map_body(|_, body| {
                // Such a body is not polled.
                exchange.is_whole = matches!(body.size(), BodySize::None | BodySize::Sized(0));
                let stopping = has_no_end.then(|| -> Pin<Box<dyn Future<Output = ()>>> {
                    Box::pin(async move { stopping.notified().await })
                });
                Answer { body, stopping, is_head, exchange }
            }))
        }
    })
}
