//! Whether what is served is what stands on the disk.

use serde_json::{Value, json};

use crate::api::reply::Reply;
use crate::clock::Moment;
use crate::reload::status::Entry;
use crate::scenario::render;
use crate::server::admin::ok;
use crate::server::state::State;

/// `GET /__admin/health`.
#[must_use]
pub fn whole(state: &State) -> Reply {
    let entries = state.board.entries();
    let scenarios: Vec<Value> = entries
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "generation": entry.generation,
                "loadedAt": entry.loaded_at.map(Moment::iso),
                "diagnostics": render::json(&entry.problems),
            })
        })
        .collect();
    ok(&json!({ "status": status(&entries), "version": env!("CARGO_PKG_VERSION"), "scenarios": scenarios }))
}

/// The same, for whom the rest is none of their business.
#[must_use]
pub fn short(state: &State) -> Reply {
    ok(&json!({ "status": status(&state.board.entries()), "version": env!("CARGO_PKG_VERSION") }))
}

fn status(entries: &[Entry]) -> &'static str {
    if entries.iter().any(Entry::is_degraded) { "degraded" } else { "ok" }
}
