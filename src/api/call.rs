//! A call as it was received: borrowed bytes, nothing parsed yet.

use std::borrow::Cow;

/// One HTTP request of the API, its body read to the end.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    /// As sent, in upper case for the usual methods.
    pub(crate) method: &'a str,
    /// The path, without world prefix and query, still percent-encoded.
    pub(crate) path: &'a str,
    /// The query, without the question mark, still percent-encoded.
    pub(crate) query: &'a str,
    /// Header names in lower case with their values, in the order sent.
    pub(crate) headers: Vec<(&'a str, &'a [u8])>,
    /// The body.
    pub(crate) body: Body<'a>,
    /// Number of the connection that it came on, counted from 1 over the process. It is 0 without one.
    pub(crate) connection: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Body<'a> {
    Whole(&'a [u8]),
    /// The body was larger than the limit, and was discarded.
    TooLarge,
}

/// How the key of a request relates to the scenario's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyMatch {
    /// The key with this index in the list.
    Listed(usize),
    /// Some key, in a scenario that accepts any.
    Any,
    /// The key that was minted for the world.
    Minted,
    Unknown,
    /// The request has no key.
    None,
}

/// Size limit of a body that an operation reads, in bytes.
pub(crate) const BODY_LIMIT: usize = 1 << 20;

impl<'a> Call<'a> {
    /// The first header of this lower-case name, without white space around it. Invalid UTF-8 is replaced.
    pub(crate) fn header(&self, name: &str) -> Option<Cow<'a, str>> {
        let value = self.headers.iter().find(|(known, _)| *known == name)?.1;
        let value = value.trim_ascii();
        Some(match std::str::from_utf8(value) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(String::from_utf8_lossy(value).into_owned()),
        })
    }

    /// The media type of the body, in lower case and without its parameters; empty if there is none.
    pub(crate) fn media_type(&self) -> String {
        let given = self.header("content-type").unwrap_or_default();
        given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// The query parameters with their values, decoded, in the order sent.
    pub(crate) fn parameters(&self) -> form_urlencoded::Parse<'a> {
        form_urlencoded::parse(self.query.as_bytes())
    }

    /// The first query parameter of that name, decoded. An empty or blank value counts as absent (`docs/api.md` 3).
    pub(crate) fn parameter(&self, name: &str) -> Option<Cow<'a, str>> {
        let (_, value) = self.parameters().find(|(known, _)| known == name)?;
        (!value.trim().is_empty()).then_some(value)
    }

    /// The body, empty if it was too large.
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        match self.body {
            Body::Whole(bytes) => bytes,
            Body::TooLarge => &[],
        }
    }
}

/// A call with bytes of its own, which another thread can take over.
#[derive(Clone, Debug)]
pub(crate) struct OwnedCall {
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, Vec<u8>)>,
    /// None if it was too large.
    body: Option<Vec<u8>>,
    connection: u64,
}

impl OwnedCall {
    pub(crate) fn new(call: &Call<'_>) -> Self {
        let header = |(name, value): &(&str, &[u8])| ((*name).to_owned(), value.to_vec());
        Self {
            method: call.method.to_owned(),
            path: call.path.to_owned(),
            query: call.query.to_owned(),
            headers: call.headers.iter().map(header).collect(),
            body: match call.body {
                Body::Whole(bytes) => Some(bytes.to_vec()),
                Body::TooLarge => None,
            },
            connection: call.connection,
        }
    }

    pub(crate) fn call(&self) -> Call<'_> {
        Call {
            method: &self.method,
            path: &self.path,
            query: &self.query,
            headers: self.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect(),
            body: self.body.as_deref().map_or(Body::TooLarge, Body::Whole),
            connection: self.connection,
        }
    }
}

/// A segment of a path, percent-decoded (RFC 3986, 2.1). A broken escape stands as written.
pub(crate) fn decode(segment: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(segment).decode_utf8_lossy()
}

/// A path whose escapes of letters, digits, `-`, `.`, `_` and `~` are decoded, since they mean the same as the character
/// itself (RFC 3986, 2.3). All other escapes stand as written.
pub(crate) fn decode_unreserved(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut pieces = path.split('%');
    let mut decoded = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(byte) = byte.filter(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(byte)) {
            decoded.push(byte.into());
            decoded.push_str(&piece[2..]);
        } else {
            decoded.push('%');
            decoded.push_str(piece);
        }
    }
    Cow::Owned(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_escapes_of_unreserved_characters_are_decoded() {
        for (sent, decoded) in [
            ("/v1/a", "/v1/a"),
            ("/%761/%42usiness%2D%5f%7E", "/v1/Business-_~"),
            ("/a%2Fb%20c%25%34%zz%4", "/a%2Fb%20c%254%zz%4"),
            ("%é%C3%A9%+1", "%é%C3%A9%+1"),
        ] {
            assert_eq!(decode_unreserved(sent), decoded);
        }
    }

    fn call(query: &'static str) -> Call<'static> {
        Call {
            method: "POST",
            path: "/",
            query,
            headers: vec![("x-api-key", b" k "), ("x-api-key", b"other")],
            body: Body::Whole(b""),
            connection: 0,
        }
    }

    #[test]
    fn the_first_of_repeated_parameters_counts_and_an_empty_one_is_absent() {
        assert_eq!(call("a=1&a=2").parameter("a").as_deref(), Some("1"));
        assert_eq!(call("a=&a=2").parameter("a"), None);
        assert_eq!(call("b=1").parameter("a"), None);
        assert_eq!(call("a").parameter("a"), None);
    }

    #[test]
    fn parameters_are_decoded() {
        assert_eq!(call("a%20b=c+d%C3%A9").parameter("a b").as_deref(), Some("c dé"));
        assert_eq!(call("a=%zz%4").parameter("a").as_deref(), Some("%zz%4"));
    }

    #[test]
    fn headers_are_trimmed_and_the_first_counts() {
        assert_eq!(call("").header("x-api-key").as_deref(), Some("k"));
    }
}
