//! Who may use the admin side: no page of another site, no host name but a loopback one, and where there is an admin
//! token, only who sends it.

use std::borrow::Cow;

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, AsHeaderName, HeaderMap};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, web};
use subtle::ConstantTimeEq;

use crate::api::origin::is_loopback_host;
use crate::server::admin::error::AdminError;
use crate::server::state::State;
use crate::webhook::due::USER_AGENT;

/// Middleware that refuses requests which may not use the admin side.
pub(crate) async fn check(
    state: web::Data<State>,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let is_health = request.method() == Method::GET && request.path() == "/__admin/health";
    if is_health && !state.admin {
        // A balancer or a container asks. It learns the status and the version, as without the token.
        return next.call(request).await;
    }
    check_origin(&state, request.headers())?;
    // Health answers without the token, too, in short.
    if !is_health && !has_token(&state, request.headers()) {
        let message = "Send the admin token: Authorization: Bearer …";
        return Err(AdminError::new(StatusCode::UNAUTHORIZED, message).into());
    }
    next.call(request).await
}

/// Refuses what may not have the console's files, which is what may not use the admin side. But a browser that opens the page
/// gets it, whatever page its link stands in. A frame does not, and its content policy forbids frames, too.
///
/// # Errors
/// The request is refused.
pub(crate) fn check_page(state: &State, headers: &HeaderMap) -> Result<(), AdminError> {
    let is_opened = text(headers, "sec-fetch-mode").is_some_and(|mode| mode == "navigate")
        && text(headers, "sec-fetch-dest").is_none_or(|dest| dest == "document");
    check_enabled(state)?;
    if is_opened { check_host(state, headers) } else { check_origin(state, headers) }
}

fn check_enabled(state: &State) -> Result<(), AdminError> {
    if state.admin {
        return Ok(());
    }
    let message = "The admin side is off: it needs --admin-token on any address but a loopback one.";
    Err(AdminError::new(StatusCode::NOT_FOUND, message))
}

/// Without a token, refuses any host name but a loopback one, which another site could have pointed at this machine.
fn check_host(state: &State, headers: &HeaderMap) -> Result<(), AdminError> {
    let host = text(headers, header::HOST).unwrap_or_default();
    if state.admin_token.is_some() || is_loopback_host(&host) {
        return Ok(());
    }
    let message = format!("Host is {host}: without --admin-token the admin side answers to localhost alone.");
    Err(AdminError::new(StatusCode::FORBIDDEN, message))
}

/// Whether a request may read what the admin side shows.
pub(crate) fn is_trusted(state: &State, headers: &HeaderMap) -> bool {
    check_origin(state, headers).is_ok() && has_token(state, headers)
}

/// Refuses requests from elsewhere.
fn check_origin(state: &State, headers: &HeaderMap) -> Result<(), AdminError> {
    let forbidden = |message: String| Err(AdminError::new(StatusCode::FORBIDDEN, message));
    check_enabled(state)?;
    if text(headers, header::USER_AGENT).is_some_and(|agent| agent == USER_AGENT) {
        return forbidden("The admin side answers no deliveries of webhooks.".to_owned());
    }
    if let Some(site) =
        text(headers, "sec-fetch-site").filter(|site| !matches!(&**site, "same-origin" | "none"))
    {
        return forbidden(format!("Sec-Fetch-Site is {site}: the admin side answers no other site's page."));
    }
    let host = text(headers, header::HOST).unwrap_or_default();
    let is_own =
        |origin: &str| origin.split_once("://").is_some_and(|(_, name)| name.eq_ignore_ascii_case(&host));
    if let Some(origin) = text(headers, header::ORIGIN).filter(|origin| !is_own(origin)) {
        return forbidden(format!("Origin is {origin}: the admin side answers its own pages alone."));
    }
    check_host(state, headers)
}

/// Whether a request carries the admin token, or needs none. Tokens are compared in constant time.
pub(crate) fn has_token(state: &State, headers: &HeaderMap) -> bool {
    let Some(token) = &state.admin_token else { return true };
    let header = text(headers, header::AUTHORIZATION).unwrap_or_default();
    let sent = header.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    sent.is_some_and(|(_, sent)| sent.trim().as_bytes().ct_eq(token.as_bytes()).into())
}

/// A header's text without the white space around it; bytes that are not UTF-8 are replaced.
fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<Cow<'_, str>> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes().trim_ascii()))
}
