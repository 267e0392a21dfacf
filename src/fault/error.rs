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
    pub fn reply(&self, operation: Operation, dialect: &Dialect) -> Reply {
        let reply = match &self.answer {
            Answer::Catalogue { code, status, message } => {
                let mut refusal = ApiError::new(*code, "");
                if *code == Code::Validation {
                    refusal = first_validation(operation);
                }
                if let Some(message) = message {
                    refusal.message = message.clone().into();
                }
                let reply = Reply::json(
                    status.unwrap_or_else(|| dialect.status(*code, Some(operation))),
                    refusal.body(),
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

/// The 2003 of the operation's first mandatory field; of its first field with one where none is mandatory.
fn first_validation(operation: Operation) -> ApiError {
    match operation {
        Operation::SentimentLocations | Operation::SentimentBenchmark => {
            ApiError::mandatory("businessNumbers")
        }
        Operation::Contact => ApiError::mandatory("email or phone"),
        Operation::Subscribe => ApiError::mandatory("events"),
        Operation::Reviews => ApiError::validation("ratings must be a list of ratings from 0 to 5", ""),
        Operation::Qna => ApiError::mandatory("businessId"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_injected_error_is_the_operations_own() {
        let dialect = Dialect::default();
        for row in &crate::api::error::CATALOGUE {
            let answer = Answer::Catalogue { code: row.code, status: None, message: None };
            let error = Error { answer, retry_after: None };
            for operation in row.operations {
                let reply = error.reply(*operation, &dialect);
                assert_eq!(reply.status, row.status);
                if row.code != Code::Validation {
                    assert_eq!(reply.body, ApiError::new(row.code, "").body());
                }
            }
        }
        let answer = Answer::Catalogue {
            code: Code::RateLimited,
            status: Some(503),
            message: Some("later".to_owned()),
        };
        let reply = Error { answer, retry_after: Some(30) }.reply(Operation::Qna, &dialect);
        assert_eq!(
            (reply.status, reply.body.as_ref()),
            (503, br#"{"code":89,"message":"later"}"#.as_slice())
        );
        assert_eq!(reply.headers[1], ("retry-after".into(), "30".into()));
    }
}
