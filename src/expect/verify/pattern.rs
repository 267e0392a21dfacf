//! Whether a call matches a pattern, member by member, and which call comes nearest to it.

use serde_json::{Value, json};

use crate::api::operation::Operation;
use crate::expect::call::Call;
use crate::expect::expectation::CallPattern;
use crate::expect::record::Record;
use crate::expect::report::{Member, Nearest};
use crate::fault::matching::{Accept, accepts_json, accepts_text};
use crate::fault::pointer::Pointer;

/// A member of a pattern.
enum Part<'a> {
    Operation,
    Key,
    Business,
    Fingerprint,
    Header(&'a str, &'a [Accept<String>]),
    Query(&'a str, &'a [Accept<String>]),
    Body(&'a Pointer, &'a [Accept<Value>]),
    Status,
    Code,
    Fault,
}

pub(super) fn matches(pattern: &CallPattern, call: &Call) -> bool {
    parts(pattern).all(|part| agrees(pattern, &part, call))
}

/// The call that agrees in most members, with all of them. A call of another operation is near only if there is none of the
/// operation.
pub(super) fn nearest<'a>(
    record: &Record,
    pattern: &CallPattern,
    calls: impl Iterator<Item = &'a Call>,
) -> Option<Nearest> {
    let closeness = |call: &Call| {
        let count = parts(pattern).filter(|part| agrees(pattern, part, call)).count();
        (agrees(pattern, &Part::Operation, call), count)
    };
    // Of calls that are equally near, the first is shown.
    let mut nearest: Option<(&Call, (bool, usize))> = None;
    for call in calls {
        let close = closeness(call);
        if nearest.is_none_or(|(_, known)| close > known) {
            nearest = Some((call, close));
        }
    }
    nearest.map(|(call, _)| compare(record, pattern, call))
}

/// What was expected of a call beside what was received.
pub(super) fn compare(record: &Record, pattern: &CallPattern, call: &Call) -> Nearest {
    let members = parts(pattern).map(|part| {
        let (member, expected, received) = show(record, pattern, &part, call);
        Member { member, expected, received, agrees: agrees(pattern, &part, call) }
    });
    Nearest { call: call.seq, members: members.collect() }
}

/// The members that a pattern gives.
fn parts(pattern: &CallPattern) -> impl Iterator<Item = Part<'_>> {
    let CallPattern { operations, condition, statuses, codes, faults } = pattern;
    let first = [
        (!operations.is_empty()).then_some(Part::Operation),
        (!condition.keys.is_empty()).then_some(Part::Key),
        (!condition.businesses.is_empty()).then_some(Part::Business),
        (!condition.fingerprints.is_empty()).then_some(Part::Fingerprint),
    ];
    let last = [
        (!statuses.is_empty()).then_some(Part::Status),
        (!codes.is_empty()).then_some(Part::Code),
        (!faults.is_empty()).then_some(Part::Fault),
    ];
    let headers = condition.headers.iter().map(|(name, values)| Part::Header(name, values));
    let query = condition.query.iter().map(|(name, values)| Part::Query(name, values));
    let body = condition.body.iter().map(|(pointer, values)| Part::Body(pointer, values));
    first.into_iter().flatten().chain(headers).chain(query).chain(body).chain(last.into_iter().flatten())
}

/// It is the same comparison as that of faults (`fault::request`).
fn agrees(pattern: &CallPattern, part: &Part<'_>, call: &Call) -> bool {
    let CallPattern { operations, condition, statuses, codes, faults } = pattern;
    match part {
        Part::Operation => {
            operations.is_empty() || call.operation.is_some_and(|called| operations.contains(&called))
        }
        Part::Key => call.sent_key.as_ref().is_some_and(|sent| condition.keys.contains(sent)),
        Part::Business => call.businesses.iter().any(|named| condition.businesses.contains(named)),
        Part::Fingerprint => condition.fingerprints.iter().any(|known| known.begins(call.fingerprint)),
        Part::Header(name, accepted) => accepts_text(accepted, header(call, name)),
        Part::Query(name, accepted) => accepts_text(accepted, parameter(call, name)),
        Part::Body(pointer, accepted) => accepts_json(accepted, pointer.find(&call.body)),
        Part::Status => call.status.is_some_and(|status| statuses.contains(&status)),
        Part::Code => call.received_code().is_some_and(|code| codes.contains(&code)),
        Part::Fault => call.fault.as_ref().is_some_and(|fault| faults.contains(fault)),
    }
}

/// The name of a member, what is expected of it, and what was received.
fn show(record: &Record, pattern: &CallPattern, part: &Part<'_>, call: &Call) -> (String, Value, Value) {
    let CallPattern { operations, condition, statuses, codes, faults } = pattern;
    match part {
        Part::Operation => (
            "operation".to_owned(),
            one_or_list(operations.iter().map(|operation| operation.name())),
            json!(call.operation.map(Operation::name)),
        ),
        Part::Key => {
            let label = |key: &String| record.keys.label(record.keys.match_of(Some(key)));
            ("key".to_owned(), one_or_list(condition.keys.iter().map(label)), json!(call.key))
        }
        Part::Business => {
            let named = &call.businesses;
            let received = if named.is_empty() { Value::Null } else { one_or_list(named.iter().copied()) };
            ("business".to_owned(), one_or_list(condition.businesses.iter().copied()), received)
        }
        Part::Fingerprint => (
            "fingerprint".to_owned(),
            one_or_list(condition.fingerprints.iter().map(ToString::to_string)),
            format!("{:016x}", call.fingerprint).into(),
        ),
        Part::Header(name, values) => {
            (format!("header {name}"), one_or_list(values.iter().cloned()), json!(header(call, name)))
        }
        Part::Query(name, values) => {
            (format!("query {name}"), one_or_list(values.iter().cloned()), json!(parameter(call, name)))
        }
        Part::Body(pointer, values) => (
            format!("body {}", pointer.text()),
            one_or_list(values.iter().cloned()),
            pointer.find(&call.body).cloned().unwrap_or_default(),
        ),
        Part::Status => ("status".to_owned(), one_or_list(statuses.iter().copied()), json!(call.status)),
        Part::Code => ("code".to_owned(), one_or_list(codes.iter().copied()), json!(call.received_code())),
        Part::Fault => ("fault".to_owned(), one_or_list(faults.iter().cloned()), json!(call.fault)),
    }
}

/// A single value as itself, several as a list.
pub(super) fn one_or_list<T: Into<Value>>(values: impl Iterator<Item = T>) -> Value {
    let mut values: Vec<Value> = values.map(Into::into).collect();
    match values.as_slice() {
        [_] => values.pop().unwrap_or_default(),
        _ => Value::Array(values),
    }
}

fn header<'a>(call: &'a Call, name: &str) -> Option<&'a str> {
    call.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim())
}

fn parameter<'a>(call: &'a Call, name: &str) -> Option<&'a str> {
    if name == "api_key" && call.has_key_in_query {
        return call.sent_key.as_deref();
    }
    let (_, value) = call.query.iter().find(|(known, _)| known == name)?;
    (!value.trim().is_empty()).then_some(value)
}
