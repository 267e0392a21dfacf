//! The effect `error`.

use crate::api::dialect::Dialect;
use crate::api::error::{ApiError, Code};
use crate::api::operation::Operation;
use crate::api::reply::Reply;

/// The client gets the status and the exact body of an API error, as the operation itself would answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    pub(crate) answer: Answer,
    /// Seconds in the header `retry-after`. None leaves the header out.
    pub(crate) retry_after: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// An error of the catalogue.
    Catalogue {
        code: Code,
        /// Overrides the status of the dialect.
        status: Option<u16>,
        /// Overrides the message.
        message: Option<String>,
    },
    /// An error that is not in the catalogue.
    Custom { number: u32, status: u16, message: String },
}

impl Error {
    /// The code in the body.
    pub(crate) fn number(&self) -> u32 {
        match &self.answer {
            Answer::Catalogue { code, .. } => code.row().number,
            Answer::Custom { number, .. } => *number,
        }
    }

    /// The reply of an operation with this error.
    ///
    /// `injected_2003` is the message of a 2003 of this operation.
    pub(crate) fn reply(
        &self,
        operation: Operation,
        injected_2003: &'static str,
        dialect: &Dialect,
    ) -> Reply {
        let reply = match &self.answer {
            Answer::Catalogue { code, status, message } => {
                let mut error = ApiError::new(*code, "");
                if let Some(message) = message {
                    error.message = message.clone().into();
                } else if *code == Code::Validation {
                    error.message = injected_2003.into();
                }
                let reply = Reply::json(
                    status.unwrap_or_else(|| dialect.status(*code, Some(operation))),
                    error.body(),
                );
                if *code == Code::Method { reply.with("allow", "POST") } else { reply }
            }
            Answer::Custom { number, status, message } => {
                let body = serde_json::json!({ "code": number, "message": message }).to_string();
                Reply::json(*status, body.into_bytes())
            }
        };
        match self.retry_after {
            Some(seconds) => reply.with("retry-after", seconds.to_string()),
            None => reply,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_injected_error_is_the_operations_own() {
        let (dialect, operation) = (Dialect::default(), Operation::new("qna"));
        let reply = |answer, retry_after| Error { answer, retry_after }.reply(operation, "first", &dialect);
        for row in &crate::api::error::CATALOGUE {
            let reply = reply(Answer::Catalogue { code: row.code, status: None, message: None }, None);
            let mut expected = ApiError::new(row.code, "");
            if row.code == Code::Validation {
                expected.message = "first".into();
            }
            assert_eq!((reply.status, &*reply.body), (row.status, &*expected.body()));
        }
        let message = Some("later".to_owned());
        let answer = Answer::Catalogue { code: Code::RateLimited, status: Some(503), message };
        let reply = reply(answer, Some(30));
        assert_eq!((reply.status, &*reply.body), (503, br#"{"code":89,"message":"later"}"#.as_slice()));
        assert_eq!(reply.headers[1], ("retry-after".into(), "30".into()));
    }
}
