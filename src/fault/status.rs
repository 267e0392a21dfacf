//! The effect `status`.

use bytes::Bytes;

use crate::api::reply::Reply;

/// The client sees exactly this status and body, and nothing of the API: what a proxy or gateway in front of it sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The HTTP status, 200-599.
    pub status: u16,
    /// The body.
    pub content: Content,
}

/// A body given in the scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// No byte, and no media type.
    #[default]
    Empty,
    /// `application/json`.
    Json(serde_json::Value),
    /// `text/plain`.
    Text(String),
}

impl Status {
    /// The answer.
    #[must_use]
    pub fn reply(&self) -> Reply {
        match &self.content {
            Content::Empty => Reply { status: self.status, headers: Vec::new(), body: Bytes::new() },
            Content::Json(value) => Reply::json(self.status, value.to_string().into_bytes()),
            Content::Text(text) => {
                Reply::typed(self.status, "text/plain; charset=utf-8", text.clone().into_bytes())
            }
        }
    }
}
