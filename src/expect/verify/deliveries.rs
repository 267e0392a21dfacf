//! Whether the receivers of webhooks accepted them.

use std::sync::Arc;
use std::time::Duration;

use crate::expect::chain::TOLERANCE;
use crate::expect::expectation::Deliveries;
use crate::expect::record::Record;
use crate::expect::verify::Outcome;
use crate::expect::words;
use crate::webhook::delivery::{Attempt, Delivery, Status};

/// All shares are parts of it.
const ALL: u64 = 1_000_000;

pub(super) fn verify(record: &Record, expected: &Deliveries) -> Outcome {
    let is_wanted = |delivery: &&Arc<Delivery>| {
        let (event, business) = (&delivery.event.name, delivery.event.business);
        (expected.events.is_empty() || expected.events.contains(event))
            && (expected.businesses.is_empty() || expected.businesses.contains(&business))
    };
    let wanted: Vec<&Arc<Delivery>> = record.deliveries.iter().filter(is_wanted).collect();
    if let Some(count) = expected.count.filter(|count| !count.contains(wanted.len() as u64)) {
        let found = match wanted.len() {
            1 => "there was 1 delivery".to_owned(),
            found => format!("there were {found} deliveries"),
        };
        return Outcome::fail(format!("{found}; expected: {count}"), None);
    }
    let total = match wanted.len() {
        1 => "1 delivery".to_owned(),
        total => format!("{total} deliveries"),
    };
    let Some(share) = expected.acknowledged else { return Outcome::pass(total) };
    if wanted.is_empty() {
        return Outcome::pass("there was no delivery, so that nothing is expected");
    }
    let late: Vec<&Arc<Delivery>> =
        wanted.iter().copied().filter(|delivery| !is_accepted(delivery, expected.within)).collect();
    let accepted = (wanted.len() - late.len()) as u64;
    let in_time = expected.within.map_or(String::new(), |within| format!(" within {}", words::time(within)));
    let message = format!("{accepted} of {total} acknowledged{in_time}");
    if accepted * ALL >= u64::from(share) * wanted.len() as u64 {
        return Outcome::pass(message);
    }
    let percent = f64::from(share) / 10_000.0;
    let why = late.first().map_or(String::new(), |delivery| format!("; {}", why(delivery)));
    Outcome::fail(format!("{message}; expected: {percent}%{why}"), None)
}

fn is_accepted(delivery: &Delivery, within: Option<Duration>) -> bool {
    delivery.status == Status::Delivered
        && within.is_none_or(|within| taken(delivery).is_some_and(|taken| taken <= within + TOLERANCE))
}

/// The time from the first attempt to the response that accepted the delivery: world time between attempts, real time of the
/// last.
fn taken(delivery: &Delivery) -> Option<Duration> {
    let (first, last) = (delivery.attempts.first()?, delivery.attempts.last()?);
    let millis = u64::try_from(last.at.0.saturating_sub(first.at.0)).unwrap_or_default();
    let took = last.outcome.as_ref()?.took;
    Some(Duration::from_millis(millis) + Duration::try_from_secs_f64(took / 1000.0).unwrap_or_default())
}

/// What happened to a delivery that was not acknowledged in time.
fn why(delivery: &Delivery) -> String {
    let id = &delivery.id;
    let last = delivery.attempts.last().and_then(|attempt: &Attempt| attempt.outcome.as_ref());
    match (delivery.status, last.map(|outcome| &outcome.result)) {
        (Status::Delivered, _) => {
            let taken = taken(delivery).map_or(String::new(), |taken| format!(" {}", words::time(taken)));
            format!("{id} took{taken}")
        }
        (_, Some(Ok(answer))) => format!("{id} was answered {}", answer.status),
        (_, Some(Err(error))) => format!("{id}: {error}"),
        (Status::Pending, None) => format!("{id} is pending"),
        (Status::Dead, None) => {
            format!("{id} is dead: {}", delivery.reason.as_deref().unwrap_or("never attempted"))
        }
    }
}
