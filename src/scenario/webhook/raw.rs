//! The raw mirror of `webhooks`: its maps and keys as written. The doc lines are the descriptions in the JSON Schema.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::fault::condition::During;
use crate::fault::count::Hit;
use crate::scenario::arrival::{Arriving, Response};
use crate::scenario::collections::{Member, OneOrMany};
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::count::Exactly;
use crate::scenario::node::Node;
use crate::scenario::raw::List;
use crate::scenario::raw_records;
use crate::scenario::read::{Read, choice, raw};
use crate::scenario::report::must_be;
use crate::scenario::scalars::{Id, Integer, NonBlank, OperationName, Share, Text, parse_decimal};

raw! {
    /// Webhook events and how they are delivered.
    pub(crate) struct Webhooks "`webhooks`" {
        /// Hosts that deliveries may be sent to, besides loopback: names, `*.example.test`, IP addresses, or `*` for all.
        optional "allow" allow: List<NonBlank>,
        /// How deliveries are signed. Default: they are not.
        optional "signing" signing: Signing,
        /// How failed deliveries are retried.
        optional "retry" retry: Retry,
        /// Additional events, and payload templates for the built-in ones.
        optional "events" events: Events,
        /// Events that are emitted and records that arrive automatically, scheduled on the world's clock or after an operation.
        optional "timeline" timeline: List<TimelineEntry>,
        /// Faults that apply to deliveries.
        optional "faults" faults: List<DeliveryFault>,
    }

    /// How deliveries are signed.
    pub(crate) struct Signing "`signing`" {
        /// Signature scheme: `none`, `standard-webhooks` or `hmac-sha256`.
        required "scheme" scheme: Scheme,
        /// Shared secret. For `standard-webhooks` it is `whsec_` followed by base64.
        optional "secret" secret: NonBlank,
        /// For `standard-webhooks`: whether the signed timestamp is the `real` time or the `world`'s. Default: `real`.
        optional "timestamp" timestamp: Timestamp,
    }

    /// How failed deliveries are retried.
    pub(crate) struct Retry "`retry`" {
        /// Maximum number of attempts, the first included. Default: 5.
        optional "attempts" attempts: Integer<1, 1000>,
        /// Wait before the second attempt. Default: 1s.
        optional "first" first: Duration,
        /// Factor by which each wait is longer than the one before. Default: 2.
        optional "factor" factor: Factor,
        /// Share of a wait by which it randomly varies, up or down. Default: 20%.
        optional "jitter" jitter: Share,
        /// Timeout of one attempt, in real time. Default: 5s.
        optional "timeout" timeout: Duration,
    }

    /// A webhook event.
    pub(crate) struct Event "an event" {
        /// Template of the payload. Default: the built-in payload.
        optional "payload" payload: NonBlank,
    }

    /// An event that is emitted automatically, or a record that arrives, triggered by one of `at`, `every` and `after`.
    pub(crate) struct TimelineEntry "a timeline entry" {
        /// It happens once, this long after the world's start.
        optional "at" at: Duration,
        /// It happens repeatedly, at this interval.
        optional "every" every: Duration,
        /// It happens after each successful call of this operation.
        optional "after" after: OperationName,
        /// With `every`: how many times it happens. Default: without end.
        optional "times" times: Integer<1, { u32::MAX as u64 }>,
        /// A review arrives. What is not given is generated.
        optional "review" review: Arriving<raw_records::Review>,
        /// A question arrives. What is not given is generated.
        optional "question" question: Arriving<raw_records::Question>,
        /// The owner responds to a review.
        optional "response" response: Response,
        /// Name of the event. Beside a record it carries the record, and the default is `review.created`, `question.created` or
        /// `review.updated` where the scenario has that event.
        optional "event" event: NonBlank,
        /// Number of the event's account. Required unless `after` is given; then the default is the account of the call.
        optional "business" business: Id,
        /// Name of the conversation that the event belongs to.
        optional "conversation" conversation: NonBlank,
        /// Text of the message.
        optional "text" text: Text,
        /// Members that are merged into the payload's `data`.
        optional "data" data: Node,
    }

    /// A fault that applies to webhook deliveries.
    pub(crate) struct DeliveryFault "a delivery fault" {
        /// Events whose deliveries the fault applies to. Default: all.
        optional "event" event: OneOrMany<NonBlank>,
        /// Condition on the delivery.
        optional "when" when: DeliveryWhen,
        /// What shares one counter: all deliveries of the `world`, or the attempts of one `delivery`. Default: `world`.
        optional "per" per: DeliveryPer,
        /// Which of the counted deliveries are selected, counting from 1: `3`, `1-2`, `4-`, `every 5`, or a list of these. Default: all.
        optional "hits" hits: OneOrMany<Hit>,
        /// Probability that the fault applies to a selected delivery: `10%` or `0.1`. Default: it applies to all of them.
        optional "chance" chance: Share,
        /// Instead of `chance`: an exact number of deliveries out of each block, in an order drawn from the seed: `3 of 10`.
        optional "exactly" exactly: Exactly,
        /// Time range on the world's clock, measured from its start: `10s-40s` or `10s-`. Default: always.
        optional "during" during: During,
        /// Whether the fault is on. Default: true.
        optional "enabled" enabled: bool,
        /// Effect of the fault on the delivery.
        required "then" then: DeliveryThen,
    }

    /// Condition on a delivery.
    pub(crate) struct DeliveryWhen "`when`" {
        /// Number of the account.
        optional "business" business: OneOrMany<Id>,
        /// Name of the conversation.
        optional "conversation" conversation: OneOrMany<NonBlank>,
    }

    /// Delays a delivery.
    pub(crate) struct DeliveryDelay "`then`" {
        /// How much later the delivery is sent, on the world's clock.
        required "delay" delay: Duration,
    }
}

choice! {
    /// How deliveries are signed.
    pub(crate) enum Scheme { "none" None, "standard-webhooks" StandardWebhooks, "hmac-sha256" HmacSha256 }
    /// Which clock the timestamp in a signature is read from.
    pub(crate) enum Timestamp { "real" Real, "world" World }
    /// What shares one counter.
    pub(crate) enum DeliveryPer { "world" World, "delivery" Delivery }
    /// A delivery fault's effect that is written as one word.
    pub(crate) enum EffectName {
        "duplicate" Duplicate, "drop" Drop, "reorder" Reorder, "bad-signature" BadSignature, "truncate" Truncate,
        "unknown-event" UnknownEvent,
    }
}

/// Events by name. A name without a value declares the event.
#[derive(Debug, Default)]
pub(crate) struct Events(pub(crate) Vec<Member<Event>>);

impl Read for Events {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(entries) = node.entries() else {
            must_be(findings, node, "a map of names to events (`social.post.published: {payload: …}`)");
            return None;
        };
        let mut events = Vec::with_capacity(entries.len());
        for entry in entries {
            let value = if entry.value.is_null() {
                Some(Event::default())
            } else {
                Event::read(findings, &entry.value)
            };
            if let Some(value) = value {
                let (key, key_span) = (entry.key.to_string(), entry.key_span);
                events.push(Member { key_span, key, span: entry.value.span, value });
            }
        }
        Some(Self(events))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        let event = Event::schema(definitions);
        json!({ "type": "object", "additionalProperties": { "anyOf": [event, { "type": "null" }] } })
    }
}

/// A factor of at least 1, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Factor(pub(crate) u32);

impl Read for Factor {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let factor =
            node.scalar().filter(|scalar| scalar.plain).and_then(|scalar| parse_decimal(&scalar.text, 3));
        let factor = factor.filter(|factor| (1000..=100_000).contains(factor));
        if factor.is_none() {
            must_be(findings, node, "a number from 1 to 100 with at most three decimals");
        }
        factor.and_then(|factor| u32::try_from(factor).ok()).map(Self)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "number", "minimum": 1, "maximum": 100 })
    }
}

/// Effect of a delivery fault, as written.
#[derive(Debug)]
pub(crate) enum DeliveryThen {
    Named(EffectName),
    Delay(DeliveryDelay),
}

impl Read for DeliveryThen {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if node.entries().is_some() {
            return DeliveryDelay::read(findings, node).map(Self::Delay);
        }
        if node.scalar().is_some_and(|scalar| &*scalar.text == "delay") {
            must_be(findings, node, "`{delay: 5s}` to delay a delivery");
            return None;
        }
        let found = EffectName::read(findings, node);
        if found.is_none() {
            findings.help_last(
                "allowed: `duplicate`, `drop`, `{delay: 5s}`, `reorder`, `bad-signature`, `truncate` or `unknown-event`",
            );
        }
        found.map(Self::Named)
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "anyOf": [EffectName::schema(definitions), DeliveryDelay::schema(definitions)] })
    }
}
