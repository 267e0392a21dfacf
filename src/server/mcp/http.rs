//! The HTTP transport: one message in the body of each POST, one answer.

use actix_web::http::{StatusCode, header};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, web};

use crate::server::admin::error::AdminError;
use crate::server::mcp::{Mcp, RpcError};
use crate::server::middleware::Received;
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
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let mcp = Mcp::new(state.into_inner());
    let (answer, code) = mcp
        .exchange(&body, |method, name| {
            if header("mcp-method") != Some(method) {
                return Err(format!("the header Mcp-Method must be {method}"));
            }
            if header("mcp-protocol-version").is_none() {
                return Err("the header MCP-Protocol-Version is missing".to_owned());
            }
            let is_named = matches!(method, "tools/call" | "resources/read");
            if is_named && header("mcp-name") != name {
                return Err("the header Mcp-Name must be the name that is asked for".to_owned());
            }
            Ok(())
        })
        .await;
    let Some(answer) = answer else { return Ok(HttpResponse::Accepted().finish()) };
    let is_present = header("mcp-method").is_some();
    let status = match code {
        Some(RpcError::VERSION | RpcError::HEADER) => StatusCode::BAD_REQUEST,
        Some(RpcError::METHOD) if is_present => StatusCode::NOT_FOUND,
        Some(_) | None => StatusCode::OK,
    };
    Ok(HttpResponse::build(status).insert_header((header::CACHE_CONTROL, "no-store")).json(answer))
}
