//! A call as it was received: borrowed bytes, nothing decided yet.

use std::borrow::Cow;

/// One HTTP request of the API, its body read to the end.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The method, in upper case as sent.
    pub method: &'a str,
    /// The path, without world prefix and query, still percent-encoded.
    pub path: &'a str,
    /// The query, without the question mark, still percent-encoded.
    pub query: &'a str,
    /// Header names in lower case with their values, in the order sent.
    pub headers: Vec<(&'a str, &'a [u8])>,
    /// The body.
    pub body: Body<'a>,
}

/// The body of a call, or why there is none to read.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// Larger than the limit; read and thrown away.
    TooLarge,
}

/// Which of the scenario's keys a request carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMatch {
    /// One of its list, by place.
    Listed(usize),
    /// Some key, where any is taken.
    Any,
    /// The one made with the world.
    Minted,
    /// One that the scenario does not have.
    Unknown,
    /// None.
    None,
}

/// The largest body that an operation reads: 1 MiB.
pub const BODY_LIMIT: usize = 1 << 20;

impl<'a> Call<'a> {
    /// The first header of that lower-case name, white space around it removed. Bytes beyond ASCII are read as UTF-8,
    /// broken ones replaced.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<Cow<'a, str>> {
        let value = self.headers.iter().find(|(known, _)| *known == name)?.1;
        let value = value.trim_ascii();
        Some(match std::str::from_utf8(value) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(String::from_utf8_lossy(value).into_owned()),
        })
    }

    /// The first query parameter of that name, decoded. An empty or blank value counts as absent
    /// (`behaviour.md` 3).
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<Cow<'a, str>> {
        let raw = self.query.split('&').find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key, true) == name).then_some(value)
        })?;
        let value = decode(raw, true);
        (!value.trim().is_empty()).then_some(value)
    }

    /// The bytes of the body; none where it was too large.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        match self.body {
            Body::Whole(bytes) => bytes,
            Body::TooLarge => &[],
        }
    }
}

/// Percent-decoding (RFC 3986, 2.1); in a query `+` is a space. A broken escape stands as written.
#[must_use]
pub fn decode(text: &str, query: bool) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte == b'%' || (query && byte == b'+')) {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = bytes.get(at + 1..at + 3).and_then(|two| {
            let text = std::str::from_utf8(two).ok()?;
            two.iter().all(u8::is_ascii_hexdigit).then(|| u8::from_str_radix(text, 16).ok())?
        });
        match (bytes[at], escaped) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (b'+', _) if query => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(query: &'static str) -> Call<'static> {
        Call {
            method: "POST",
            path: "/",
            query,
            headers: vec![("x-api-key", b" k "), ("x-api-key", b"other")],
            body: Body::Whole(b""),
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
