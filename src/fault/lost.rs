//! The effect `lost`.

/// The operation takes effect and the client never learns of it, which makes a careless retry a duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// `reset`: TCP RST in place of the answer.
    Reset,
}
