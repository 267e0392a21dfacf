//! The record of a world: what a client is judged by.

use serde_json::json;

use crate::api::call::KeyMatch;
use crate::expect::call::Call;
use crate::expect::record::{Command, Record};
use crate::server::admin::{contacts, subscriptions};
use crate::world::World;

/// All that clients did in the current run of a world. `command` is the one that was run for it.
pub(crate) fn record(world: &World, command: Option<Command>) -> Record {
    let (run, snapshot) = (world.run(), world.snapshot());
    let journal = run.journal.read();
    let deliveries = run.deliveries(|_| true, 0..usize::MAX);
    let keys = snapshot.keys.all().iter().enumerate();
    Record {
        scenario: snapshot.scenario.clone(),
        seed: snapshot.seed.0,
        world: world.name.clone(),
        calls: journal.entries.iter().map(|entry| Call::new(entry)).collect(),
        dropped: journal.dropped,
        contacts: contacts::all(world).iter().map(|contact| json!(contact)).collect(),
        subscriptions: subscriptions::all(world).iter().map(|subscription| json!(subscription)).collect(),
        deliveries: deliveries.page,
        deliveries_dropped: deliveries.dropped,
        rate_limits: keys
            .filter_map(|(index, key)| Some((snapshot.keys.label(KeyMatch::Listed(index))?, key.rate_limit?)))
            .collect(),
        scorecard: (*snapshot.scorecard).clone(),
        command,
    }
}
