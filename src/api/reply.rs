//! A reply: status, headers and the bytes of the body.

use std::borrow::Cow;

use bytes::Bytes;

/// An answer ready to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// Header names in lower case, with their values. `content-type` is one of them, `content-length` is not.
    pub headers: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    /// The body; the journal and the sender share it.
    pub body: Bytes,
}

impl Reply {
    /// A JSON reply from its bytes.
    #[must_use]
    pub fn json(status: u16, body: impl Into<Bytes>) -> Self {
        Self::typed(status, "application/json", body)
    }

    /// A reply of that media type.
    #[must_use]
    pub fn typed(status: u16, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        let mut headers = Vec::with_capacity(4);
        headers.push(("content-type".into(), media_type.into()));
        Self { status, headers, body: body.into() }
    }

    /// The same reply with one header more.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Cow<'static, str>>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}
