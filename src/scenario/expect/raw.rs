//! The raw form of expectations: their maps and keys as written.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::expect::expectation::{CountRange, Wait};
use crate::fault::condition::Prefix;
use crate::fault::matching::Accept;
use crate::operations;
use crate::operations::spec::Spec;
use crate::scenario::collections::NonNullMap;
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::raw::{ErrorCode, FinalStatus, When};
use crate::scenario::node::{Node, Value};
use crate::scenario::read::{Read, Spanned, choice, raw, read_word};
use crate::scenario::report::must_be;
use crate::scenario::scalars::{
    Id, NonBlank, OperationName, Share, Text, hint_at_duration, number, parse_decimal, parse_digits,
    parse_duration, written,
};

raw! {
    /// One expectation about the client. It has exactly one of `after`, `requests`, `order`, `pages`, `contacts`, `subscriptions` and `deliveries`.
    pub(crate) struct Expectation "an expectation" {
        /// Name of the expectation in reports.
        required "name" name: NonBlank,
        /// The response after which the client should wait or retry.
        optional "after" after: AfterMap,
        /// With `after`: which requests count as retries, those with the same fingerprint (`request`) or API key (`key`). Default: `key` for the real rate limit, else `request`.
        optional "of" of: RetryScope,
        /// With `after`: how long the client waits, `retry-after`, a duration such as `2s`, or a range such as `1s-5s`.
        optional "wait" wait: Wait,
        /// With `after`: how often the client retries, such as `0` or `1-3`.
        optional "retries" retries: CountRange,
        /// With `after`: how many times longer than the wait before each wait is at least, such as `2`.
        optional "grows" grows: Growth,
        /// Requests that the client makes.
        optional "requests" requests: RequestsMap,
        /// Requests that the client makes one after another.
        optional "order" order: Steps,
        /// Requests that together read every record of a list once.
        optional "pages" pages: PagesMap,
        /// Contacts that are stored in the end.
        optional "contacts" contacts: ContactsMap,
        /// Webhook subscriptions that are stored in the end.
        optional "subscriptions" subscriptions: SubscriptionsMap,
        /// Webhooks that are delivered.
        optional "deliveries" deliveries: DeliveriesMap,
        /// With `requests`, `contacts`, `subscriptions` or `deliveries`: how many there are, such as `3`, `1-2` or `4-`.
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
        optional "operation" operation: OneOrMany<OperationName>,
    }

    /// Requests that the client makes. All given conditions must hold.
    pub(crate) struct RequestsMap "a request" {
        /// Operations that are called. Default: all operations.
        optional "operation" operation: OneOrMany<OperationName>,
        /// API keys, each given by the key itself or by its name.
        optional "key" key: OneOrMany<NonBlank>,
        /// Business numbers, of which the request must name one in its path, query, headers or body.
        optional "business" business: OneOrMany<Id>,
        /// Headers that the request must have, each with one of the listed values.
        optional "header" header: NonNullMap<OneOrMany<Accept<String>>>,
        /// Query parameters that the request must have, each with one of the listed values.
        optional "query" query: NonNullMap<OneOrMany<Accept<String>>>,
        /// Values that the request body must have, by JSON Pointer.
        optional "body" body: Node,
        /// First 6 to 16 digits of the request's fingerprint, as the journal shows it: `3f2a9c`.
        optional "fingerprint" fingerprint: OneOrMany<Prefix>,
        /// HTTP statuses of the response.
        optional "status" status: OneOrMany<FinalStatus>,
        /// Error codes of the response.
        optional "code" code: OneOrMany<ErrorCode>,
        /// Names of faults that applied to the request.
        optional "fault" fault: OneOrMany<NonBlank>,
    }

    /// Requests for pages of lists. All given conditions must hold.
    pub(crate) struct PagesMap "`pages`" {
        /// Operations that are called. Default: all that answer pages.
        optional "operation" operation: OneOrMany<PagedOperation>,
        /// API keys, each given by the key itself or by its name.
        optional "key" key: OneOrMany<NonBlank>,
        /// Business numbers, of which the request must name one in its path, query, headers or body.
        optional "business" business: OneOrMany<Id>,
        /// Headers that the request must have, each with one of the listed values.
        optional "header" header: NonNullMap<OneOrMany<Accept<String>>>,
        /// Query parameters that the request must have, each with one of the listed values.
        optional "query" query: NonNullMap<OneOrMany<Accept<String>>>,
        /// Values that the request body must have, by JSON Pointer.
        optional "body" body: Node,
    }

    /// Contacts that are stored. They have all of the given members; of a list of values, one must match.
    pub(crate) struct ContactsMap "`contacts`" {
        /// Id of the contact.
        optional "id" id: OneOrMany<Id>,
        /// First name.
        optional "firstName" first_name: OneOrMany<Text>,
        /// Last name.
        optional "lastName" last_name: OneOrMany<Text>,
        /// Email address, compared without case.
        optional "email" email: OneOrMany<NonBlank>,
        /// Phone number.
        optional "phone" phone: OneOrMany<NonBlank>,
        /// Country, two letters.
        optional "countryCode" country_code: OneOrMany<Text>,
        /// Whether the contact agreed to text messages.
        optional "smsOptin" sms_optin: bool,
        /// Whether the contact is blocked.
        optional "blocked" blocked: bool,
        /// Business numbers, of which the contact has one at least.
        optional "businessIds" business_ids: OneOrMany<Id>,
        /// Tags, of which the contact has one at least.
        optional "tags" tags: OneOrMany<Text>,
        /// A custom field that the contact has.
        optional "customFields" custom_fields: CustomFieldMap,
        /// External id of the contact.
        optional "externalId" external_id: OneOrMany<NonBlank>,
        /// What the contact agreed to by email.
        optional "emailPreferences" email_preferences: PreferencesMap,
        /// What the contact agreed to by text message.
        optional "smsPreferences" sms_preferences: PreferencesMap,
        /// Number of an account. The contact's `businessIds` name it or one of its locations.
        optional "business" business: Id,
        /// Number of such contacts, such as `1` or `1-2`. It may stand beside `contacts` instead.
        optional "count" count: CountRange,
    }

    /// A custom field of a contact.
    pub(crate) struct CustomFieldMap "a custom field" {
        /// Name of the field.
        optional "fieldName" field_name: OneOrMany<Text>,
        /// Type of the field.
        optional "type" kind: OneOrMany<Text>,
        /// Value of the field.
        optional "fieldValue" field_value: OneOrMany<Text>,
    }

    /// What a contact agreed to.
    pub(crate) struct PreferencesMap "preferences" {
        /// Whether the contact agreed to marketing.
        optional "marketingOptin" marketing: bool,
        /// Whether the contact agreed to requests for feedback.
        optional "feedbackOptin" feedback: bool,
        /// Whether the contact agreed to service messages.
        optional "serviceOptin" service: bool,
    }

    /// Webhook subscriptions that are stored. They have all of the given members; of a list of values, one must match.
    pub(crate) struct SubscriptionsMap "`subscriptions`" {
        /// Id of the subscription.
        optional "subscriptionId" id: OneOrMany<Id>,
        /// Number of the account, as `business`.
        optional "businessId" business_id: OneOrMany<Id>,
        /// Names of events, of which the subscription has one at least.
        optional "events" events: OneOrMany<NonBlank>,
        /// The URL that webhooks are sent to.
        optional "endpoint" endpoint: OneOrMany<NonBlank>,
        /// Number of the account.
        optional "business" business: Id,
        /// Number of such subscriptions, such as `1` or `1-2`. It may stand beside `subscriptions` instead.
        optional "count" count: CountRange,
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
    /// The conditions on the request, in the form of a fault's `when`.
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

impl PagesMap {
    /// The conditions on the request, in the form of a fault's `when`.
    pub(crate) fn when(&self) -> When {
        When {
            span: self.span,
            key: self.key.clone(),
            business: self.business.clone(),
            header: self.header.clone(),
            query: self.query.clone(),
            body: self.body.clone(),
            fingerprint: None,
        }
    }
}

choice! {
    /// Which requests count as retries.
    pub(crate) enum RetryScope { "request" Request, "key" Key }
}

impl Read for Wait {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let text = node.scalar().map_or("", |scalar| scalar.text.trim());
        let wait = match text.split_once('-') {
            _ if text == "retry-after" => Some(Self::RetryAfter),
            None => parse_duration(text).map(Self::AtLeast),
            Some((least, most)) => parse_duration(least.trim())
                .zip(parse_duration(most.trim()))
                .map(|(least, most)| Self::Between(least, most)),
        };
        match wait {
            None => {
                must_be(findings, node, "`retry-after`, a span of time (`2s`) or a range (`1s-5s`)");
                hint_at_duration(findings, text);
                None
            }
            Some(Self::Between(least, most)) if most < least => {
                let message = "this range ends before it begins";
                findings.error("wrong-value", node.span, message).help("write the shorter time first");
                None
            }
            Some(_) => wait,
        }
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        let span = "[0-9]+ *(ms|s|m|h)";
        json!({ "anyOf": [
            { "const": "retry-after" },
            { "type": "string", "pattern": format!("^ *{span}( *- *{span})? *$") },
        ] })
    }
}

/// How many times longer each wait is than the one before, in hundredths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth(pub(crate) u32);

impl Read for Growth {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let tenths = node.scalar().and_then(number).and_then(|text| parse_decimal(&text, 1));
        let growth = tenths.filter(|tenths| (11..=1000).contains(tenths));
        if growth.is_none() {
            must_be(findings, node, "a number from 1.1 to 100 with at most one decimal: `2`");
        }
        growth.and_then(|tenths| u32::try_from(tenths * 10).ok()).map(Self)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "number", "minimum": 1.1, "maximum": 100, "multipleOf": 0.1 })
    }
}

/// Two requests or more, in their order.
#[derive(Debug)]
pub(crate) struct Steps(pub(crate) Vec<Spanned<RequestsMap>>);

/// Maximum number of requests in an order.
const MAX_STEPS: usize = 100;

impl Read for Steps {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if let Value::List(list) = &node.value
            && !(2..=MAX_STEPS).contains(&list.len())
        {
            let message = format!("`order` must have 2 to {MAX_STEPS} requests; it has {}", list.len());
            findings.error("wrong-value", node.span, message);
            return None;
        }
        Read::read(findings, node).map(Self)
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "type": "array", "items": RequestsMap::schema(definitions), "minItems": 2, "maxItems": MAX_STEPS })
    }
}

/// An operation that answers pages of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PagedOperation(pub(crate) &'static Spec);

impl PagedOperation {
    pub(crate) fn all() -> impl Iterator<Item = &'static Spec> {
        operations::ALL.into_iter().filter(|spec| spec.paging.is_some())
    }

    fn names() -> Vec<&'static str> {
        Self::all().map(|spec| spec.operation.name()).collect()
    }
}

impl Read for PagedOperation {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        operations::named(read_word(findings, node, &Self::names())?).map(Self)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "enum": Self::names() })
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
