//! What the client sees of a fault.

use crate::fault::body::Body;
use crate::fault::connection::Connection;
use crate::fault::delay::Delay;
use crate::fault::error::Error;
use crate::fault::headers::Headers;
use crate::fault::lost::Lost;
use crate::fault::status::Status;

/// What the client sees: one act at most, and a delay and changed headers beside it; at least one of the three.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// Latency before the answer, or before what takes its place.
    pub delay: Option<Delay>,
    /// Changed headers, on the injected answer or on the real one.
    pub headers: Option<Headers>,
    /// What becomes of the answer.
    pub effect: Option<Effect>,
}

/// What becomes of the answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// An error of the catalogue in its place.
    Error(Error),
    /// A plain status in its place.
    Status(Status),
    /// No answer at all.
    Connection(Connection),
    /// The real answer with another body.
    Body(Body),
    /// The real answer made, and lost.
    Lost(Lost),
}

impl Effects {
    /// Whether no later fault is considered for a request that this one strikes: a delay alone lets them be.
    #[must_use]
    pub const fn takes_request(&self) -> bool {
        self.effect.is_some() || self.headers.is_some()
    }
}
