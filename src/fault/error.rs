//! The effect `error`.

use crate::api::dialect::Dialect;
use crate::api::error::{ApiError, Code};
use crate::api::operation::Operation;
use crate::api::reply::Reply;

/// The client sees the status and the exact error body of a code, as the operation itself would answer it:
/// `{"code": 89, "message": "Rate limit exceeded"}` with 429.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Which error.
    pub answer: Answer,
    /// Whole seconds in the header `retry-after`; none leaves the header out.
    pub retry_after: Option<u64>,
}

/// Which error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// One of the catalogue.
    Catalogue {
        /// Which.
        code: Code,
        /// In place of the status that the dialect has for it.
        status: Option<u16>,
        /// In place of its message; for 2003 that is the operation's first mandatory field's.
        message: Option<String>,
    },
    /// One that the catalogue does not have.
    Made {
        /// The number in the error body.
        number: u32,
        /// The HTTP status.
        status: u16,
        /// The message in the error body.
        message: String,
    },
}

impl Error {
    /// The number in the error body.
    #[must_use]
    pub fn number(&self) -> u32 {
        match &self.answer {
            Answer::Catalogue { code, .. } => code.row().number,
            Answer::Made { number, .. } => *number,
        }
    }

    /// The answer that an operation gives with it.
    #[must_use]
    ///
    /// `validation` is the message of the operation's first 2003.
    pub fn reply(&self, operation: Operation, validation: &'static str, dialect: &Dialect) -> Reply {
        let reply = match &self.answer {
            Answer::Catalogue { code, status, message } => {
                let mut error = ApiError::new(*code, "");
                if let Some(message) = message {
                    error.message = message.clone().into();
                } else if *code == Code::Validation {
                    error.message = validation.into();
                }
                let reply = Reply::json(
                    status.unwrap_or_else(|| dialect.status(*code, Some(operation))),
                    error.body(),
                );
                if *code == Code::Method { reply.with("allow", "POST") } else { reply }
            }
            Answer::Made { number, status, message } => {
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
            let expected = match row.code {
                Code::Validation => ApiError::validation("first", ""),
                code => ApiError::new(code, ""),
            };
            assert_eq!((reply.status, &*reply.body), (row.status, &*expected.body()));
        }
        let message = Some("later".to_owned());
        let answer = Answer::Catalogue { code: Code::RateLimited, status: Some(503), message };
        let reply = reply(answer, Some(30));
        assert_eq!((reply.status, &*reply.body), (503, br#"{"code":89,"message":"later"}"#.as_slice()));
        assert_eq!(reply.headers[1], ("retry-after".into(), "30".into()));
    }
}
