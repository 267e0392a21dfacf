//! The webhook settings of a scenario (`docs/scenarios.md`, "Webhooks"): plain values, checked by the loader.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::net::IpAddr;
use std::time::Duration;

use crate::api::operation::Operation;
use crate::dataset::arrival::Arrival;
use crate::fault::condition::During;
use crate::fault::count::Count;
use crate::webhook::fault::Stage;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Webhooks {
    /// Hosts that deliveries may go to beyond loopback.
    pub(crate) allow: Vec<Host>,
    pub(crate) signing: Signing,
    pub(crate) retry: Retry,
    /// Events that the scenario adds, and known ones with their own payload. The value is the payload's template; none
    /// means Standin's own payload.
    pub(crate) events: BTreeMap<String, Option<String>>,
    /// In the order written.
    pub(crate) timeline: Vec<TimelineEntry>,
    /// The name of each is its place.
    pub(crate) faults: Vec<DeliveryFault>,
}

impl Webhooks {
    /// Whether records arrive on the timeline.
    pub(crate) fn has_arrivals(&self) -> bool {
        self.timeline.iter().any(|entry| matches!(entry.what, Happening::Record(..)))
    }
}

/// A pattern of hosts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Host {
    /// `hooks.example.test`, in lower case.
    Named(String),
    /// `*.example.test`: every name with that ending, kept as `.example.test`, in lower case.
    Under(String),
    Address(IpAddr),
    /// `*`: all hosts but link-local and metadata addresses.
    Any,
}

/// How deliveries are signed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Signing {
    #[default]
    None,
    /// Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
    StandardWebhooks {
        /// The decoded bytes behind `whsec_`.
        secret: Vec<u8>,
        /// Whether the timestamp is world time, which may be far in the past, instead of real time.
        world_time: bool,
    },
    /// A plain HMAC-SHA256 of the body in a header.
    HmacSha256 {
        /// The secret's bytes, as written.
        secret: Vec<u8>,
    },
}

/// The retry policy of deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Retry {
    /// Attempts in all, at least 1.
    pub(crate) attempts: u32,
    /// Time between the first two.
    pub(crate) first: Duration,
    /// Each wait is the one before times this, in thousandths; at least 1000.
    pub(crate) factor: u32,
    /// The share by which a wait is made longer or shorter, in parts in a million.
    pub(crate) jitter: u32,
    /// Real time that one attempt may take, above zero.
    pub(crate) timeout: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 5,
            first: Duration::from_secs(1),
            factor: 2000,
            jitter: 200_000,
            timeout: Duration::from_secs(5),
        }
    }
}

/// Something that happens without the admin API.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TimelineEntry {
    pub(crate) when: When,
    pub(crate) what: Happening,
}

/// What happens by an entry of the timeline, or by a step of a demo button.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Happening {
    /// An event is emitted.
    Event(Emission),
    /// A record arrives, and is announced by the event of that name, else by the usual one where the scenario has it.
    Record(Arrival, Option<String>),
}

impl Display for Happening {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(emission) => {
                write!(out, "the event {}", emission.event)?;
                let conversation = emission.conversation.as_ref();
                conversation.map_or(Ok(()), |name| write!(out, " of the conversation {name}"))
            }
            Self::Record(Arrival::Review(review), _) => {
                let stars = if review.record.rating == 1 { "star" } else { "stars" };
                write!(out, "a review with {} {stars} arrives at {}", review.record.rating, review.location)
            }
            Self::Record(Arrival::Question(question), _) => {
                write!(out, "a question arrives at {}", question.location)
            }
            Self::Record(Arrival::Response(_), _) => write!(out, "the owner responds to a review"),
        }
    }
}

/// When an entry of the timeline fires. Spans are of the world's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Once, this long after the world's start.
    At(Duration),
    /// Repeatedly, first after one span.
    Every {
        /// Above zero.
        span: Duration,
        /// None means without end.
        times: Option<u32>,
    },
    /// Each time a client does this operation.
    After(Operation),
}

/// An event to emit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Emission {
    /// Name of the event, never its alias.
    pub(crate) event: String,
    /// Number of the account; none means the account of the operation that the event follows.
    pub(crate) business: Option<u64>,
    /// Name of the conversation.
    pub(crate) conversation: Option<String>,
    /// Text of the message.
    pub(crate) text: Option<String>,
    /// Members laid over those of the payload's data.
    pub(crate) data: Option<serde_json::Map<String, serde_json::Value>>,
}

/// A fault of deliveries.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeliveryFault {
    /// Names of events, never the alias; none means all.
    pub(crate) events: Vec<String>,
    /// Numbers of accounts; none means all.
    pub(crate) businesses: Vec<u64>,
    /// Names of conversations; none means all.
    pub(crate) conversations: Vec<String>,
    /// Which of the counted deliveries the fault applies to. `Per::Request` counts by the delivery's fingerprint, so that
    /// its attempts count together.
    pub(crate) count: Count,
    /// World time since the start; none means always.
    pub(crate) during: Option<During>,
    pub(crate) enabled: bool,
    pub(crate) effect: DeliveryEffect,
}

/// What the receiver of a delivery sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeliveryEffect {
    /// `duplicate`: it comes twice, with one event id.
    Duplicate,
    /// `drop`: it never comes.
    Drop,
    /// `{delay: 5s}`: it comes later, by the world's clock.
    Delay(Duration),
    /// `reorder`: it comes behind the one that follows it in its conversation.
    Reorder,
    /// `bad-signature`: its signature is not that of its body.
    BadSignature,
    /// `truncate`: its body is cut off.
    Truncate,
    /// `unknown-event`: an event that nobody subscribed to comes behind it.
    UnknownEvent,
}

impl DeliveryEffect {
    pub(crate) const fn stage(self) -> Stage {
        match self {
            Self::BadSignature | Self::Truncate => Stage::Attempt,
            Self::Duplicate | Self::Drop | Self::Delay(_) | Self::Reorder | Self::UnknownEvent => {
                Stage::Delivery
            }
        }
    }
}
