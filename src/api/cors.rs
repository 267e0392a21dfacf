//! CORS headers, as the dialect says (Fetch standard, "CORS protocol").

use std::borrow::Cow;

use bytes::Bytes;

use crate::api::call::Call;
use crate::api::dialect::Cors;
use crate::api::reply::Reply;

/// Headers of an answer that a page may read.
pub(crate) const EXPOSED: &str = "retry-after, preference-applied, x-standin-detail, x-standin-generation, x-standin-fault, \
     x-standin-attempt, x-standin-draw, x-standin-threshold";
const HEADERS: &str = "accept, content-type, prefer, x-api-key, x-business-number, x-standin-trace";

/// The reply to a preflight for a path that has these methods. None if the call is something else, or if the dialect has no CORS.
pub(crate) fn preflight(cors: &Cors, call: &Call<'_>, methods: impl FnOnce() -> String) -> Option<Reply> {
    if call.method != "OPTIONS" || *cors == Cors::None {
        return None;
    }
    call.header("access-control-request-method")?;
    let bare = Reply { status: 204, headers: Vec::new(), body: Bytes::new() };
    let bare = add_headers(bare, cors, call);
    if !bare.headers.iter().any(|(name, _)| name == "access-control-allow-origin") {
        return Some(bare);
    }
    let asked = call.header("access-control-request-headers").unwrap_or_default();
    let known = |name: &str| HEADERS.split(", ").any(|known| known.eq_ignore_ascii_case(name));
    let others = asked.split(',').map(str::trim).filter(|name| !name.is_empty() && !known(name));
    let headers = others.fold(HEADERS.to_owned(), |headers, name| headers + ", " + name);
    let mut reply = bare
        .with("access-control-allow-methods", methods())
        .with("access-control-allow-headers", headers)
        .with("access-control-max-age", "600");
    if call.header("access-control-request-private-network").is_some() {
        reply = reply.with("access-control-allow-private-network", "true");
    }
    Some(reply)
}

/// Adds the headers that let a page read a reply. Only a call with an `Origin` comes from a page.
pub(crate) fn add_headers(mut reply: Reply, cors: &Cors, call: &Call<'_>) -> Reply {
    if let Cors::Origins(_) = cors {
        // The reply depends on the header, which caches must know.
        reply = reply.with("vary", "origin");
    }
    let Some(origin) = call.header("origin") else { return reply };
    let origin: Cow<'static, str> = match cors {
        Cors::Any => "*".into(),
        Cors::Origins(allowed) if allowed.iter().any(|known| *known == origin) => origin.into_owned().into(),
        Cors::Origins(_) | Cors::None => return reply,
    };
    reply.with("access-control-allow-origin", origin).with("access-control-expose-headers", EXPOSED)
}
