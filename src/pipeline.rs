//! The way of a request, as `behaviour.md` 1 orders it, in one function to read from top to bottom. What is decided here
//! is performed at the server's edge.

use std::sync::Arc;

use crate::api::call::{BODY_LIMIT, Body, Call, decode};
use crate::api::cors;
use crate::api::operation::Operation;
use crate::api::refusal::{Code, Refusal};
use crate::api::reply::Reply;
use crate::auth::{Caller, sent_key};
use crate::dataset::whole::Dataset;
use crate::operations::{self, Answer, Context, subscribe};
use crate::world::World;
use crate::world::registry::Registry;
use crate::world::snapshot::Snapshot;

/// Where a call goes: its world, and what that world serves while the call is under way.
#[derive(Clone, Debug)]
pub struct Located {
    /// The world.
    pub world: Arc<World>,
    /// What it serves.
    pub snapshot: Arc<Snapshot>,
}

/// Step 1: finds the world of a call and takes the world's name off its path. A base URL beats a key.
///
/// # Errors
/// The answer to a call for a world that is not there.
pub fn locate(registry: &Registry, call: &mut Call<'_>) -> Result<Located, Reply> {
    let world = match call.path.strip_prefix("/w/") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let name = decode(&rest[..end], false);
            let world = registry.named(&name).ok_or_else(|| no_world(registry, &name, call))?;
            call.path = &rest[end..];
            world
        }
        None if registry.has_own_keys() => {
            let key = key_of_any_place(call);
            key.and_then(|key| registry.of_key(&key)).unwrap_or_else(|| registry.default_world())
        }
        None => registry.default_world(),
    };
    let snapshot = world.snapshot();
    Ok(Located { world, snapshot })
}

/// The key by which a call without a world in its path may name one. A body that cannot be read names none.
fn key_of_any_place(call: &Call<'_>) -> Option<String> {
    if matches!(Operation::at(call.path), Some((Operation::Subscribe, _))) {
        return subscribe::sent_key(call).ok().flatten().map(|key| key.trim().to_owned());
    }
    call.header("x-api-key").map(std::borrow::Cow::into_owned)
}

fn no_world(registry: &Registry, name: &str, call: &Call<'_>) -> Reply {
    let body = serde_json::json!({ "name": name });
    let message = format!("No world is named {name}. POST /__admin/worlds {body} makes one.");
    let refusal = Refusal { message: message.into(), ..Refusal::new(Code::NotFound, "") };
    let snapshot = registry.default_world().snapshot();
    let reply = refused(&snapshot, None, &refusal);
    cors::dressed(reply, &snapshot.dialect.cors, call)
}

/// Answers a call of a located world; its dataset is ready.
#[must_use]
pub fn respond(located: &Located, dataset: &Dataset, call: &Call<'_>) -> Reply {
    let snapshot = &located.snapshot;
    if let Some(preflight) = cors::preflight(&snapshot.dialect.cors, call) {
        return preflight;
    }
    let route = Operation::at(call.path);
    let reply = match answer(located, dataset, route, call) {
        Ok(Answer(body)) => Reply::json(200, body),
        Err(refusal) => refused(snapshot, route.map(|(operation, _)| operation), &refusal),
    };
    cors::dressed(reply, &snapshot.dialect.cors, call)
}

/// Steps 2 to 9.
fn answer(
    located: &Located,
    dataset: &Dataset,
    route: Option<(Operation, &str)>,
    call: &Call<'_>,
) -> Result<Answer, Refusal> {
    let Located { world, snapshot } = located;
    let (operation, parameter) = route.ok_or_else(|| no_path(call))?;
    if call.method != "POST" {
        return Err(Refusal::new(Code::Method, format!("{} is not allowed here; POST is", call.method)));
    }
    // The subscription carries its key in the body, which is therefore read before the key is looked at.
    let caller = if operation == Operation::Subscribe {
        readable(call)?;
        snapshot.keys.authenticate(subscribe::sent_key(call)?.as_deref())?
    } else {
        snapshot.keys.authenticate(sent_key(call, &snapshot.dialect).as_deref())?
    };
    within_limit(world, caller)?;
    let enterprise = match operation {
        Operation::SentimentLocations | Operation::SentimentBenchmark => {
            Some(caller.enterprise(dataset, call, Code::EnterpriseInvalid)?)
        }
        Operation::Contact => Some(caller.enterprise(dataset, call, Code::BusinessMissing)?),
        Operation::Reviews | Operation::Qna | Operation::Subscribe => None,
    };
    readable(call)?;
    let parameter = &decode(parameter, false);
    let context =
        Context { dialect: &snapshot.dialect, caller, enterprise, parameter, events: &snapshot.events };
    operations::answer(operation, context, dataset, &world.ledger, call)
}

fn no_path(call: &Call<'_>) -> Refusal {
    let known = Operation::ALL.map(Operation::path).join(", ");
    let message = format!("Nothing is at {}. The paths are {known}.", call.path);
    Refusal { message: message.into(), ..Refusal::new(Code::NotFound, "") }
}

/// Step 5: the rate limit of the caller's key.
fn within_limit(world: &World, caller: Caller<'_>) -> Result<(), Refusal> {
    let Some((key, limit)) = caller.key.and_then(|key| Some((key, key.rate_limit?))) else { return Ok(()) };
    let passed = world.quotas().pass(&key.key, limit, world.clock.start(), world.clock.now());
    passed.map_err(|seconds| Refusal {
        retry_after: Some(seconds),
        ..Refusal::new(Code::RateLimited, format!("the key's window ends in {seconds} s"))
    })
}

/// Step 7, as far as it is one for all operations: media type, encoding and size of the body.
fn readable(call: &Call<'_>) -> Result<(), Refusal> {
    let media = call.header("content-type").unwrap_or_default();
    let kind = media.split_once(';').map_or(&*media, |(kind, _)| kind.trim());
    if !(kind.is_empty() || kind == "application/json" || is_json(kind)) {
        let detail =
            format!("content-type: {kind} is not application/json (curl sends a form type unless told)");
        return Err(Refusal::new(Code::MediaType, detail));
    }
    let encoding = call.header("content-encoding").unwrap_or_default();
    if !(encoding.is_empty() || encoding.eq_ignore_ascii_case("identity")) {
        return Err(Refusal::new(Code::MediaType, format!("content-encoding: {encoding} is not identity")));
    }
    match call.body {
        Body::Whole(_) => Ok(()),
        Body::TooLarge => Err(Refusal::new(Code::TooLarge, format!("the body is over {BODY_LIMIT} bytes"))),
    }
}

/// `application/json`, or a media type of its suffix (RFC 6839).
fn is_json(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    kind == "application/json" || (kind.contains('/') && kind.ends_with("+json"))
}

/// The reply of a refusal: its exact body, and what was wrong in a header.
#[must_use]
pub fn refused(snapshot: &Snapshot, operation: Option<Operation>, refusal: &Refusal) -> Reply {
    let status = snapshot.dialect.status(refusal.code, operation);
    let mut reply = Reply::json(status, refusal.body());
    if !refusal.detail.is_empty() {
        reply = reply.with("x-standin-detail", printable(&refusal.detail));
    }
    if let Some(seconds) = refusal.retry_after.filter(|_| snapshot.dialect.retry_after) {
        reply = reply.with("retry-after", seconds.to_string());
    }
    if refusal.code == Code::Method {
        reply = reply.with("allow", "POST");
    }
    reply
}

/// Most bytes of the detail header.
const DETAIL: usize = 512;

/// Printable ASCII, the rest escaped, cut where it is too long.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        let shown = if matches!(letter, ' '..='~') {
            letter.to_string()
        } else {
            letter.escape_unicode().to_string()
        };
        if out.len() + shown.len() > DETAIL {
            break;
        }
        out.push_str(&shown);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_detail_is_printable_and_short() {
        assert_eq!(printable("ratings[2]: é\n"), "ratings[2]: \\u{e9}\\u{a}");
        let long = printable(&"é".repeat(1000));
        assert!(long.len() <= DETAIL && long.ends_with('}'));
    }
}
