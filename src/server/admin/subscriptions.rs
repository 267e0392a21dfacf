//! The webhook subscriptions of a world, in the API's field names.

use serde_json::{Value, json};

use crate::world::World;

/// `GET …/subscriptions`.
#[must_use]
pub fn all(world: &World) -> Vec<Value> {
    let ledger = world.ledger();
    ledger
        .subscriptions
        .all()
        .iter()
        .map(|made| {
            json!({ "subscriptionId": made.id, "businessId": made.business, "events": made.events, "endpoint": made.endpoint })
        })
        .collect()
}
