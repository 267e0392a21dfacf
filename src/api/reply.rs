//! A reply: status, headers and the bytes of the body.

use std::borrow::Cow;

use bytes::Bytes;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// Header names in lower case, with their values. `content-length` is left to the server.
    pub(crate) headers: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    /// Shared by the sender and the journal.
    pub(crate) body: Bytes,
}

impl Reply {
    pub(crate) fn json(status: u16, body: impl Into<Bytes>) -> Self {
        Self::typed(status, "application/json", body)
    }
    pub(crate) fn typed(status: u16, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        let mut headers = Vec::with_capacity(4);
        headers.push(("content-type".into(), media_type.into()));
        Self { status, headers, body: body.into() }
    }

    /// Adds a header.
    pub(crate) fn with(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}
