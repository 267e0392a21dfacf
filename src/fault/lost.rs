//! The effect `lost`.

/// The operation takes effect, but the client never gets the answer, so that a careless retry makes a duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// `reset`: a TCP RST instead of the answer.
    Reset,
}
