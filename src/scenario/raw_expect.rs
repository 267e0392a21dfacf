//! The mirror of an expectation: its maps and their keys, as written.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::expect::expectation::CountRange;
use crate::operations::spec::Spec;
use crate::scenario::collections::NonNullMap;
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw::{ErrorCode, FinalStatus, When};
use crate::scenario::node::Node;
use crate::scenario::read::{Read, choice, raw};
use crate::scenario::report::must_be;
use crate::scenario::scalars::{Id, NonBlank, Share, Text, parse_digits, parse_duration};

raw! {
    /// One thing expected of the client: about `after`, `contacts`, `requests` or `deliveries`.
    pub struct Expectation "an expectation" {
        /// Its name in reports.
        required "name" name: NonBlank,
        /// After which answer.
        optional "after" after: AfterMap,
        /// Beside `after`: where the next request is looked for, by fingerprint (`request`) or by API key (`key`).
        optional "of" of: OfWord,
        /// Beside `after`: how long the client waits, `retry-after` or a span of time.
        optional "wait" wait: WaitSpec,
        /// Beside `after`: how often it tries again.
        optional "retries" retries: CountRange,
        /// What contacts are stored in the end.
        optional "contacts" contacts: ContactsMap,
        /// What requests are made.
        optional "requests" requests: RequestsMap,
        /// What webhooks are delivered.
        optional "deliveries" deliveries: DeliveriesMap,
        /// Beside `requests` and `deliveries`: how many.
        optional "count" count: CountRange,
        /// Beside `deliveries`: at least this share gets a 2xx.
        optional "acknowledged" acknowledged: Share,
        /// Beside `acknowledged`: each of those in so much time.
        optional "within" within: Duration,
    }

    /// An answer that something is expected after.
    pub struct AfterMap "`after`" {
        /// One with this code.
        optional "error" error: ErrorCode,
        /// One with this HTTP status.
        optional "status" status: FinalStatus,
        /// Whatever the fault of this name does.
        optional "fault" fault: NonBlank,
        /// Of these operations; by default all.
        optional "operation" operation: OneOrMany<&'static Spec>,
    }

    /// Contacts that are stored.
    pub struct ContactsMap "`contacts`" {
        /// With this id.
        optional "id" id: Id,
        /// With this external id.
        optional "externalId" external_id: NonBlank,
        /// With this email address.
        optional "email" email: NonBlank,
        /// With this phone number.
        optional "phone" phone: NonBlank,
        /// Of this account.
        optional "business" business: Id,
        /// How many there are.
        required "count" count: CountRange,
    }

    /// Requests that are made.
    pub struct RequestsMap "`requests`" {
        /// To these operations; by default all.
        optional "operation" operation: OneOrMany<&'static Spec>,
        /// With an API key, by itself or by its name.
        optional "key" key: OneOrMany<NonBlank>,
        /// With a business number anywhere.
        optional "business" business: OneOrMany<Id>,
        /// With headers of these values.
        optional "header" header: NonNullMap<OneOrMany<Text>>,
        /// With query parameters of these values.
        optional "query" query: NonNullMap<OneOrMany<Text>>,
        /// With these values at places in the body (JSON Pointers).
        optional "body" body: Node,
    }

    /// Webhooks that are delivered.
    pub struct DeliveriesMap "`deliveries`" {
        /// Of these events; by default all.
        optional "event" event: OneOrMany<NonBlank>,
        /// Of these accounts; by default all.
        optional "business" business: OneOrMany<Id>,
    }
}

impl RequestsMap {
    /// What must hold of the requests, as a fault would say it.
    #[must_use]
    pub fn when(&self) -> When {
        When {
            span: self.span,
            key: self.key.clone(),
            business: self.business.clone(),
            header: self.header.clone(),
            query: self.query.clone(),
            body: self.body.clone(),
        }
    }
}

choice! {
    /// Where the next request is looked for.
    pub enum OfWord { "request" Request, "key" Key }
}

/// How long a client waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitSpec {
    /// As long as the answer says.
    RetryAfter,
    /// So long.
    Span(Duration),
}

impl Read for WaitSpec {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let text = node.scalar().map_or("", |scalar| &scalar.text);
        let wait = match text {
            "retry-after" => Some(Self::RetryAfter),
            _ => parse_duration(text).map(Self::Span),
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
        let range = node.scalar().and_then(|scalar| count_range(scalar.text.trim()));
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
        json!({ "type": ["integer", "string"], "minimum": 0, "pattern": "^ *[0-9]+( *- *[0-9]*)? *$" })
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
    fn count_ranges_are_numbers_and_ranges() {
        assert_eq!(count_range("0"), Some(CountRange { min: 0, max: Some(0) }));
        assert_eq!(count_range("1-3"), Some(CountRange { min: 1, max: Some(3) }));
        assert_eq!(count_range("4-"), Some(CountRange { min: 4, max: None }));
        for text in ["", "-", "-3", "many", "every 2", "1.5"] {
            assert_eq!(count_range(text), None, "{text}");
        }
    }
}
