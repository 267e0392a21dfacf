//! Whether as many contacts or subscriptions stand so as expected.

use serde_json::Value;

use crate::api::fold::fold;
use crate::expect::call::Call;
use crate::expect::expectation::{Stored, StoredKind, StoredValue};
use crate::expect::record::Record;
use crate::expect::report::{Member, Nearest};
use crate::expect::verify::pattern::one_or_list;
use crate::expect::verify::{Outcome, text};

pub(super) fn verify(record: &Record, stored: &Stored) -> Outcome {
    let (all, thing, id) = match stored.kind {
        StoredKind::Contact => (&record.contacts, "contact", "id"),
        StoredKind::Subscription => (&record.subscriptions, "subscription", "subscriptionId"),
    };
    let matching: Vec<&Value> = all.iter().filter(|known| matches(stored, known)).collect();
    let found = matching.len();
    let ids = text::list(matching.iter().map(|known| &known[id]));
    let message = match found {
        0 => format!("no {thing} matches"),
        1 => format!("1 {thing} matches ({ids})"),
        _ => format!("{found} {thing}s match ({ids})"),
    };
    if stored.count.contains(found as u64) {
        return Outcome::pass(message);
    }
    let is_too_few = (found as u64) < stored.count.min;
    let nearest = is_too_few.then(|| nearest(record, stored)).flatten();
    Outcome::fail(format!("{message}; expected: {}", stored.count), nearest)
}

fn matches(stored: &Stored, known: &Value) -> bool {
    let names_business = match stored.kind {
        StoredKind::Contact => known["businessIds"].as_array().map_or(&[][..], Vec::as_slice),
        StoredKind::Subscription => std::slice::from_ref(&known["businessId"]),
    };
    let mut numbers = names_business.iter().filter_map(Value::as_u64);
    (stored.businesses.is_empty() || numbers.any(|number| stored.businesses.contains(&number)))
        && stored.members.iter().all(|(name, values)| has_one_of(name, values, &known[*name]))
}

/// Whether a member has one of the values. A list has a value if one of its elements does.
fn has_one_of(name: &str, values: &[StoredValue], found: &Value) -> bool {
    if let Value::Array(list) = found {
        return list.iter().any(|found| values.iter().any(|value| is(name, value, found)));
    }
    values.iter().any(|value| is(name, value, found))
}

fn is(name: &str, value: &StoredValue, found: &Value) -> bool {
    match (value, found) {
        (StoredValue::Members(members), found) => {
            found.is_object() && members.iter().all(|(name, values)| has_one_of(name, values, &found[*name]))
        }
        (StoredValue::Is(Value::String(wanted)), Value::String(found)) if name == "email" => {
            fold(wanted) == fold(found)
        }
        (StoredValue::Is(wanted), found) => wanted == found,
    }
}

/// The call that wrote what comes nearest.
fn nearest(record: &Record, stored: &Stored) -> Option<Nearest> {
    let writes =
        |call: &&Call| call.operation.is_some_and(|operation| operation.name() == writer(stored.kind));
    let compared = record.calls.iter().filter(writes).map(|call| (call.seq, compare(stored, call)));
    let mut nearest: Option<(u64, Vec<Member>)> = None;
    let agreeing = |members: &[Member]| members.iter().filter(|member| member.agrees).count();
    for (call, members) in compared {
        if nearest.as_ref().is_none_or(|(_, known)| agreeing(&members) > agreeing(known)) {
            nearest = Some((call, members));
        }
    }
    nearest.map(|(call, members)| Nearest { call, members })
}

/// The operation that writes such records.
const fn writer(kind: StoredKind) -> &'static str {
    match kind {
        StoredKind::Contact => "contact",
        StoredKind::Subscription => "subscribe",
    }
}

fn compare(stored: &Stored, call: &Call) -> Vec<Member> {
    let mut members = Vec::new();
    if !stored.businesses.is_empty() {
        members.push(Member {
            member: "business".to_owned(),
            expected: one_or_list(stored.businesses.iter().copied()),
            received: one_or_list(call.businesses.iter().copied()),
            agrees: call.businesses.iter().any(|named| stored.businesses.contains(named)),
        });
    }
    for (name, values) in &stored.members {
        // Requests have another name for the account of a subscription.
        let sent = if *name == "businessId" { "businessNumber" } else { name };
        let received = call.body.get(sent).cloned().unwrap_or_default();
        members.push(Member {
            member: format!("body /{sent}"),
            expected: one_or_list(values.iter().map(shown)),
            agrees: has_one_of(name, values, &received),
            received,
        });
    }
    let answered = call.status.is_some_and(|status| (200..300).contains(&status));
    members.push(Member {
        member: "status".to_owned(),
        expected: 200.into(),
        received: call.status.into(),
        agrees: answered,
    });
    members
}

fn shown(value: &StoredValue) -> Value {
    match value {
        StoredValue::Is(value) => value.clone(),
        StoredValue::Members(members) => members
            .iter()
            .map(|(name, values)| ((*name).to_owned(), one_or_list(values.iter().map(shown))))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}
