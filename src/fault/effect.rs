//! The effects of a fault: what the client sees of it.

use crate::fault::body::Body;
use crate::fault::connection::Connection;
use crate::fault::delay::Delay;
use crate::fault::error::Error;
use crate::fault::headers::Headers;
use crate::fault::lost::Lost;
use crate::fault::status::Status;

/// The effects of one fault, at least one of the three.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Effects {
    /// Latency before the answer, or before whatever replaces it.
    pub(crate) delay: Option<Delay>,
    /// Changes of the headers, of an injected answer or of the real one.
    pub(crate) headers: Option<Headers>,
    pub(crate) effect: Option<Effect>,
}

/// What happens to the answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    /// An API error replaces it.
    Error(Error),
    /// A plain status replaces it.
    Status(Status),
    /// There is no answer.
    Connection(Connection),
    /// The body of the real answer is changed.
    Body(Body),
    /// The operation runs, and its answer is lost.
    Lost(Lost),
}

impl Effects {
    /// Whether no later fault can apply to the same request. A delay alone lets them.
    pub(crate) const fn takes_request(&self) -> bool {
        self.effect.is_some() || self.headers.is_some()
    }
}
