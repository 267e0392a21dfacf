//! Faults: what goes wrong, for whom, how often. Plain values, checked by the loader, and the
//! decision which of them strikes a request. What they do to a connection is performed at the server's edge.

use crate::api::operation::Operation;
use crate::fault::condition::{Condition, During};
use crate::fault::count::Count;
use crate::fault::effect::Effects;

/// A request as faults see it.
pub mod request;
/// How a request asks for a fault.
pub mod prefer;
/// What was counted.
pub mod counters;
/// Which fault strikes.
pub mod decide;
/// How a reply goes out.
pub mod transmission;
/// What becomes of the body.
pub mod body;
/// For which requests.
pub mod condition;
/// What becomes of the connection.
pub mod connection;
/// Which of them.
pub mod count;
/// Latency.
pub mod delay;
/// What the client sees.
pub mod effect;
/// A code of the catalogue for an answer.
pub mod error;
/// Changed headers.
pub mod headers;
/// An answer that never arrives.
pub mod lost;
/// JSON cut at a token.
pub mod malformed;
/// Changes of an answer's JSON.
pub mod patch;
/// Where in a JSON document.
pub mod pointer;
/// A plain status for an answer.
pub mod status;

/// A fault. The first enabled one that matches and is due takes the effect; a delay alone lets later ones be considered
/// too (`scenarios.md`, "Faults").
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Its name, by which it is listed, told in answers, and asked for with `Prefer: fault=<name>`.
    pub name: String,
    /// The operations it strikes, each once, in the order of `Operation::ALL`.
    pub operations: Vec<Operation>,
    /// What else must hold of the request.
    pub condition: Condition,
    /// What it counts, and which of the counted it strikes.
    pub count: Count,
    /// When it counts, by the world's clock since its start; none means always.
    pub during: Option<During>,
    /// Whether it counts at all; the admin side turns it on and off.
    pub enabled: bool,
    /// Whether it counts only the requests that name it in `Prefer`.
    pub on_request: bool,
    /// What the client sees.
    pub effect: Effects,
    /// The fault as it was written, in canonical JSON: members sorted, comments and layout gone. Counters go on over a
    /// reload for as long as this stays the same.
    pub text: String,
}

impl Fault {
    /// Whether every request that it counts is taken, so that no later fault sees one of them.
    #[must_use]
    pub fn takes_all(&self) -> bool {
        self.enabled
            && !self.on_request
            && self.during.is_none()
            && self.count.strikes_all()
            && self.effect.takes_request()
    }
}
