//! What a call came to, as its client saw it.

use std::time::Duration;

use crate::api::error::Code;
use crate::expect::call::{Call, CallEnd};
use crate::expect::words;
use crate::fault::effect::Kind;

/// What a call came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The client got the whole answer of a call that succeeded.
    Read,
    /// A 2xx whose body was cut or is no JSON.
    Broken,
    /// A 4xx that no repetition mends.
    Refused,
    /// A 1027 with status 429: the status asks for a repetition, and none mends it.
    Unmendable,
    /// Too many requests.
    Limited,
    /// A 5xx, 408 or 425.
    Failed,
    /// The connection was reset or closed, or had no HTTP on it.
    Lost,
    /// Nothing came for as long as a stall lasted.
    Stalled,
    /// The client did not wait for the end.
    HungUp,
    /// It has not ended.
    UnderWay,
}

impl Outcome {
    /// Whether the client may reasonably send the request again.
    pub(crate) const fn may_be_repeated(self) -> bool {
        match self {
            Self::Broken | Self::Limited | Self::Failed | Self::Lost | Self::Stalled | Self::HungUp => true,
            Self::Read | Self::Refused | Self::Unmendable | Self::UnderWay => false,
        }
    }
}

impl Call {
    pub(crate) fn outcome(&self) -> Outcome {
        if matches!(self.end, Some(CallEnd::HungUp(_))) {
            return Outcome::HungUp;
        }
        let Some(status) = self.status else {
            return match (self.effect, self.end) {
                (_, None) => Outcome::UnderWay,
                (Some(Kind::Stall), _) => Outcome::Stalled,
                _ => Outcome::Lost,
            };
        };
        match status {
            429 if self.code == Some(Code::NumberInvalid.row().number) => Outcome::Unmendable,
            429 => Outcome::Limited,
            _ if self.code == Some(Code::RateLimited.row().number) => Outcome::Limited,
            408 | 425 | 500.. => Outcome::Failed,
            400.. => Outcome::Refused,
            _ if matches!(self.effect, Some(Kind::Truncate | Kind::Malformed)) => Outcome::Broken,
            _ => Outcome::Read,
        }
    }

    /// Whether it was refused by the real rate limit of its key, and not by a fault.
    pub(crate) fn met_the_limit(&self) -> bool {
        self.code == Some(Code::RateLimited.row().number)
            && !matches!(self.effect, Some(Kind::Error | Kind::Status))
    }

    /// How long the answer asked to wait, if the client got it.
    pub(crate) fn asked_wait(&self) -> Option<Duration> {
        let is_heard = self.status.is_some() && !matches!(self.end, Some(CallEnd::HungUp(_)));
        self.retry_after.filter(|_| is_heard)
    }

    /// When it ended, by real time; its arrival while it is under way.
    pub(crate) fn ended(&self) -> Duration {
        self.end.map_or(self.arrived, CallEnd::at)
    }

    /// How long it took until it ended.
    pub(crate) fn took(&self) -> Duration {
        self.ended().saturating_sub(self.arrived)
    }

    /// What the client got, with its article, for messages: `an 89`, `a reset`.
    pub(crate) fn answer_in_words(&self) -> String {
        if matches!(self.end, Some(CallEnd::HungUp(_))) {
            return format!("a call that it had left after {}", words::time(self.took()));
        }
        let number = self.code.filter(|_| self.status.is_some()).or(self.status.map(u32::from));
        match (self.effect, number) {
            (Some(Kind::Truncate), _) => "a cut body".to_owned(),
            (Some(Kind::Malformed), _) => "a body that is no JSON".to_owned(),
            (_, Some(number)) => words::number(number),
            (Some(Kind::Reset), None) => "a reset".to_owned(),
            (Some(Kind::Close), None) => "a closed connection".to_owned(),
            (Some(Kind::Stall), None) => "a stall".to_owned(),
            (Some(Kind::Garbage), None) => "bytes that are no HTTP".to_owned(),
            (Some(Kind::Lost), None) => "a lost answer".to_owned(),
            (_, None) => "no answer".to_owned(),
        }
    }
}
