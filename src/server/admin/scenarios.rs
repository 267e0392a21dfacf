//! The scenarios that are served.

use serde_json::{Value, json};

use crate::reload::Entry;
use crate::server::state::State;

/// `GET /__admin/scenarios`.
#[must_use]
pub fn all(state: &State) -> Vec<Value> {
    let served = |entry: &Entry| {
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
    };
    state.board.entries().iter().filter_map(served).collect()
}
