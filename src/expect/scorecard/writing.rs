//! Rules on writing: a write whose answer was lost has taken effect, and a careless retry makes a second one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::expect::call::Call;
use crate::expect::report::Verdict;
use crate::expect::scorecard::judged::{Evidence, Judged, finding};
use crate::expect::words;
use crate::fault::effect::Kind;
use crate::operations::spec::Spec;
use crate::operations::{contact, subscribe};

/// The calls of an operation that took effect, each with the id that the API gave.
fn written<'a>(evidence: &Evidence<'a>, spec: &'static Spec, id: &'static str) -> Vec<(&'a Call, u64)> {
    let calls = evidence.record.calls.iter().filter(|call| call.operation == Some(spec.operation));
    calls.filter_map(|call| Some((call, call.answer.get(id)?.as_u64()?))).collect()
}

fn is_lost(call: &Call) -> bool {
    call.effect == Some(Kind::Lost)
}

/// `lost-contact`: a contact whose answer was lost is stored once.
pub(crate) fn lost_contact(evidence: &Evidence<'_>) -> Judged {
    let written = written(evidence, &contact::SPEC, "id");
    let lost: Vec<usize> = (0..written.len()).filter(|place| is_lost(written[*place].0)).collect();
    if lost.is_empty() {
        return Judged::not_exercised("no answer to a contact was lost");
    }
    let mut first_of: BTreeMap<u64, usize> = BTreeMap::new();
    let mut alike: BTreeMap<(Option<&str>, String), Vec<usize>> = BTreeMap::new();
    for (place, (call, id)) in written.iter().enumerate() {
        first_of.entry(*id).or_insert(place);
        if let Some(rest) = rest(call) {
            alike.entry((call.key.as_deref(), rest)).or_default().push(place);
        }
    }
    let findings = lost.iter().filter_map(|place| {
        let (first, id) = written[*place];
        let alike = alike.get(&(first.key.as_deref(), rest(first)?))?;
        // The first later call that made a contact which was not there before.
        let later = &alike[alike.partition_point(|other| other <= place)..];
        let second = *later.iter().find(|other| written[**other].1 != id && first_of[&written[**other].1] > *place)?;
        // A client that repeated the call itself has healed it: what comes later is another contact.
        let healed = written[place + 1..second].iter().any(|(call, _)| call.fingerprint == first.fingerprint);
        let (second, other) = written[second];
        (!healed).then(|| {
            let message = format!(
                "call {} stored contact {id} and its answer was lost; call {}, {} later and alike but for its identifiers, made contact {other}",
                first.seq,
                second.seq,
                words::time(second.arrived.saturating_sub(first.ended()))
            );
            finding(Verdict::Fail, vec![first.seq, second.seq], message)
        })
    });
    Judged::new(lost_in_words(lost.len(), "contact"), findings.collect())
}

/// `1 answer to a contact was lost`, `2 answers to contacts were lost`.
fn lost_in_words(count: usize, what: &str) -> String {
    if count == 1 {
        return format!("1 answer to a {what} was lost");
    }
    format!("{count} answers to {what}s were lost")
}

/// What a contact says beside its identifiers and where it belongs. None if that is nothing by which two contacts could be
/// found alike.
fn rest(call: &Call) -> Option<String> {
    const IDENTIFIERS: [&str; 4] = ["id", "externalId", "email", "phone"];
    const COMMON: [&str; 2] = ["businessIds", "countryCode"];
    let mut members = call.body.as_object()?.clone();
    members.retain(|name, value| !IDENTIFIERS.contains(&name.as_str()) && !value.is_null());
    let tells = |(name, value): (&String, &Value)| !COMMON.contains(&name.as_str()) && !value.is_boolean();
    members.iter().any(tells).then(|| Value::Object(members).to_string())
}

/// `lost-subscription`: each call to subscribe makes a new subscription, so that a lost one is not repeated blindly.
pub(crate) fn lost_subscription(evidence: &Evidence<'_>) -> Judged {
    let written = written(evidence, &subscribe::SPEC, "subscriptionId");
    let lost = written.iter().filter(|(call, _)| is_lost(call)).count();
    if lost == 0 {
        return Judged::not_exercised("no answer to a subscription was lost");
    }
    let links = evidence.chains.all.iter().flat_map(|chain| &chain.links);
    let by_stack: BTreeSet<u64> = links.filter_map(|link| Some(link.transport_retry?.seq)).collect();
    // The next subscription that is alike, from the last call to the first.
    let mut next: BTreeMap<Target<'_>, (&Call, u64)> = BTreeMap::new();
    let mut findings = Vec::new();
    for (call, id) in written.into_iter().rev() {
        let target = target(call);
        if let Some((second, other)) = next.get(&target).filter(|_| is_lost(call)) {
            let message = format!(
                "call {} made subscription {id} and its answer was lost; call {}, {} later, made subscription {other}, which is alike",
                call.seq,
                second.seq,
                words::time(second.arrived.saturating_sub(call.ended()))
            );
            findings.push(finding(Verdict::Fail, vec![call.seq, second.seq], message));
        }
        if !by_stack.contains(&call.seq) {
            next.insert(target, (call, id));
        }
    }
    findings.reverse();
    Judged::new(lost_in_words(lost, "subscription"), findings)
}

/// The account, the endpoint and the events.
type Target<'a> = (String, String, Vec<&'a str>);

/// What a subscription listens to, and where it sends that.
fn target(call: &Call) -> Target<'_> {
    let text = |name: &str| match call.body.get(name) {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let events = call.body.get("events").and_then(Value::as_array);
    let mut events: Vec<&str> = events.into_iter().flatten().filter_map(Value::as_str).collect();
    events.sort_unstable();
    events.dedup();
    (text("businessNumber"), text("endpoint"), events)
}
