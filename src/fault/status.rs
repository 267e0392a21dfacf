//! The effect `status`.

use bytes::Bytes;

use crate::api::reply::Reply;

/// The client gets exactly this status and body, as a proxy or gateway in front of the API would send them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    /// From 200 to 599.
    pub(crate) status: u16,
    pub(crate) content: Content,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Content {
    /// No body, and no media type.
    #[default]
    Empty,
    /// `application/json`.
    Json(serde_json::Value),
    /// `text/plain`.
    Text(String),
}

impl Status {
    pub(crate) fn reply(&self) -> Reply {
        match &self.content {
            Content::Empty => Reply { status: self.status, headers: Vec::new(), body: Bytes::new() },
            Content::Json(value) => Reply::json(self.status, value.to_string().into_bytes()),
            Content::Text(text) => {
                Reply::typed(self.status, "text/plain; charset=utf-8", text.clone().into_bytes())
            }
        }
    }
}
