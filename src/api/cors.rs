//! Cross-origin manners of the API (Fetch standard, "CORS protocol"), by the dialect.

use bytes::Bytes;

use crate::api::call::Call;
use crate::api::dialect::Cors;
use crate::api::reply::Reply;

/// What a page may read of an answer's headers.
pub const EXPOSED: &str = "retry-after, preference-applied, x-standin-detail, x-standin-generation, x-standin-fault, \
     x-standin-attempt, x-standin-draw, x-standin-threshold";
const HEADERS: &str = "accept, content-type, prefer, x-api-key, x-business-number, x-standin-trace";

/// The answer to a preflight, at once; none where the call is none or where the dialect has no CORS.
#[must_use]
pub fn preflight(cors: &Cors, call: &Call<'_>) -> Option<Reply> {
    if call.method != "OPTIONS" || *cors == Cors::None {
        return None;
    }
    call.header("access-control-request-method")?;
    let bare = Reply { status: 204, headers: Vec::new(), body: Bytes::new() };
    let bare = add_headers(bare, cors, call);
    if !bare.headers.iter().any(|(name, _)| name == "access-control-allow-origin") {
        return Some(bare);
    }
    let asked = call.header("access-control-request-headers");
    let headers = asked.map_or_else(|| HEADERS.to_owned(), |asked| format!("{HEADERS}, {asked}"));
    let mut reply = bare
        .with("access-control-allow-methods", "POST")
        .with("access-control-allow-headers", headers)
        .with("access-control-max-age", "600");
    if call.header("access-control-request-private-network").is_some() {
        reply = reply.with("access-control-allow-private-network", "true");
    }
    Some(reply)
}

/// A reply with the headers that let a browser's page read it.
#[must_use]
pub fn add_headers(mut reply: Reply, cors: &Cors, call: &Call<'_>) -> Reply {
    let origin: std::borrow::Cow<'static, str> = match cors {
        Cors::None => return reply,
        Cors::Any => "*".into(),
        Cors::Origins(allowed) => {
            reply = reply.with("vary", "origin");
            match call.header("origin").filter(|origin| allowed.iter().any(|known| known == origin)) {
                Some(origin) => origin.into_owned().into(),
                None => return reply,
            }
        }
    };
    reply.with("access-control-allow-origin", origin).with("access-control-expose-headers", EXPOSED)
}
