//! Middleware for the admin side, the metrics, the documents and the page: everything but the simulated API.

use std::panic::AssertUnwindSafe;

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{Method, StatusCode, header};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse, ResponseError, web};
use bytes::Bytes;
use futures_util::FutureExt;

use crate::api::call::BODY_LIMIT;
use crate::clock;
use crate::server::admin::error::AdminError;
use crate::server::admin::snapshot;
use crate::server::body;
use crate::server::log::Line;
use crate::server::state::State;

/// The body of a request, for the extractors of `admin::extract`. None if it was over the limit.
#[derive(Clone)]
pub(crate) struct Received(pub(crate) Option<Bytes>);

/// Reads the body, answers HEAD like GET, answers a panic with 500 and a method that is not allowed with a JSON error,
/// and writes the request's log line.
pub(crate) async fn surround(
    state: web::Data<State>,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let limit = snapshot::body_limit(request.path()).unwrap_or(BODY_LIMIT);
    let Ok(held) = body::read(&mut request.take_payload(), limit).await else {
        return Ok(request.into_response(HttpResponse::BadRequest().finish()));
    };
    let body = match held.body {
        body::Body::Whole(bytes) => Some(bytes),
        body::Body::TooLarge => None,
        body::Body::NoRoom => {
            return Err(AdminError::new(StatusCode::SERVICE_UNAVAILABLE, body::NO_ROOM).into());
        }
    };
    request.extensions_mut().insert(Received(body));
    let (began, method, path) = (clock::real_now(), request.method().clone(), request.path().to_owned());
    if method == Method::HEAD {
        // The connection sends no body in answer to HEAD.
        request.head_mut().method = Method::GET;
    }
    let answered = AssertUnwindSafe(next.call(request)).catch_unwind().await;
    let answered = answered.unwrap_or_else(|_| Err(AdminError::internal().into()));
    let answered = answered.map(|response| explain_method(&method, response));
    if let Some(log) = state.request_log() {
        let status = match &answered {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        };
        log.request(&Line {
            method: method.as_str(),
            path: &state.registry.shared.secrets.mask(&path),
            status: Some(status.as_u16()),
            detail: None,
            fault: None,
            duration: began.elapsed(),
        });
    }
    answered
}

/// Gives actix's answer to a method that is not allowed a body.
fn explain_method(method: &Method, response: ServiceResponse) -> ServiceResponse {
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        return response;
    }
    let allowed = response.headers().get(header::ALLOW).cloned();
    let names = allowed.as_ref().and_then(|value| value.to_str().ok()).unwrap_or_default();
    let message = format!("{method} is not allowed here; {names} is.");
    let mut explained = AdminError::new(StatusCode::METHOD_NOT_ALLOWED, message).error_response();
    if let Some(allowed) = allowed {
        explained.headers_mut().insert(header::ALLOW, allowed);
    }
    response.into_response(explained)
}
