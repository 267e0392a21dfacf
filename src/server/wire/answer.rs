//! When an answer ends: a service around the application, which tells the connection that an answer is encoded, and ends
//! event streams when the server stops.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use actix_http::{Payload, Request, Response};
use actix_server::GracefulShutdownSignal;
use actix_service::{Service, ServiceFactory, apply_fn_factory};
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::{Method, header};
use bytes::Bytes;

use crate::server::wire::shaped::Control;

/// Tells a connection that the answer to a request is encoded.
#[derive(Clone, Default)]
pub(super) struct Answered(Rc<State>);

#[derive(Default)]
struct State {
    is_answered: Cell<bool>,
    /// The task of the connection, if it waits.
    waker: Cell<Option<Waker>>,
}

impl Answered {
    pub(super) fn set(&self) {
        self.0.is_answered.set(true);
        self.wake();
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
struct Exchange(Answered);

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// The body of an answer.
pub(crate) struct Answer<B> {
    body: B,
    /// Resolves when the server stops. Only an event stream has it: it does not end by itself.
    stopping: Option<Pin<Box<dyn Future<Output = ()>>>>,
    /// Whether the method is HEAD. A stream would never end, though nothing of it is sent.
    is_head: bool,
    _exchange: Exchange,
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
        if is_head || stopping.is_some_and(|stopping| stopping.as_mut().poll(context).is_ready()) {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_next(context)
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
        let exchange = Exchange(request.conn_data::<Control>().cloned().unwrap_or_default().answered);
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
                let stopping = has_no_end.then(|| -> Pin<Box<dyn Future<Output = ()>>> {
                    Box::pin(async move { stopping.notified().await })
                });
                Answer { body, stopping, is_head, _exchange: exchange }
            }))
        }
    })
}
