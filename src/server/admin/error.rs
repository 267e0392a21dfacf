//! Errors of the admin side.

use std::fmt::{self, Display, Formatter};

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::scenario::diagnostic::Diagnostic;
use crate::scenario::render;

/// Why a request of the admin side is refused.
#[derive(Debug)]
pub(crate) struct AdminError {
    status: StatusCode,
    header: Option<(&'static str, &'static str)>,
    body: ErrorBody,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody {
    /// What is wrong and what to do.
    error: String,
    /// All findings of the scenario, fault or record that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>, nullable = false)]
    diagnostics: Option<Value>,
}

impl AdminError {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, header: None, body: ErrorBody { error: message.into(), diagnostics: None } }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, message)
    }

    /// The same error, with a header.
    pub(crate) fn with_header(self, name: &'static str, value: &'static str) -> Self {
        Self { header: Some((name, value)), ..self }
    }

    /// The same error, with advice where it has that status.
    pub(crate) fn with_advice(mut self, status: StatusCode, advice: &str) -> Self {
        if self.status == status {
            self.body.error = format!("{} {advice}", self.body.error);
        }
        self
    }

    /// A bug: a panic, or something that is written wrongly.
    pub(crate) fn internal() -> Self {
        let message = "Standin failed to answer this; its standard error says why.";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// A bad request with all that is wrong with what was sent.
    pub(crate) fn diagnostics(message: String, problems: &[Diagnostic]) -> Self {
        let body = ErrorBody { error: message, diagnostics: Some(render::json(problems)) };
        Self { status: StatusCode::BAD_REQUEST, header: None, body }
    }

    /// The same, with the first of the gravest problems in the message.
    pub(crate) fn invalid(what: &str, problems: &[Diagnostic]) -> Self {
        let first = problems.iter().min_by_key(|problem| problem.severity).map(|problem| {
            let help = problem.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
            format!("line {}: {}{help}", problem.location.line, problem.message)
        });
        let more = match problems.len() {
            0 | 1 => String::new(),
            count => format!(", and {} more: see diagnostics", count - 1),
        };
        Self::diagnostics(format!("{what}: {}{more}.", first.unwrap_or_default()), problems)
    }
}

impl Display for AdminError {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.body.error)
    }
}

impl std::error::Error for AdminError {}

impl ResponseError for AdminError {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        if self.status == StatusCode::UNAUTHORIZED {
            response.insert_header((header::WWW_AUTHENTICATE, "Bearer"));
        }
        if let Some(header) = self.header {
            response.insert_header(header);
        }
        response.json(&self.body)
    }
}
