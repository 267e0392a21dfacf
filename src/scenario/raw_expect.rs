//! The raw form of expectations: their maps and keys as written.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::expect::expectation::CountRange;
use crate::fault::condition::Prefix;
use crate::operations::spec::Spec;
use crate::scenario::collections::NonNullMap;
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw::{ErrorCode, FinalStatus, When};
use crate::scenario::node::Node;
use crate::scenario::read::{Read, choice, raw};
use crate::scenario::report::must_be;
use crate::scenario::scalars::{Id, NonBlank, Share, Text, parse_digits, parse_duration, written};

raw! {
    /// One expectation about the client. It has exactly one of `after`, `contacts`, `requests` and `deliveries`.
    pub(crate) struct Expectation "an expectation" {
        /// Name of the expectation in reports.
        required "name" name: NonBlank,
        /// The response after which the client should wait or retry.
        optional "after" after: AfterMap,
        /// With `after`: which requests count as retries, those with the same fingerprint (`request`) or API key (`key`).
        optional "of" of: RetryScope,
        /// With `after`: how long the client waits at least, `retry-after` or a duration such as `2s`.
        optional "wait" wait: Wait,
        /// With `after`: how often the client retries, such as `0` or `1-3`.
        optional "retries" retries: CountRange,
        /// Contacts that are stored in the end.
        optional "contacts" contacts: ContactsMap,
        /// Requests that the client makes.
        optional "requests" requests: RequestsMap,
        /// Webhooks that are delivered.
        optional "deliveries" deliveries: DeliveriesMap,
        /// With `requests` or `deliveries`: how many there are, such as `3`, `1-2` or `4-`.
        optional "count" count: CountRange,
        /// With `deliveries`: the minimum share of deliveries that get a 2xx response.
        optional "acknowledged" acknowledged: Share,
        /// With `acknowledged`: the time within which each of these responses must arrive.
        optional "within" within: Duration,
    }

    /// A kind of response. It has exactly one of `error`, `status` and `fault`.
    pub(crate) struct AfterMap "`after`" {
        /// A response with this error code.
        optional "error" error: ErrorCode,
        /// A response with this HTTP status.
        optional "status" status: FinalStatus,
        /// Any effect of the fault with this name.
        optional "fault" fault: NonBlank,
        /// Operations whose responses count. Default: all operations.
        optional "operation" operation: OneOrMany<&'static Spec>,
    }

    /// Contacts that are stored.
    pub(crate) struct ContactsMap "`contacts`" {
        /// Id of the contact.
        optional "id" id: Id,
        /// External id of the contact.
        optional "externalId" external_id: NonBlank,
        /// Email address of the contact, compared without case.
        optional "email" email: NonBlank,
        /// Phone number of the contact.
        optional "phone" phone: NonBlank,
        /// Number of the account.
        optional "business" business: Id,
        /// Number of such contacts, such as `1` or `1-2`.
        required "count" count: CountRange,
    }

    /// Requests that the client makes. All given conditions must hold.
    pub(crate) struct RequestsMap "`requests`" {
        /// Operations that are called. Default: all operations.
        optional "operation" operation: OneOrMany<&'static Spec>,
        /// API keys, each given by the key itself or by its name.
        optional "key" key: OneOrMany<NonBlank>,
        /// Business numbers, of which the request must name one in its path, query or body.
        optional "business" business: OneOrMany<Id>,
        /// Headers that the request must have, each with one of the listed values.
        optional "header" header: NonNullMap<OneOrMany<Text>>,
        /// Query parameters that the request must have, each with one of the listed values.
        optional "query" query: NonNullMap<OneOrMany<Text>>,
        /// Values that the request body must have, by JSON Pointer.
        optional "body" body: Node,
        /// First 6 to 16 digits of the request's fingerprint, as the journal shows it: `3f2a9c`.
        optional "fingerprint" fingerprint: OneOrMany<Prefix>,
    }

    /// Webhooks that are delivered.
    pub(crate) struct DeliveriesMap "`deliveries`" {
        /// Names of the events. Default: all events.
        optional "event" event: OneOrMany<NonBlank>,
        /// Numbers of the accounts. Default: all accounts.
        optional "business" business: OneOrMany<Id>,
    }
}

impl RequestsMap {
    /// The conditions in the form of a fault's `when`.
    pub(crate) fn when(&self) -> When {
        When {
            span: self.span,
            key: self.key.clone(),
            business: self.business.clone(),
            header: self.header.clone(),
            query: self.query.clone(),
            body: self.body.clone(),
            fingerprint: self.fingerprint.clone(),
        }
    }
}

choice! {
    /// Which requests count as retries.
    pub(crate) enum RetryScope { "request" Request, "key" Key }
}

/// How long the client waits before it retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// As long as the `retry-after` header of the response says.
    RetryAfter,
    AtLeast(Duration),
}

impl Read for Wait {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let text = node.scalar().map_or("", |scalar| &scalar.text);
        let wait = match text {
            "retry-after" => Some(Self::RetryAfter),
            _ => parse_duration(text).map(Self::AtLeast),
        };
        if wait.is_none() {
            must_be(findings, node, "`retry-after` or a span of time (`2s`)");
        }
        wait
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "anyOf": [{ "const": "retry-after" }, Duration::schema(definitions)] })
    }
}

impl Read for CountRange {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let range = written(node).and_then(|text| count_range(text.trim()));
        let ordered = range.filter(|range| range.max.is_none_or(|max| max >= range.min));
        if ordered.is_none() {
            must_be(findings, node, "a number of things: `3`, `1-2` or `4-`");
            if range.is_some() {
                findings.help_last("this range ends before it begins");
            }
        }
        ordered
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": ["integer", "string"], "minimum": 0, "maximum": u64::MAX, "pattern": "^ *[0-9]+( *- *[0-9]*)? *$" })
    }
}

fn count_range(text: &str) -> Option<CountRange> {
    let Some((min, max)) = text.split_once('-') else {
        return parse_digits(text).map(|exactly| CountRange { min: exactly, max: Some(exactly) });
    };
    let max = match max.trim() {
        "" => None,
        max => Some(parse_digits(max)?),
    };
    Some(CountRange { min: parse_digits(min.trim())?, max })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_range_is_a_number_or_a_range() {
        assert_eq!(count_range("0"), Some(CountRange { min: 0, max: Some(0) }));
        assert_eq!(count_range("1-3"), Some(CountRange { min: 1, max: Some(3) }));
        assert_eq!(count_range("4-"), Some(CountRange { min: 4, max: None }));
        for text in ["", "-", "-3", "many", "every 2", "1.5"] {
            assert_eq!(count_range(text), None, "{text}");
        }
    }
}
