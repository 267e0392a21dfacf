//! From actix's request to a call, and from a reply to actix's response. The body is always read to its end: a server
//! that answers without reading makes the connection close.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use actix_http::body::BoxBody;
use actix_http::error::PayloadError;
use actix_http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_http::{Method, Payload, Request, Response, StatusCode, Uri};
use bytes::{Bytes, BytesMut};
use tokio_stream::StreamExt;

use crate::api::call::{BODY_LIMIT, Body, Call};
use crate::api::cors;
use crate::api::error::{ApiError, Code};
use crate::api::reply::Reply;
use crate::clock;
use crate::pipeline;
use crate::pipeline::record::{Handled, Outcome};
use crate::server::admin::{self, stream};
use crate::server::docs;
use crate::server::guard;
use crate::server::log::Line;
use crate::server::page;
use crate::server::state::State;
use crate::server::wire;
use crate::world::World;
use crate::world::snapshot::Snapshot;

/// How much of a body over the limit is read and thrown away, so that the client sees the answer: 8 MiB.
const DISCARDED: usize = 8 << 20;

/// Answers a request, whatever it asks for.
pub async fn handle(mut request: Request, state: &Arc<State>) -> Response<BoxBody> {
    let mut payload = request.take_payload();
    // Where the client left, or broke the framing, there is nobody to answer.
    let Ok(body) = read(&mut payload).await else { return Response::new(StatusCode::BAD_REQUEST) };
    if let Some(world) = watched(&request, state) {
        return stream::response(&world);
    }
    let began = clock::real_now();
    let Outcome { reply, send_plan: sending, handled: call } = answer(&request, body, state).await;
    if let Some(log) = &state.log {
        let detail = reply.headers.iter().find(|(name, _)| name == "x-standin-detail");
        log.request(&Line {
            method: request.method().as_str(),
            path: request.uri().path(),
            status: sending.answers().then_some(reply.status),
            detail: detail.map(|(_, value)| value.as_ref()),
            fault: call.as_ref().and_then(Handled::fault),
            duration: began.elapsed(),
        });
    }
    let status = sending.answers().then_some(reply.status);
    let Some(call) = call else { return response(reply) };
    if status.is_none() {
        // What follows is dropped with the connection.
        state.metrics.count(&call, status, began.elapsed());
    }
    let response = wire::perform(&request, sending, response(reply)).await;
    let took = began.elapsed();
    state.metrics.count(&call, status, took);
    if let Some(entry) = call.entry {
        entry.done(took);
    }
    response
}

/// The world that a call asks to watch, if it may.
fn watched(request: &Request, state: &State) -> Option<Arc<World>> {
    let path = admin::path(request.uri().path())
        .filter(|path| path.ends_with("/stream") && path.split('/').count() == 4)?;
    let call = call((request.method(), request.uri(), request.head().headers()), None);
    let allowed = request.method() == "GET" && guard::refusal(state, &call).is_none();
    admin::world(state, path).filter(|_| allowed)
}

async fn answer(request: &Request, body: Option<Bytes>, state: &Arc<State>) -> Outcome {
    let (method, uri, sent) = (request.method(), request.uri(), request.head().headers());
    let call = call((method, uri, sent), body.as_deref());
    if call.path == "/metrics" {
        return guarded(|| admin::metrics(state, &call).into());
    }
    if let Some(path) = admin::path(call.path) {
        if admin::reads_files(path, call.method) {
            let head = (method.clone(), uri.clone(), sent.clone());
            return off_thread(head, body, Arc::clone(state)).await;
        }
        if let Some(reply) = admin::moved(state, path, &call).await {
            return reply.into();
        }
        if let Some(snapshot) = admin::world(state, path).map(|world| world.snapshot())
            && snapshot.ready().is_none()
        {
            build(snapshot).await;
        }
        return guarded(|| admin::answer(state, path, &call).into());
    }
    if let Some(reply) = docs::answer(state, &call) {
        return reply.into();
    }
    if call.path == "/" && call.method == "GET" {
        return page::links(state, &call).into();
    }
    let received = match pipeline::receive::receive(&state.registry, call) {
        Ok(received) => received,
        Err(reply) => return reply.into(),
    };
    if received.snapshot.ready().is_none() {
        build(Arc::clone(&received.snapshot)).await;
    }
    guarded(|| pipeline::answer(&received, received.snapshot.dataset()))
}

fn call<'a>((method, uri, sent): (&'a Method, &'a Uri, &'a HeaderMap), body: Option<&'a [u8]>) -> Call<'a> {
    let mut headers = Vec::with_capacity(sent.len_keys());
    headers.extend(sent.iter().map(|(name, value)| (name.as_str(), value.as_bytes())));
    Call {
        method: method.as_str(),
        path: uri.path(),
        query: uri.query().unwrap_or_default(),
        headers,
        body: body.map_or(Body::TooLarge, Body::Whole),
    }
}

/// Answers a call of the admin side off the request threads.
async fn off_thread(head: (Method, Uri, HeaderMap), body: Option<Bytes>, state: Arc<State>) -> Outcome {
    let answered = tokio::task::spawn_blocking(move || {
        let call = call((&head.0, &head.1, &head.2), body.as_deref());
        guarded(|| admin::answer(&state, admin::path(call.path).unwrap_or_default(), &call).into())
    });
    answered.await.unwrap_or_else(|_| failed().into())
}

/// Builds the dataset off the request threads. If that fails, the call's own thread finds out.
async fn build(snapshot: Arc<Snapshot>) {
    let _ = tokio::task::spawn_blocking(move || {
        snapshot.dataset();
    })
    .await;
}

/// A bug costs one request: a panic is answered with 500.
fn guarded(answer: impl FnOnce() -> Outcome) -> Outcome {
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| failed().into())
}

fn failed() -> Reply {
    Reply::json(Code::Internal.row().status, ApiError::new(Code::Internal, "").body())
}

/// The body, or none where it is over the limit.
async fn read(payload: &mut Payload) -> Result<Option<Bytes>, PayloadError> {
    let Some(first) = payload.next().await.transpose()? else { return Ok(Some(Bytes::new())) };
    let mut read = first.len();
    let mut whole = BytesMut::new();
    let mut only = Some(first);
    while let Some(chunk) = payload.next().await.transpose()? {
        read += chunk.len();
        if read > BODY_LIMIT {
            (only, whole) = (None, BytesMut::new());
            if read > BODY_LIMIT + DISCARDED {
                return Ok(None);
            }
            continue;
        }
        if let Some(first) = only.take() {
            whole.extend_from_slice(&first);
        }
        whole.extend_from_slice(&chunk);
    }
    if read > BODY_LIMIT {
        return Ok(None);
    }
    Ok(Some(only.unwrap_or_else(|| whole.freeze())))
}

fn response(reply: Reply) -> Response<BoxBody> {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = Response::with_body(status, BoxBody::new(reply.body));
    for (name, value) in reply.headers {
        if let (Some(name), Some(value)) = (header_name(&name), header_value(&value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// Names and values that every answer has are made once, not checked and hashed for each.
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const ANY: HeaderValue = HeaderValue::from_static("*");
const EXPOSED: HeaderValue = HeaderValue::from_static(cors::EXPOSED);

fn header_name(name: &str) -> Option<HeaderName> {
    Some(match name {
        "content-type" => header::CONTENT_TYPE,
        "access-control-allow-origin" => header::ACCESS_CONTROL_ALLOW_ORIGIN,
        "access-control-expose-headers" => header::ACCESS_CONTROL_EXPOSE_HEADERS,
        other => HeaderName::try_from(other).ok()?,
    })
}

fn header_value(value: &str) -> Option<HeaderValue> {
    Some(match value {
        "application/json" => JSON,
        "*" => ANY,
        cors::EXPOSED => EXPOSED,
        other => HeaderValue::try_from(other).ok()?,
    })
}
