//! What requests carry (`interface.md`): conditions on anything else never match a request that a client of the
//! interface sends.

use crate::api::dialect::Names;
use crate::api::operation::Operation;
use crate::fault::condition::Condition;
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::fault::raw::When;
use crate::scenario::references::References;
use crate::scenario::source::Span;

/// Fields of an operation's body.
#[must_use]
const fn body(operation: Operation) -> &'static [&'static str] {
    match operation {
        Operation::SentimentLocations => &[
            "businessNumbers",
            "startDate",
            "endDate",
            "userEmail",
            "reviewSources",
            "ratings",
            "hierarchyNodeData",
            "groupByLevel",
        ],
        Operation::SentimentBenchmark => {
            &["businessNumbers", "startDate", "endDate", "reviewSources", "ratings", "hierarchyNodeData"]
        }
        Operation::Contact => &[
            "id",
            "firstName",
            "lastName",
            "email",
            "phone",
            "countryCode",
            "smsOptin",
            "blocked",
            "businessIds",
            "tags",
            "customFields",
            "externalId",
            "emailPreferences",
            "smsPreferences",
        ],
        Operation::Reviews => &[
            "fromDate",
            "toDate",
            "updateFromDate",
            "updateToDate",
            "sources",
            "ratings",
            "searchStr",
            "subBusinessIds",
            "statuses",
        ],
        Operation::Qna => &["startIndex", "pageSize"],
        Operation::Subscribe => &["businessNumber", "apiKey", "events", "endpoint"],
    }
}

/// Query parameters of an operation.
fn query(operation: Operation, names: &Names) -> Vec<&str> {
    match operation {
        Operation::SentimentLocations => vec!["start-index", "page-size", "sort-by", "sort-order"],
        Operation::Reviews => vec![&names.start_index, &names.count, &names.competitor],
        Operation::Qna => vec![&names.business],
        Operation::SentimentBenchmark | Operation::Contact | Operation::Subscribe => vec![],
    }
}

/// The retired way to send the key, which any client may still use.
const RETIRED: &str = "api_key";

/// Notes conditions on what requests to these operations do not carry.
pub fn check(
    findings: &mut Findings,
    references: &References,
    (when, condition): (&When, &Condition),
    operations: &[Operation],
) {
    let parameters: Vec<&str> =
        operations.iter().flat_map(|operation| query(*operation, &references.dialect.names)).collect();
    for member in when.query.iter().flat_map(|query| &query.value.0) {
        if member.key != RETIRED && !parameters.contains(&member.key.as_str()) {
            stranger(findings, ("query parameter", &member.key, &parameters), member.key_span, operations);
        }
    }
    let mut fields: Vec<&str> = operations.iter().flat_map(|operation| body(*operation)).copied().collect();
    fields.sort_unstable();
    fields.dedup();
    for (pointer, _) in &condition.body {
        let Some(first) = pointer.steps().next() else { continue };
        if !fields.contains(&&*first) {
            stranger(findings, ("body field", &first, &fields), location(when, pointer.text()), operations);
        }
    }
}

fn location(when: &When, key: &str) -> Span {
    let entries = when.body.as_ref().and_then(|body| body.value.entries()).unwrap_or_default();
    entries.iter().find(|entry| *entry.key == *key).map(|entry| entry.key_span).unwrap_or_default()
}

fn stranger(
    findings: &mut Findings,
    (what, word, allowed): (&str, &str, &[&str]),
    span: Span,
    operations: &[Operation],
) {
    let message = match operations {
        [one] => format!("{} has no {what} `{word}`, so this never matches", join_or([one.name()])),
        _ => format!("no operation of this fault has a {what} `{word}`, so this never matches"),
    };
    let finding = findings.warning("never-matches", span, message);
    if allowed.is_empty() {
        finding.help(format!("it has no {what}s at all"));
    } else {
        finding.suggest(word, allowed.iter().copied());
    }
}
