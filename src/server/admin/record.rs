//! The record of a world, by which a client is judged, and what is said of it.

use std::sync::Arc;

use serde_json::json;

use crate::api::call::KeyMatch;
use crate::expect::call::Call;
use crate::expect::expectation::Expectation;
use crate::expect::record::{Command, Record};
use crate::expect::report::ExpectationReport;
use crate::expect::verify;
use crate::journal::mask::Mask;
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
        keys: Arc::clone(&snapshot.keys),
        rate_limits: keys
            .filter_map(|(index, key)| Some((snapshot.keys.label(KeyMatch::Listed(index))?, key.rate_limit?)))
            .collect(),
        scorecard: (*snapshot.scorecard).clone(),
        command,
    }
}

/// Verifies expectations against a record of the world. API keys are masked in what it says.
pub(crate) fn verify(world: &World, record: &Record, expectations: &[Expectation]) -> Vec<ExpectationReport> {
    let minted = world.minted.as_ref().map(|key| key.key.as_str());
    let mask = Mask::new(&record.keys, minted, world.secrets());
    let mut reports = verify::verify(record, expectations);
    for report in &mut reports {
        report.name = mask.text(&report.name).into_owned();
        report.message = mask.text(&report.message).into_owned();
        for member in report.nearest.iter_mut().flat_map(|nearest| &mut nearest.members) {
            let is_key = ["header x-api-key", "query api_key", "body /apiKey"].contains(&&*member.member);
            for value in [&mut member.expected, &mut member.received] {
                if is_key {
                    mask.key(value);
                } else {
                    mask.json(value);
                }
            }
            member.member = mask.text(&member.member).into_owned();
        }
    }
    reports
}
