//! What reading and adding reviews and questions have in common.

use serde_json::json;

use crate::api::call::{Body, Call};
use crate::api::reply::Reply;
use crate::dataset::facts::Dataset;
use crate::ledger::added::Taken;
use crate::scenario::diagnostic::Diagnostic;
use crate::scenario::render;
use crate::server::guard::error;

/// The locations whose records are asked for: those of `business`, or all.
///
/// # Errors
/// The answer, where that is no business.
pub fn locations(dataset: &Dataset, call: &Call<'_>) -> Result<Vec<u32>, Reply> {
    let Some(sent) = call.parameter("business") else {
        return Ok((0..).take(dataset.location_count()).collect());
    };
    let place = sent.parse().ok().and_then(|number| dataset.find(number));
    place.map(|place| dataset.locations_of(place)).ok_or_else(|| {
        let allowed = "the number of an account or a location of this world";
        error(400, &format!("business must be {allowed}; it is {sent}."))
    })
}

/// The text of a body.
///
/// # Errors
/// The answer, where it is none.
pub fn text<'a>(call: &Call<'a>) -> Result<&'a str, Reply> {
    let Body::Whole(bytes) = call.body else { return Err(error(413, "The body is too large.")) };
    std::str::from_utf8(bytes).map_err(|_| error(400, "The body must be UTF-8."))
}

/// The answer to a record that has problems.
#[must_use]
pub fn refused(problems: &[Diagnostic]) -> Reply {
    let first = problems.first().map_or_else(String::new, |problem| format!(": {}", problem.message));
    let message = format!("Nothing was added{first}. See the diagnostics.");
    let body = json!({ "error": message, "diagnostics": render::json(problems) });
    Reply::json(400, body.to_string().into_bytes())
}

/// The answer to a record whose id is not free.
#[must_use]
pub fn taken(Taken { what, id }: &Taken) -> Reply {
    let message = format!(
        "Nothing was added: the account has the {what} id {id} already. Give another, or none: then one is drawn."
    );
    error(409, &message)
}
