//! The HTTP transport: one message in the body of each POST, one answer.

use std::borrow::Cow;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, web};

use crate::server::admin::error::AdminError;
use crate::server::mcp::{Mcp, Message, PRESENT, PREVIOUS, RpcError};
use crate::server::middleware::Received;
use crate::server::page::host;
use crate::server::state::State;

/// Answers a message of an agent.
pub(crate) async fn post(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, AdminError> {
    let received = request.extensions().get::<Received>().cloned();
    let Some(Received(Some(body))) = received else {
        return Err(AdminError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "The body is too large; the limit is 1 MiB.",
        ));
    };
    let header = |name: &str| {
        let value = request.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes().trim_ascii()))
    };
    let host = Some(host(&request).to_owned()).filter(|host| !host.is_empty());
    let mcp = Mcp::new(state.into_inner(), host);
    let (answer, code) = mcp.exchange(&body, |message| check(message, header)).await;
    let Some(answer) = answer else { return Ok(HttpResponse::Accepted().finish()) };
    let is_present = header("mcp-method").is_some();
    let status = match code {
        Some(RpcError::PARSE | RpcError::REQUEST | RpcError::VERSION | RpcError::HEADER) => {
            StatusCode::BAD_REQUEST
        }
        Some(RpcError::METHOD) if is_present => StatusCode::NOT_FOUND,
        Some(_) | None => StatusCode::OK,
    };
    Ok(HttpResponse::build(status).insert_header((header::CACHE_CONTROL, "no-store")).json(answer))
}

/// Checks the headers of a message. In the revision 2026-07-28 they repeat what it says; in 2025-11-25 there is at most that of
/// the version, which `initialize` settles.
///
/// # Errors
/// They name a version that is not served, or not what the message says.
fn check<'a>(message: &Message, header: impl Fn(&str) -> Option<Cow<'a, str>>) -> Result<(), RpcError> {
    let version = header("mcp-protocol-version");
    let wrong = |why: String| Err(RpcError::new(RpcError::HEADER, why));
    let Some(named) = message.version() else {
        return match version.as_deref() {
            _ if message.method == "initialize" => Ok(()),
            None | Some(PREVIOUS) => Ok(()),
            Some(PRESENT) if message.id.is_none() => Ok(()),
            Some(PRESENT) => wrong(format!(
                "the header MCP-Protocol-Version is {PRESENT}, but params._meta names no protocol version"
            )),
            Some(other) => Err(RpcError::unsupported(&other.into())),
        };
    };
    if version.as_deref() != named.as_str() {
        return wrong(format!("the header MCP-Protocol-Version must be {named}, as in params._meta"));
    }
    if named != PRESENT {
        return Ok(());
    }
    let method = message.method.as_str();
    if header("mcp-method").as_deref() != Some(method) {
        return wrong(format!("the header Mcp-Method must be {method}"));
    }
    let is_named = matches!(method, "tools/call" | "resources/read");
    if is_named && header("mcp-name").as_deref() != message.name() {
        return wrong("the header Mcp-Name must be the name that is asked for".to_owned());
    }
    Ok(())
}
