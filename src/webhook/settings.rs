//! What a scenario says of events and their delivery (`scenarios.md`, "Webhooks"). Plain values, checked by the loader.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use crate::api::operation::Operation;
use crate::fault::condition::During;
use crate::fault::count::Count;

/// Events and their delivery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Webhooks {
    /// Hosts that deliveries may go to beyond loopback.
    pub allow: Vec<Host>,
    /// How deliveries are signed.
    pub signing: Signing,
    /// How often and how long delivery is tried.
    pub retry: Retry,
    /// Events beyond the known, and known ones with a payload of their own. The payload is a template; none means the
    /// simulator's own.
    pub events: BTreeMap<String, Option<String>>,
    /// What happens by itself, in the order written.
    pub timeline: Vec<Happening>,
    /// What goes wrong with deliveries. The name of each is its place.
    pub faults: Vec<DeliveryFault>,
}

/// A host, or many of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Host {
    /// `hooks.example.test`, in lower case.
    Named(String),
    /// `*.example.test`: every name that ends so; kept as `.example.test`, in lower case.
    Under(String),
    /// An address.
    Address(IpAddr),
    /// `*`: all. Link-local and metadata addresses are not opened by this.
    Any,
}

/// How deliveries are signed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Signing {
    /// Not at all.
    #[default]
    None,
    /// Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
    StandardWebhooks {
        /// The bytes behind `whsec_`, decoded.
        secret: Vec<u8>,
        /// Whether the timestamp is the world's, which may lie far in the past; otherwise it is real.
        world_time: bool,
    },
    /// A plain HMAC-SHA256 of the body in a header.
    HmacSha256 {
        /// The secret's bytes, as written.
        secret: Vec<u8>,
    },
}

/// How often and how long delivery is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Attempts in all, at least 1.
    pub attempts: u32,
    /// Time between the first two.
    pub first: Duration,
    /// By how much each wait is longer than the one before, in thousandths; at least 1000.
    pub factor: u32,
    /// By which share of itself a wait is longer or shorter, in parts in a million.
    pub jitter: u32,
    /// Real time that one attempt may take, longer than nothing.
    pub timeout: Duration,
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

/// Something that happens by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// When.
    pub when: When,
    /// What.
    pub event: Emission,
}

/// When something happens. Spans are of the world's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Once, so long after the world's start.
    At(Duration),
    /// Again and again, first after one such span.
    Every {
        /// The span, longer than nothing.
        span: Duration,
        /// How often; none means without end.
        times: Option<u32>,
    },
    /// Each time a client did this operation.
    After(Operation),
}

/// An event as it is told to happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Emission {
    /// Its name; never the alias.
    pub event: String,
    /// Number of the account; none is that of the operation which it follows.
    pub business: Option<u64>,
    /// Name of the conversation.
    pub conversation: Option<String>,
    /// Text of the message.
    pub text: Option<String>,
    /// Members laid over the payload's data.
    pub data: Option<serde_json::Map<String, serde_json::Value>>,
}

/// What goes wrong with deliveries.
#[derive(Clone, Debug, PartialEq)]
pub struct DeliveryFault {
    /// Of these events; none means all. Never the alias.
    pub events: Vec<String>,
    /// Of these accounts; none means all.
    pub businesses: Vec<u64>,
    /// Of these conversations; none means all.
    pub conversations: Vec<String>,
    /// Which of them. The fingerprint that `Per::Request` counts by is a delivery's: its attempts count together.
    pub count: Count,
    /// When, by the world's clock since its start; none means always.
    pub during: Option<During>,
    /// Whether it counts at all.
    pub enabled: bool,
    /// What the receiver sees.
    pub effect: DeliveryEffect,
}

/// What the receiver of a delivery sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryEffect {
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
}

impl DeliveryEffect {
    /// Whether it befalls one attempt, each of which is counted and decided; otherwise it befalls the delivery, which is
    /// decided once.
    #[must_use]
    pub const fn is_of_attempts(self) -> bool {
        matches!(self, Self::BadSignature | Self::Truncate)
    }
}
