//! Where the requests on a connection begin and end (RFC 9112). actix decodes everything that it is given, and mixes up
//! requests that are sent ahead of an answer; with this it gets them one at a time.
//!
//! On the way, an upgrade is taken out of the head: we know no other protocol, so an `Upgrade` is ignored (RFC 9110, 7.8), but
//! actix would close the connection after the answer, or take all that follows for the body.

/// A field line longer than this is passed on before its end has come. actix refuses such heads.
const MAX_LINE: usize = 128 << 10;
/// Written over the connection option `upgrade` and the field name `Upgrade`. It has as many letters.
const IGNORED: &[u8; 7] = b"ignored";

/// Follows the bytes of a connection.
#[derive(Debug, Default)]
pub(super) struct Framing {
    stage: Stage,
    /// What the fields read so far say about the body.
    body: Body,
    /// Number of bytes of an incomplete field line that were searched for its end already.
    searched: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Before the request line, where empty lines are allowed.
    #[default]
    Start,
    RequestLine,
    Fields,
    /// In the body, with this many bytes to come.
    Body(u64),
    /// In the line with the size of a chunk, read so far.
    ChunkSize(u64),
    /// In the rest of that line.
    ChunkExtension(u64),
    /// In a chunk, with this many bytes to come, the line break after it included.
    Chunk(u64),
    /// In a line of the trailer section, of which something other than the line break has come or not.
    Trailer {
        is_empty: bool,
    },
    /// After the last byte of a request.
    End,
    /// After something that we do not understand, and that actix refuses.
    Unknown,
}

#[derive(Clone, Copy, Debug, Default)]
enum Body {
    #[default]
    None,
    Length(u64),
    Chunked,
}

impl Framing {
    /// Whether no byte of the next request has come yet.
    pub(super) fn is_before_request(&self) -> bool {
        self.stage == Stage::Start
    }

    /// Whether a request was passed on to its last byte.
    pub(super) fn is_after_request(&self) -> bool {
        self.stage == Stage::End
    }

    /// Goes on with the next request.
    pub(super) fn begin_next(&mut self) {
        *self = Self::default();
    }

    /// The number of these bytes that can be passed on now: those up to the end of the request, without a field line that is
    /// not complete. The next call must begin with the first byte that was not passed on.
    pub(super) fn advance(&mut self, bytes: &mut [u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() && self.stage != Stage::End {
            let rest = &mut bytes[at..];
            let Some(taken) = self.step(rest) else { break };
            at += taken;
        }
        at
    }

    /// Takes at least one byte, or none where a field line is not complete.
    fn step(&mut self, rest: &mut [u8]) -> Option<usize> {
        let first = rest[0];
        let (next, taken) = match self.stage {
            Stage::Start if matches!(first, b'\r' | b'\n') => (Stage::Start, 1),
            Stage::Start => (Stage::RequestLine, 1),
            Stage::RequestLine => match line_end(rest) {
                Some(end) => (Stage::Fields, end),
                None => (Stage::RequestLine, rest.len()),
            },
            Stage::Fields => match line_end(&rest[self.searched..]) {
                Some(end) => {
                    let end = self.searched + end;
                    self.searched = 0;
                    (self.field(&mut rest[..end]), end)
                }
                None if rest.len() > MAX_LINE => (Stage::Unknown, rest.len()),
                None => {
                    self.searched = rest.len();
                    return None;
                }
            },
            Stage::Body(left) => take(rest, left, Stage::Body, Stage::End),
            Stage::ChunkSize(size) => match (first, char::from(first).to_digit(16)) {
                (_, Some(digit)) => match size.checked_mul(16) {
                    Some(size) => (Stage::ChunkSize(size + u64::from(digit)), 1),
                    None => (Stage::Unknown, 1),
                },
                (b'\n', None) => (after_chunk_size(size), 1),
                (_, None) => (Stage::ChunkExtension(size), 1),
            },
            Stage::ChunkExtension(size) => match line_end(rest) {
                Some(end) => (after_chunk_size(size), end),
                None => (Stage::ChunkExtension(size), rest.len()),
            },
            Stage::Chunk(left) => take(rest, left, Stage::Chunk, Stage::ChunkSize(0)),
            Stage::Trailer { is_empty } => match first {
                b'\n' if is_empty => (Stage::End, 1),
                b'\n' => (Stage::Trailer { is_empty: true }, 1),
                b'\r' => (self.stage, 1),
                _ => (Stage::Trailer { is_empty: false }, 1),
            },
            Stage::End | Stage::Unknown => (self.stage, rest.len()),
        };
        self.stage = next;
        Some(taken)
    }

    /// Reads a whole field line, or the empty line after the last one.
    fn field(&mut self, line: &mut [u8]) -> Stage {
        let line = match line {
            [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] => line,
            line => line,
        };
        if line.is_empty() {
            return match self.body {
                Body::None | Body::Length(0) => Stage::End,
                Body::Length(length) => Stage::Body(length),
                Body::Chunked => Stage::ChunkSize(0),
            };
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return Stage::Fields };
        let (name, value) = line.split_at_mut(colon);
        let value = &mut value[1..];
        if name.eq_ignore_ascii_case(b"content-length") {
            let length = str::from_utf8(value.trim_ascii()).ok().and_then(|text| text.parse().ok());
            self.body = length.map_or(self.body, Body::Length);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            if value.trim_ascii().eq_ignore_ascii_case(b"chunked") {
                self.body = Body::Chunked;
            }
        } else if name.eq_ignore_ascii_case(b"connection") {
            for option in value.split_mut(|byte| *byte == b',') {
                overwrite_upgrade(option);
            }
        } else if value.trim_ascii().eq_ignore_ascii_case(b"websocket") {
            overwrite_upgrade(name);
        }
        Stage::Fields
    }
}

/// The length of the first line, its line break included.
fn line_end(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1)
}

/// Takes up to `left` bytes.
fn take(rest: &[u8], left: u64, during: fn(u64) -> Stage, after: Stage) -> (Stage, usize) {
    match usize::try_from(left) {
        Ok(left) if left <= rest.len() => (after, left),
        _ => (during(left - rest.len() as u64), rest.len()),
    }
}

fn after_chunk_size(size: u64) -> Stage {
    match size {
        0 => Stage::Trailer { is_empty: true },
        size => Stage::Chunk(size.saturating_add(2)),
    }
}

/// Writes another word over the word `upgrade`, if this is it.
fn overwrite_upgrade(text: &mut [u8]) {
    let start = text.len() - text.trim_ascii_start().len();
    let length = text.trim_ascii().len();
    let word = &mut text[start..start + length];
    if word.eq_ignore_ascii_case(b"upgrade") {
        word.copy_from_slice(IGNORED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GET: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

    /// Cuts a text into its requests, giving the framing at most `step` new bytes at a time. What is incomplete comes last.
    fn cut(text: &str, step: usize) -> Vec<String> {
        let (mut framing, mut held) = (Framing::default(), Vec::new());
        let (mut requests, mut request) = (Vec::new(), Vec::new());
        for piece in text.as_bytes().chunks(step) {
            held.extend_from_slice(piece);
            loop {
                let passed = framing.advance(&mut held);
                request.extend(held.drain(..passed));
                if !framing.is_after_request() {
                    break;
                }
                requests.push(String::from_utf8(std::mem::take(&mut request)).unwrap());
                framing.begin_next();
            }
        }
        request.extend(held);
        requests.push(String::from_utf8(request).unwrap());
        requests
    }

    #[test]
    fn requests_end_where_their_framing_says_however_they_arrive() {
        let requests = [
            GET,
            "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 29\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n\r\n",
            "\r\n\nPOST / HTTP/1.1\nContent-Length : 3\nCONTENT-LENGTH:4 \n\nabcd",
            "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n5;a=b\r\nab\r\nc\r\nA\r\n0123456789\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\nTrailer: x\r\nMore: y\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-length: 0\r\n\r\n",
            "HEAD / HTTP/1.1\r\nno colon\r\n folded\r\n\r\n",
            "CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n",
        ];
        let expected: Vec<&str> = requests.into_iter().chain(["GET / HTTP/1.1\r\nho"]).collect();
        for step in [1, 2, 3, 7, 50, 10_000] {
            assert_eq!(cut(&expected.concat(), step), expected, "{step} bytes at a time");
        }
    }

    #[test]
    fn an_upgrade_is_overwritten_and_nothing_else_is() {
        let head = "GET /upgrade HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nconnection:keep-alive ,UPGRADE\r\n\
             Upgrade: h2c\r\nupgrade: WebSocket \r\nx-a: Upgrade\r\nconnection: upgrades\r\n\r\n";
        let changed = "GET /upgrade HTTP/1.1\r\nConnection: ignored, HTTP2-Settings\r\nconnection:keep-alive ,ignored\r\n\
             Upgrade: h2c\r\nignored: WebSocket \r\nx-a: Upgrade\r\nconnection: upgrades\r\n\r\n";
        for step in [1, 5, 1000] {
            assert_eq!(cut(head, step), [changed, ""]);
        }
        let body = "POST / HTTP/1.1\r\ncontent-length: 23\r\n\r\n\r\nconnection: upgrade\r\n";
        assert_eq!(cut(body, 1000), [body, ""]);
    }

    #[test]
    fn bytes_that_are_no_request_are_passed_on() {
        for bytes in [&b"\x16\x03\x01"[..], b"GET", b"\xff\xff\xff\xff no line break"] {
            assert_eq!(Framing::default().advance(&mut bytes.to_vec()), bytes.len());
        }
        let mut endless = b"GET / HTTP/1.1\r\n".to_vec();
        endless.resize(MAX_LINE, b'a');
        let mut framing = Framing::default();
        assert_eq!(framing.advance(&mut endless), 16);
        endless.resize(2 * MAX_LINE, b'a');
        assert_eq!(framing.advance(&mut endless[16..]), 2 * MAX_LINE - 16);
        let mut size = b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n".to_vec();
        assert_eq!(Framing::default().advance(&mut size), size.len());
    }
}
