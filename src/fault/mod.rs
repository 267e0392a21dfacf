//! Fault injection: what goes wrong, for which requests, and how often. A fault is a plain value that the loader has
//! validated. `decide` says which fault applies to a request, and `server/wire` performs what happens to connections.

use crate::api::operation::Operation;
use crate::fault::condition::{Condition, During};
use crate::fault::count::Count;
use crate::fault::effect::Effects;

/// A request as faults see it.
pub(crate) mod request;
/// Asking for a fault with the header `Prefer`.
pub(crate) mod prefer;
pub(crate) mod counters;
/// Deciding which fault applies.
pub(crate) mod decide;
/// How a reply is sent.
pub(crate) mod transmission;
pub(crate) mod condition;
/// How values are matched.
pub(crate) mod matching;
/// How often a fault applies.
pub(crate) mod count;
pub(crate) mod effect;
pub(crate) mod delay;
pub(crate) mod error;
pub(crate) mod status;
pub(crate) mod connection;
pub(crate) mod body;
pub(crate) mod malformed;
/// JSON Patch.
pub(crate) mod patch;
/// JSON Pointer.
pub(crate) mod pointer;
pub(crate) mod headers;
pub(crate) mod lost;

/// A fault. The first one that applies to a request takes it. A fault that only delays lets later ones apply too
/// (`docs/faults.md`).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// Name in lists, in the journal and in `Prefer: fault=<name>`.
    pub(crate) name: String,
    pub(crate) operations: Operations,
    pub(crate) condition: Condition,
    /// Which of the requests that meet the condition it applies to.
    pub(crate) count: Count,
    /// When it is active, by the world's clock since the world's start. None means always.
    pub(crate) during: Option<During>,
    /// A fault that is not enabled counts no requests. The admin API turns faults on and off.
    pub(crate) enabled: bool,
    /// Whether it counts only requests that ask for it with `Prefer`.
    pub(crate) on_request: bool,
    pub(crate) effect: Effects,
    /// The fault as it is written in the scenario, as JSON with sorted members. Its counters survive a reload as long as
    /// this stays the same.
    pub(crate) text: String,
}

/// The operations that a fault applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operations {
    /// All, routes included.
    All,
    /// These, each once, in the order of `operations::ALL`, and routes after them.
    Of(Vec<Operation>),
}

impl Operations {
    pub(crate) fn contains(&self, operation: Operation) -> bool {
        match self {
            Self::All => true,
            Self::Of(list) => list.contains(&operation),
        }
    }

    /// Whether the other's are all among these.
    pub(crate) fn contains_all(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Of(_), Self::All) => false,
            (Self::Of(_), Self::Of(list)) => list.iter().all(|operation| self.contains(*operation)),
        }
    }
}

impl Fault {
    /// Whether it takes every request that meets its condition, so that later faults never see them.
    pub(crate) fn takes_all(&self) -> bool {
        self.enabled
            && !self.on_request
            && self.during.is_none()
            && self.count.applies_to_all()
            && self.effect.takes_request()
    }
}
