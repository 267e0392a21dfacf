//! The body of an admin call, read member by member.

use serde_json::Value;

use crate::api::call::{Body, Call};
use crate::api::ids::ID_LIMIT;
use crate::api::reply::Reply;
use crate::draw::Seed;
use crate::server::guard::error;

/// The members of a JSON object.
pub type Members = serde_json::Map<String, Value>;

/// The members of a body; an empty body has none.
///
/// # Errors
/// The answer, where the body is no JSON object or has a member that is not allowed.
pub fn members(call: &Call<'_>, allowed: &[&str]) -> Result<Members, Reply> {
    let Body::Whole(bytes) = call.body else { return Err(error(413, "The body is too large.")) };
    if bytes.trim_ascii().is_empty() {
        return Ok(Members::new());
    }
    let members = match serde_json::from_slice(bytes) {
        Ok(Value::Object(members)) => members,
        Ok(other) => return Err(error(400, &format!("The body must be a JSON object; it is {other}."))),
        Err(problem) => return Err(error(400, &format!("The body is not JSON: {problem}."))),
    };
    match members.keys().find(|name| !allowed.contains(&name.as_str())) {
        Some(name) => Err(error(400, &format!("{name} is unknown here; {} is allowed.", allowed.join(", ")))),
        None => Ok(members),
    }
}

/// A text member; absent or null is none.
///
/// # Errors
/// The answer, where it is something else.
pub fn text(members: &Members, name: &str) -> Result<Option<String>, Reply> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(error(400, &format!("{name} must be a string; it is {other}."))),
    }
}

/// The seed of a body, if it has one.
///
/// # Errors
/// The answer, where it is none.
pub fn seed(members: &Members) -> Result<Option<Seed>, Reply> {
    match members.get("seed") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64().filter(|seed| *seed < ID_LIMIT) {
            Some(seed) => Ok(Some(Seed(seed))),
            None => Err(error(
                400,
                &format!("seed must be an integer from 0 to {}; it is {value}.", ID_LIMIT - 1),
            )),
        },
    }
}
