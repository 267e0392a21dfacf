//! The scenarios that are served, and scenarios sent to be served.

use serde_json::{Value, json};

use crate::api::call::{Body, Call};
use crate::api::reply::Reply;
use crate::reload::status::Entry;
use crate::scenario::render;
use crate::scenario::scalars::is_world_name;
use crate::server::admin::invalid;
use crate::server::guard::error;
use crate::server::state::State;
use crate::world::registry::DEFAULT;

/// `GET /__admin/scenarios`.
#[must_use]
pub fn all(state: &State) -> Vec<Value> {
    state.board.entries().iter().filter_map(|entry| listed(state, entry)).collect()
}

fn listed(state: &State, entry: &Entry) -> Option<Value> {
    let snapshot = entry.snapshot.as_ref()?;
    let counts = snapshot.counts;
    Some(json!({
        "name": entry.name,
        "summary": snapshot.summary,
        "default": entry.name == state.registry.default_name(),
        "file": entry.file,
        "businesses": counts.businesses,
        "locations": counts.locations,
        "reviews": counts.reviews,
        "questions": counts.questions,
        "faults": counts.faults,
    }))
}

/// `PUT /__admin/scenarios/{name}`. It reads the files that the scenario names, and belongs on no request thread.
///
/// # Errors
/// The answer to a scenario that has errors; what was served stays.
pub fn put(state: &State, name: &str, call: &Call<'_>) -> Result<Reply, Reply> {
    if name == DEFAULT || !is_world_name(name) {
        let message = format!(
            "`{name}` cannot name a scenario: 1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit, and not `default`."
        );
        return Err(error(400, &message));
    }
    let Body::Whole(bytes) = call.body else {
        return Err(error(
            413,
            "The body is over 1 MiB: put seed data into files, which the scenario names with `file:`.",
        ));
    };
    let Ok(text) = std::str::from_utf8(bytes) else { return Err(error(400, "The body is not UTF-8.")) };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let serve = |snapshot| state.registry.apply(&snapshot);
    let (entry, new) = state
        .board
        .send(&state.setup, (name, text), serve)
        .map_err(|problems| invalid("The scenario is not served", &problems))?;
    let mut body = listed(state, &entry).unwrap_or_default();
    body["generation"] = entry.generation.into();
    body["diagnostics"] = render::json(&entry.problems);
    Ok(Reply::json(if new { 201 } else { 200 }, body.to_string().into_bytes()))
}
