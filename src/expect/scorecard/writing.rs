//! Rules on writing: a write whose answer was lost has taken effect, and a careless retry makes a second one.

use serde_json::{Map, Value};

use crate::expect::call::Call;
use crate::expect::chain::Chains;
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
    let lost: Vec<_> = written.iter().enumerate().filter(|(_, (call, _))| is_lost(call)).collect();
    if lost.is_empty() {
        return Judged::not_exercised("no answer to a contact was lost");
    }
    let findings = lost.iter().filter_map(|(place, (first, id))| {
        let (before, after) = (&written[..*place], &written[*place + 1..]);
        let alike = rest(first)?;
        let (second, other) = after.iter().find(|(call, other)| {
            let is_new = !before.iter().any(|(_, known)| known == other);
            // Its HTTP stack repeats the same bytes, which find the same contact.
            other != id && is_new && call.key == first.key && rest(call).as_ref() == Some(&alike)
        })?;
        // A client that repeated the call itself has healed it: what comes later is another contact.
        let healed = after.iter().any(|(call, _)| call.seq < second.seq && call.fingerprint == first.fingerprint);
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
    Judged::new(format!("{} to contacts lost", words::count(lost.len(), "answer")), findings.collect())
}

/// What a contact says beside its identifiers and where it belongs. None if that is nothing by which two contacts could be
/// found alike.
fn rest(call: &Call) -> Option<Map<String, Value>> {
    const IDENTIFIERS: [&str; 4] = ["id", "externalId", "email", "phone"];
    const COMMON: [&str; 2] = ["businessIds", "countryCode"];
    let mut members = call.body.as_object()?.clone();
    members.retain(|name, value| !IDENTIFIERS.contains(&name.as_str()) && !value.is_null());
    let tells = |(name, value): (&String, &Value)| !COMMON.contains(&name.as_str()) && !value.is_boolean();
    members.iter().any(tells).then_some(members)
}

/// `lost-subscription`: each call to subscribe makes a new subscription, so that a lost one is not repeated blindly.
pub(crate) fn lost_subscription(evidence: &Evidence<'_>) -> Judged {
    let written = written(evidence, &subscribe::SPEC, "subscriptionId");
    let lost: Vec<_> = written.iter().enumerate().filter(|(_, (call, _))| is_lost(call)).collect();
    if lost.is_empty() {
        return Judged::not_exercised("no answer to a subscription was lost");
    }
    let findings = lost.iter().filter_map(|(place, (first, id))| {
        let (second, other) = written[*place + 1..]
            .iter()
            .find(|(call, _)| target(call) == target(first) && !is_by_stack(evidence.chains, call))?;
        let message = format!(
            "call {} made subscription {id} and its answer was lost; call {}, {} later, made subscription {other}, which is alike",
            first.seq,
            second.seq,
            words::time(second.arrived.saturating_sub(first.ended()))
        );
        Some(finding(Verdict::Fail, vec![first.seq, second.seq], message))
    });
    let message = format!("{} to subscriptions lost", words::count(lost.len(), "answer"));
    Judged::new(message, findings.collect())
}

/// What a subscription listens to, and where it sends that.
fn target(call: &Call) -> (String, String, Vec<&str>) {
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

/// Whether a call is the repetition of another by the HTTP stack.
fn is_by_stack(chains: &Chains<'_>, call: &Call) -> bool {
    let mut links = chains.all.iter().flat_map(|chain| &chain.links);
    links.any(|link| link.transport_retry.is_some_and(|retry| retry.seq == call.seq))
}
