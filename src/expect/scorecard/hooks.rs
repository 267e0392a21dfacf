//! Rules on receiving webhooks.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::expect::call::Call;
use crate::expect::middle::percentile;
use crate::expect::outcome::Outcome;
use crate::expect::record::Record;
use crate::expect::report::{Finding, Verdict};
use crate::expect::scorecard::judged::{Evidence, Judged, delivery_finding};
use crate::expect::words;
use crate::webhook::delivery::{Attempt, Delivery};
use crate::webhook::event::UNKNOWN;
use crate::webhook::settings::DeliveryEffect;
use crate::webhook::{client, sign};

/// The status that an attempt was answered with.
fn status(attempt: &Attempt) -> Option<u16> {
    Some(attempt.outcome.as_ref()?.result.as_ref().ok()?.status)
}

fn took(attempt: &Attempt) -> Duration {
    let millis = attempt.outcome.as_ref().map_or(0.0, |outcome| outcome.took);
    Duration::try_from_secs_f64(millis / 1000.0).unwrap_or_default()
}

/// `hook-acknowledged`: a receiver answers at once, and works afterwards.
pub(crate) fn hook_acknowledged(evidence: &Evidence<'_>) -> Judged {
    let attempts =
        evidence.record.deliveries.iter().flat_map(|delivery| {
            delivery.attempts.iter().map(move |attempt| (delivery.id.as_str(), attempt))
        });
    // An answer that never came counts as long as it was awaited.
    let counts = |attempt: &Attempt| {
        let error = attempt.outcome.as_ref().and_then(|outcome| outcome.result.as_ref().err());
        status(attempt).is_some_and(|status| (200..300).contains(&status))
            || error.is_some_and(|error| error.starts_with(client::NO_ANSWER))
    };
    let times: Vec<(&str, Duration)> =
        attempts.filter(|(_, attempt)| counts(attempt)).map(|(id, attempt)| (id, took(attempt))).collect();
    if times.is_empty() {
        return Judged::not_exercised("no delivery was acknowledged");
    }
    let slow = percentile(times.iter().map(|(_, took)| *took).collect(), 95);
    let message = format!(
        "95 of 100 acknowledgements took at most {} ({} in all)",
        words::time(slow),
        words::count(times.len(), "acknowledgement")
    );
    let verdict = match slow {
        slow if slow > evidence.limits.time("fail") => Some(Verdict::Fail),
        slow if slow > evidence.limits.time("warn") => Some(Verdict::Warn),
        _ => None,
    };
    let findings = verdict.map(|verdict| {
        let late = times.iter().filter(|(_, took)| *took > evidence.limits.time("warn"));
        delivery_finding(verdict, late.map(|(id, _)| (*id).to_owned()).collect(), message.clone())
    });
    Judged::new(message, findings.into_iter().collect())
}

/// `hook-signature`: a delivery that is not from the sender, or is old, is refused.
pub(crate) fn hook_signature(evidence: &Evidence<'_>) -> Judged {
    let (mut judged, mut findings) = (0_usize, Vec::new());
    for delivery in &evidence.record.deliveries {
        for (place, attempt) in delivery.attempts.iter().enumerate() {
            let (Some(why), Some(status)) = (wrong(attempt, evidence.limits.time("age")), status(attempt))
            else {
                continue;
            };
            judged += 1;
            let verdict = match status {
                200..300 => Verdict::Fail,
                400..500 => continue,
                _ => Verdict::Warn,
            };
            let message = format!(
                "attempt {} of delivery {} had {why} and was answered {status}",
                place + 1,
                delivery.id
            );
            findings.push(delivery_finding(verdict, vec![delivery.id.clone()], message));
        }
    }
    if judged == 0 {
        return Judged::not_exercised("no delivery with a wrong signature or an old timestamp was answered");
    }
    Judged::new(
        format!("{} with a wrong signature or an old timestamp", words::count(judged, "attempt")),
        findings,
    )
}

/// What is wrong with the signature of an attempt.
fn wrong(attempt: &Attempt, age: Duration) -> Option<String> {
    let header =
        |name: &str| attempt.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    let is_signed = header("webhook-signature").or_else(|| header(sign::PLAIN)).is_some();
    if is_signed && attempt.fault == Some(DeliveryEffect::BadSignature) {
        return Some("a wrong signature".to_owned());
    }
    let stamp: i64 = header("webhook-timestamp")?.parse().ok()?;
    let old =
        u64::try_from(attempt.sent.0.div_euclid(1000).saturating_sub(stamp)).ok().map(Duration::from_secs)?;
    (old > age).then(|| format!("a timestamp {} old", words::time(old)))
}

/// `hook-twice`: the same delivery again changes nothing.
pub(crate) fn hook_twice(evidence: &Evidence<'_>) -> Judged {
    let (mut judged, mut findings) = (0_usize, Vec::new());
    for delivery in &evidence.record.deliveries {
        let is_accepted =
            |attempt: &&Attempt| status(attempt).is_some_and(|status| (200..300).contains(&status));
        let Some(first) = delivery.attempts.iter().position(|attempt| is_accepted(&attempt)) else {
            continue;
        };
        let Some(again) = delivery.attempts[first + 1..].iter().find(|attempt| status(attempt).is_some())
        else {
            continue;
        };
        judged += 1;
        let fail = |message| delivery_finding(Verdict::Fail, vec![delivery.id.clone()], message);
        if let Some(status) = status(again).filter(|_| !is_accepted(&again)) {
            findings.push(fail(format!(
                "delivery {} came twice with the id {} and was answered {status} the second time",
                delivery.id, delivery.event.id
            )));
            continue;
        }
        let seqs = doubled(evidence, delivery, &delivery.attempts[first], again);
        findings.extend(seqs.map(|seqs| {
            let message = format!(
                "delivery {} came twice with the id {}, and {} are alike",
                delivery.id,
                delivery.event.id,
                words::calls(&seqs)
            );
            Finding { calls: seqs, ..fail(message) }
        }));
    }
    if judged == 0 {
        return Judged::not_exercised("no delivery came twice");
    }
    Judged::new(format!("{} twice", words::count(judged, "delivery")), findings)
}

/// Calls that both attempts have caused: successful calls of one request, which was never sent before, more often than other
/// deliveries explain. None of them explains a call that names the event.
fn doubled(
    evidence: &Evidence<'_>,
    delivery: &Delivery,
    first: &Attempt,
    again: &Attempt,
) -> Option<Vec<u64>> {
    let record = evidence.record;
    let until = again.elapsed + took(again) + evidence.limits.time("within");
    let mut before: BTreeSet<u64> = BTreeSet::new();
    let mut caused: BTreeMap<u64, (bool, Vec<u64>)> = BTreeMap::new();
    for call in record.calls.iter().filter(|call| call.operation.is_some()) {
        if call.arrived < first.elapsed {
            before.insert(call.fingerprint);
        } else if call.arrived <= until && call.outcome() == Outcome::Read {
            let (_, seqs) =
                caused.entry(call.fingerprint).or_insert_with(|| (is_about(call, delivery), Vec::new()));
            seqs.push(call.seq);
        }
    }
    let explained = delivered_between(record, first.elapsed, until);
    let mut doubled: Vec<Vec<u64>> = caused
        .into_iter()
        .filter(|(fingerprint, (is_about, seqs))| {
            seqs.len() > if *is_about { 1 } else { explained } && !before.contains(fingerprint)
        })
        .map(|(_, (_, seqs))| seqs)
        .collect();
    doubled.sort();
    doubled.into_iter().next()
}

/// Whether a call has the id of the delivery or of its event in its body or query.
fn is_about(call: &Call, delivery: &Delivery) -> bool {
    let body = call.body.to_string();
    let texts = || std::iter::once(&body).chain(call.query.iter().map(|(_, value)| value));
    [&delivery.id, &delivery.event.id].into_iter().any(|id| texts().any(|text| text.contains(id.as_str())))
}

/// How many different deliveries a receiver accepted in a span of time.
fn delivered_between(record: &Record, from: Duration, until: Duration) -> usize {
    let is_within = |attempt: &Attempt| {
        (from..=until).contains(&attempt.elapsed)
            && status(attempt).is_some_and(|status| (200..300).contains(&status))
    };
    record.deliveries.iter().filter(|delivery| delivery.attempts.iter().any(is_within)).count()
}

/// `hook-out-of-order`: deliveries of a conversation that come in another order are accepted.
pub(crate) fn hook_out_of_order(evidence: &Evidence<'_>) -> Judged {
    let mut lanes: BTreeMap<(u64, u64, &str), Vec<&Delivery>> = BTreeMap::new();
    for delivery in &evidence.record.deliveries {
        let Some(conversation) = delivery.event.conversation.as_deref() else { continue };
        let lane = (delivery.subscription, delivery.event.business, conversation);
        if !delivery.attempts.is_empty() {
            lanes.entry(lane).or_default().push(delivery);
        }
    }
    let mut late: BTreeMap<&str, &Delivery> = BTreeMap::new();
    for lane in lanes.values() {
        for (place, early) in lane.iter().enumerate() {
            let overtaken = |later: &&&Delivery| later.attempts[0].elapsed < early.attempts[0].elapsed;
            for overtaking in lane[place + 1..].iter().take(MOST_OVERTAKING).filter(overtaken) {
                late.extend([(early.id.as_str(), *early), (overtaking.id.as_str(), *overtaking)]);
            }
        }
    }
    let deliveries =
        evidence.record.deliveries.iter().filter(|delivery| late.contains_key(delivery.id.as_str()));
    accepted(deliveries.map(|delivery| &**delivery), "came out of order")
}

/// How many of the following deliveries of a conversation are looked at.
const MOST_OVERTAKING: usize = 100;

/// `hook-unknown-event`: an event that the receiver does not know is accepted.
pub(crate) fn hook_unknown_event(evidence: &Evidence<'_>) -> Judged {
    let deliveries = evidence.record.deliveries.iter().filter(|delivery| delivery.event.name == UNKNOWN);
    accepted(deliveries.map(|delivery| &**delivery), "had an event that nobody subscribed to")
}

/// Whether the receiver accepted these deliveries.
fn accepted<'a>(deliveries: impl Iterator<Item = &'a Delivery>, what: &str) -> Judged {
    let (mut judged, mut findings) = (0_usize, Vec::new());
    for delivery in deliveries {
        // A receiver may refuse what is cut or has a wrong signature.
        let is_whole = |attempt: &&Attempt| attempt.fault.is_none();
        let statuses: Vec<u16> = delivery.attempts.iter().filter(is_whole).filter_map(status).collect();
        judged += usize::from(!statuses.is_empty());
        let Some(worst) = statuses.into_iter().filter(|status| !(200..300).contains(status)).max() else {
            continue;
        };
        let verdict = if worst >= 500 { Verdict::Fail } else { Verdict::Warn };
        let message = format!("delivery {} {what} and was answered {worst}", delivery.id);
        findings.push(delivery_finding(verdict, vec![delivery.id.clone()], message));
    }
    if judged == 0 {
        return Judged::not_exercised(format!("no delivery {what}"));
    }
    Judged::new(format!("{} {what}", words::count(judged, "delivery")), findings)
}
