//! Validates what happens by an entry of the timeline or a step of a demo button: an event is emitted, or a record arrives.

use serde_json::{Map, Value};

use crate::dataset::arrival::Arrival;
use crate::scenario::arrival::{self, Arriving, Response};
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::node::Node;
use crate::scenario::raw_records as raw;
use crate::scenario::read::Spanned;
use crate::scenario::references::{References, check_accounts};
use crate::scenario::report::at_most_one;
use crate::scenario::scalars::{Id, NonBlank, Text};
use crate::scenario::webhook::event;
use crate::webhook::settings::{Emission, Happening};

/// The keys that say what happens, as written.
#[derive(Debug, Default)]
pub(crate) struct Keys<'a> {
    pub(crate) review: Option<&'a Spanned<Arriving<raw::Review>>>,
    pub(crate) question: Option<&'a Spanned<Arriving<raw::Question>>>,
    pub(crate) response: Option<&'a Spanned<Response>>,
    pub(crate) event: Option<&'a Spanned<NonBlank>>,
    pub(crate) business: Option<Spanned<Id>>,
    pub(crate) conversation: Option<&'a Spanned<NonBlank>>,
    pub(crate) text: Option<&'a Spanned<Text>>,
    pub(crate) data: Option<&'a Spanned<Node>>,
}

/// The keys for a record.
const RECORDS: [&str; 3] = ["review", "question", "response"];

/// Whether a map has a key for a record, be its value valid or not.
pub(crate) fn has_record(node: &Node) -> bool {
    RECORDS.iter().any(|key| node.get(key).is_some())
}

/// Validates the keys of an entry, whose name in messages is `what`; `node` is the tree that they were read from.
pub(crate) fn validate(
    findings: &mut Findings,
    references: &References,
    keys: &Keys<'_>,
    (what, node): (&str, &Node),
) -> Option<Happening> {
    let named = keys.event.and_then(|name| event::validate(findings, references, name));
    if has_record(node) {
        let arrival = record(findings, references, keys)?;
        // An invalid name has been reported.
        return (keys.event.is_some() == named.is_some()).then_some(Happening::Record(arrival, named));
    }
    if node.get("event").is_none() {
        findings
            .error(
                "missing-key",
                node.span,
                format!("{what} needs `event`, `review`, `question` or `response`"),
            )
            .label("it does not say what happens");
    }
    let business =
        keys.business.and_then(|number| check_accounts(findings, references, &OneOrMany(vec![number])).pop());
    let data = keys.data.and_then(|data| members(findings, data));
    Some(Happening::Event(Emission {
        event: named?,
        business,
        conversation: keys.conversation.map(|name| name.value.0.clone()),
        text: keys.text.map(|text| text.value.0.clone()),
        data,
    }))
}

/// Validates the record, beside which only the name of an event may stand.
fn record(findings: &mut Findings, references: &References, keys: &Keys<'_>) -> Option<Arrival> {
    let given = [
        ("review", keys.review.map(|review| review.span)),
        ("question", keys.question.map(|question| question.span)),
        ("response", keys.response.map(|response| response.span)),
        ("business", keys.business.map(|business| business.span)),
        ("conversation", keys.conversation.map(|name| name.span)),
        ("text", keys.text.map(|text| text.span)),
        ("data", keys.data.map(|data| data.span)),
    ];
    let why = "one record arrives, and its event is about its account and carries it";
    at_most_one(findings, why, &given);
    arrival::within(references, |surroundings| {
        if let Some(review) = keys.review {
            return arrival::review(findings, surroundings, &review.value.0)
                .map(|new| Arrival::Review(Box::new(new)));
        }
        if let Some(question) = keys.question {
            return arrival::question(findings, surroundings, &question.value.0)
                .map(|new| Arrival::Question(Box::new(new)));
        }
        let response = keys.response?;
        arrival::response(findings, surroundings, &response.value).map(Arrival::Response)
    })
}

fn members(findings: &mut Findings, data: &Spanned<Node>) -> Option<Map<String, Value>> {
    if let Value::Object(members) = data.value.to_json() {
        return Some(members);
    }
    findings
        .error("wrong-kind", data.span, "`data` must be a map")
        .label(format!("this is {}", data.value.kind()));
    None
}
