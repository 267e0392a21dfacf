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

/// What a fault did to one request, by the word that scenarios have for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Only latency.
    Delay,
    /// Only other headers.
    Headers,
    Error,
    Status,
    Reset,
    Close,
    Stall,
    Garbage,
    Truncate,
    Drip,
    Malformed,
    Patch,
    Lost,
}

impl Effect {
    pub(crate) const fn kind(&self) -> Kind {
        match self {
            Self::Error(_) => Kind::Error,
            Self::Status(_) => Kind::Status,
            Self::Connection(Connection::Reset) => Kind::Reset,
            Self::Connection(Connection::Close) => Kind::Close,
            Self::Connection(Connection::Stall(_)) => Kind::Stall,
            Self::Connection(Connection::Garbage) => Kind::Garbage,
            Self::Body(Body::Truncate(_)) => Kind::Truncate,
            Self::Body(Body::Drip { .. }) => Kind::Drip,
            Self::Body(Body::Malformed) => Kind::Malformed,
            Self::Body(Body::Patch(_)) => Kind::Patch,
            Self::Lost(_) => Kind::Lost,
        }
    }
}

impl Effects {
    /// Whether no later fault can apply to the same request. A delay alone lets them.
    pub(crate) const fn takes_request(&self) -> bool {
        self.effect.is_some() || self.headers.is_some()
    }
}
