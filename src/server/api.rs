//! The simulated API: the application's default service. It takes the raw request, since the checks of the API have an
//! order that typed extractors would not keep, walks the pipeline, and sends the reply as the faults decided.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use bytes::Bytes;

use crate::api::call::{BODY_LIMIT, Body, Call, OwnedCall, decode_unreserved};
use crate::api::error::{ApiError, Code};
use crate::api::reply::Reply;
use crate::clock;
use crate::journal::entry::Entry;
use crate::pipeline;
use crate::pipeline::receive::{Received, receive};
use crate::pipeline::record::{Handled, Outcome};
use crate::server::log::Line;
use crate::server::long::{self, Room};
use crate::server::state::State;
use crate::server::wire::shaped::Control;
use crate::server::{body, wire};
use crate::world::snapshot::Snapshot;

/// Answers a request of the simulated API.
pub(crate) async fn answer(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> HttpResponse {
    // If the client left or broke the framing, nobody reads this answer.
    let Ok(held) = body::read(&mut payload.into_inner(), BODY_LIMIT).await else {
        return HttpResponse::BadRequest().finish();
    };
    let began = clock::real_now();
    let body = match &held.body {
        body::Body::Whole(bytes) => Body::Whole(bytes),
        body::Body::TooLarge => Body::TooLarge,
        body::Body::NoRoom => return response(no_room()),
    };
    let path = decode_unreserved(request.uri().path());
    let (outcome, room) = respond(&state, || call(&request, &path, body)).await;
    let Outcome { reply, send_plan, handled } = outcome;
    // The answer may be delayed.
    drop(held);
    let mut exchange = Exchange::new(&state, &request, began, &reply, handled);
    if let (Some(control), Some(entry)) = (request.conn_data::<Control>(), exchange.entry()) {
        control.follow(entry);
    }
    let response = wire::perform(&request, send_plan, response(reply)).await;
    let response = long::send(response, room);
    exchange.is_answered = true;
    response
}

/// Answers a call of the journal once more, without sending the answer to anybody. It is counted and recorded.
pub(crate) async fn resend(state: &State, call: &OwnedCall) -> (Reply, Option<Handled>) {
    let began = clock::real_now();
    let (outcome, _room) = respond(state, || call.call()).await;
    if let Some(handled) = &outcome.handled {
        let status = outcome.send_plan.answers().then_some(outcome.reply.status);
        state.metrics.count(handled, status, began.elapsed());
        if let Some(entry) = &handled.entry {
            entry.set_duration(began.elapsed());
            entry.end(false);
        }
    }
    (outcome.reply, outcome.handled)
}

/// Walks the pipeline, for a call that may take long on another thread.
async fn respond<'a>(state: &State, call: impl Fn() -> Call<'a>) -> (Outcome, Room) {
    let received = match receive(&state.registry, call()) {
        Ok(received) => received,
        Err(reply) => return (reply.into(), None),
    };
    build_dataset(&received.snapshot).await;
    prepare_additions(&received).await;
    let Some(expected) = received.expected_if_long() else { return (walk(&received), None) };
    drop(received);
    let (owned, registry) = (OwnedCall::new(&call()), Arc::clone(&state.registry));
    let work = move || match receive(&registry, owned.call()) {
        Ok(received) => walk(&received),
        Err(reply) => reply.into(),
    };
    let answered = long::answer(expected, work, |outcome: &Outcome| outcome.reply.body.len());
    answered.await.unwrap_or_else(|| (internal(), None))
}

fn walk(received: &Received<'_>) -> Outcome {
    // A bug costs one request.
    let answer = || pipeline::answer(received, received.snapshot.dataset());
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| internal())
}

fn internal() -> Outcome {
    Reply::json(Code::Internal.row().status, ApiError::new(Code::Internal, "").body()).into()
}

/// Merges the records that were added to the world with a dataset that has changed, off the request threads.
async fn prepare_additions(received: &Received<'_>) {
    let (run, snapshot) = (&received.run, &received.snapshot);
    if snapshot.ready().is_some_and(|dataset| run.added.is_stale(dataset)) {
        let (run, snapshot) = (Arc::clone(run), Arc::clone(snapshot));
        let _ = web::block(move || drop(run.added.read(snapshot.dataset()))).await;
    }
}

/// Builds the dataset of a snapshot off the request threads, unless it has been built. If that fails, whoever asks for
/// the dataset finds out.
pub(crate) async fn build_dataset(snapshot: &Arc<Snapshot>) {
    if snapshot.ready().is_none() {
        let snapshot = Arc::clone(snapshot);
        let _ = web::block(move || {
            snapshot.dataset();
        })
        .await;
    }
}

/// The answer where there is no room for the body.
fn no_room() -> Reply {
    let body = serde_json::json!({ "code": 503, "message": "Service unavailable" });
    Reply::json(503, body.to_string()).with("retry-after", "1").with("x-standin-detail", body::NO_ROOM)
}

fn call<'a>(request: &'a HttpRequest, path: &'a str, body: Body<'a>) -> Call<'a> {
    let mut headers = Vec::with_capacity(request.headers().len());
    headers.extend(request.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes())));
    Call {
        method: request.method().as_str(),
        path,
        query: request.uri().query().unwrap_or_default(),
        headers,
        body,
        connection: request.conn_data::<Control>().map_or(0, Control::number),
    }
}

fn response(reply: Reply) -> HttpResponse {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::with_body(status, reply.body).map_into_boxed_body();
    for (name, value) in reply.headers {
        if let (Ok(name), Ok(value)) =
            (HeaderName::try_from(&*name), HeaderValue::from_maybe_shared(shared(value)))
        {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// The bytes of a text, not copied.
fn shared(text: Cow<'static, str>) -> Bytes {
    match text {
        Cow::Borrowed(text) => Bytes::from_static(text.as_bytes()),
        Cow::Owned(text) => Bytes::from(text),
    }
}

/// A request whose reply is decided. It is dropped when the reply has been handed over to be sent, when the client has
/// left, or when a fault has ended the connection. Then it is logged and counted, and its journal entry gets its duration.
struct Exchange<'a> {
    state: &'a State,
    request: &'a HttpRequest,
    began: Instant,
    status: u16,
    /// Why the request was refused; only for the log.
    detail: Option<Cow<'static, str>>,
    /// None where the request is for a world that does not exist, or a preflight.
    handled: Option<Handled>,
    /// Whether the client gets the reply.
    is_answered: bool,
}

impl<'a> Exchange<'a> {
    fn new(
        state: &'a State,
        request: &'a HttpRequest,
        began: Instant,
        reply: &Reply,
        handled: Option<Handled>,
    ) -> Self {
        let detail = state
            .request_log()
            .and_then(|_| reply.headers.iter().find(|(name, _)| name == "x-standin-detail"));
        let detail = detail.map(|(_, value)| value.clone());
        Self { state, request, began, status: reply.status, detail, handled, is_answered: false }
    }

    /// Its entry in the journal.
    fn entry(&self) -> Option<&Arc<Entry>> {
        self.handled.as_ref()?.entry.as_ref()
    }
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        let took = self.began.elapsed();
        let status = self.is_answered.then_some(self.status);
        if let Some(log) = self.state.request_log() {
            let secrets = &self.state.registry.shared.secrets;
            log.request(&Line {
                method: self.request.method().as_str(),
                path: &secrets.mask(self.request.uri().path()),
                status,
                detail: self.detail.as_deref().map(|detail| secrets.mask(detail)).as_deref(),
                fault: self.handled.as_ref().and_then(Handled::fault),
                duration: took,
            });
        }
        if let Some(handled) = &self.handled {
            self.state.metrics.count(handled, status, took);
            if let Some(entry) = &handled.entry {
                entry.set_duration(took);
            }
        }
    }
}
