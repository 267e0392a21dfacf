//! The mirror of `webhooks`: its maps and their keys, as written.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::api::operation::Operation;
use crate::fault::condition::During;
use crate::fault::count::Hit;
use crate::scenario::collections::{Member, OneOrMany};
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::count::Exactly;
use crate::scenario::node::Node;
use crate::scenario::raw::List;
use crate::scenario::read::{Read, choice, raw};
use crate::scenario::report::must_be;
use crate::scenario::scalars::{Id, Integer, NonBlank, Share, Text};

raw! {
    /// Events and their delivery.
    pub struct Webhooks "`webhooks`" {
        /// Hosts that deliveries may go to beyond loopback: names, `*.example.test`, addresses, or `*`.
        optional "allow" allow: List<NonBlank>,
        /// How deliveries are signed; by default not at all.
        optional "signing" signing: Signing,
        /// How often and how long delivery is tried.
        optional "retry" retry: Retry,
        /// More events, and payloads of their own for those known.
        optional "events" events: Events,
        /// What happens by itself, on the world's clock.
        optional "timeline" timeline: List<Happening>,
        /// What goes wrong with deliveries.
        optional "faults" faults: List<DeliveryFault>,
    }

    /// How deliveries are signed.
    pub struct Signing "`signing`" {
        /// `none`, `standard-webhooks` or `hmac-sha256`.
        required "scheme" scheme: Scheme,
        /// The secret; for `standard-webhooks` it is `whsec_` and base64.
        optional "secret" secret: NonBlank,
        /// Beside `standard-webhooks`: real time, or the world's; by default real.
        optional "timestamp" timestamp: Timestamp,
    }

    /// How often and how long delivery is tried.
    pub struct Retry "`retry`" {
        /// Attempts in all; by default 5.
        optional "attempts" attempts: Integer<1, 1000>,
        /// Time between the first two; by default 1s.
        optional "first" first: Duration,
        /// By how much each wait is longer than the one before; by default 2.
        optional "factor" factor: Factor,
        /// By which share of itself a wait may be longer or shorter; by default 20%.
        optional "jitter" jitter: Share,
        /// Real time that one attempt may take; by default 5s.
        optional "timeout" timeout: Duration,
    }

    /// An event.
    pub struct Event "an event" {
        /// Template of its payload; by default the simulator's own.
        optional "payload" payload: NonBlank,
    }

    /// Something that happens by itself.
    pub struct Happening "a timeline entry" {
        /// Once, so long after the world's start.
        optional "at" at: Duration,
        /// Again and again.
        optional "every" every: Duration,
        /// Each time a client did this operation.
        optional "after" after: Operation,
        /// Beside `every`: how often; by default without end.
        optional "times" times: Integer<1, { u32::MAX as u64 }>,
        /// The event.
        required "event" event: NonBlank,
        /// Number of the account; beside `after`, by default the operation's.
        optional "business" business: Id,
        /// Name of the conversation.
        optional "conversation" conversation: NonBlank,
        /// Text of the message.
        optional "text" text: Text,
        /// Members laid over the payload's data.
        optional "data" data: Node,
    }

    /// What goes wrong with deliveries.
    pub struct DeliveryFault "a delivery fault" {
        /// Of these events; by default all.
        optional "event" event: OneOrMany<NonBlank>,
        /// What must hold of the delivery.
        optional "when" when: DeliveryWhen,
        /// What is counted together: all of the world, or the attempts of one delivery; by default all of the world.
        optional "per" per: DeliveryPer,
        /// Which of the counted are selected, from 1 on: `3`, `1-2`, `4-`, `every 5`, or a list of these; by default all.
        optional "hits" hits: OneOrMany<Hit>,
        /// Chance of each of those to be struck; by default all are.
        optional "chance" chance: Share,
        /// In place of `chance`: exactly so many of each block, in a seeded order: `3 of 10`.
        optional "exactly" exactly: Exactly,
        /// When, by the world's clock since its start: `10s-40s`.
        optional "during" during: During,
        /// Whether it counts at all; by default it does.
        optional "enabled" enabled: bool,
        /// What the receiver sees.
        required "then" then: DeliveryThen,
    }

    /// What must hold of a delivery.
    pub struct DeliveryWhen "`when`" {
        /// Number of the account.
        optional "business" business: OneOrMany<Id>,
        /// Name of the conversation.
        optional "conversation" conversation: OneOrMany<NonBlank>,
    }

    /// A later delivery.
    pub struct DeliveryDelay "`then`" {
        /// How much later.
        required "delay" delay: Duration,
    }
}

choice! {
    /// How deliveries are signed.
    pub enum Scheme { "none" None, "standard-webhooks" StandardWebhooks, "hmac-sha256" HmacSha256 }
    /// Whose time a signature bears.
    pub enum Timestamp { "real" Real, "world" World }
    /// What is counted together.
    pub enum DeliveryPer { "world" World, "delivery" Delivery }
    /// What the receiver of a delivery sees.
    pub enum DeliveryWord {
        "duplicate" Duplicate, "drop" Drop, "reorder" Reorder, "bad-signature" BadSignature, "truncate" Truncate,
    }
}

/// Events by name; one without anything said of it is there all the same.
#[derive(Debug, Default)]
pub struct Events(pub Vec<Member<Event>>);

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
pub struct Factor(pub u32);

impl Read for Factor {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let factor = node.scalar().filter(|scalar| scalar.plain).and_then(|scalar| thousandths(&scalar.text));
        let factor = factor.filter(|factor| (1000..=100_000).contains(factor));
        if factor.is_none() {
            must_be(findings, node, "a number from 1 to 100 with at most three decimals");
        }
        factor.map(Self)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "number", "minimum": 1, "maximum": 100 })
    }
}

fn thousandths(text: &str) -> Option<u32> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let parse_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !parse_digits(whole) || !parse_digits(fraction) || fraction.len() > 3 {
        return None;
    }
    whole.parse::<u32>().ok()?.checked_mul(1000)?.checked_add(format!("{fraction:0<3}").parse().ok()?)
}

/// What the receiver of a delivery sees.
#[derive(Debug)]
pub enum DeliveryThen {
    /// One of the words.
    Word(DeliveryWord),
    /// It comes later.
    Delay(DeliveryDelay),
}

impl Read for DeliveryThen {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if node.entries().is_some() {
            return DeliveryDelay::read(findings, node).map(Self::Delay);
        }
        if node.scalar().is_some_and(|scalar| &*scalar.text == "delay") {
            must_be(findings, node, "`{delay: 5s}` where the delivery is to come later");
            return None;
        }
        let found = DeliveryWord::read(findings, node);
        if found.is_none() {
            findings.help_last(
                "allowed: `duplicate`, `drop`, `{delay: 5s}`, `reorder`, `bad-signature` or `truncate`",
            );
        }
        found.map(Self::Word)
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "anyOf": [DeliveryWord::schema(definitions), DeliveryDelay::schema(definitions)] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_up_to_three_decimals() {
        assert_eq!(
            [thousandths("2"), thousandths("1.5"), thousandths("1.125")],
            [Some(2000), Some(1500), Some(1125)]
        );
        for text in ["", "1.", ".5", "1.2345", "x", "-1", "99999999999"] {
            assert_eq!(thousandths(text), None, "{text}");
        }
    }
}
