//! Judging a client by what it did: expectations that a scenario has of it, and the rules of the scorecard, which hold for every
//! client. All of it is a pure function of a `Record`.

pub(crate) mod expectation;
/// A call as it is judged.
pub(crate) mod call;
/// The page of a list that a call asked for.
pub(crate) mod page;
/// What a call came to.
pub(crate) mod outcome;
/// First tries and their retries.
pub(crate) mod chain;
/// Medians and percentiles.
mod middle;
/// Numbers and times as reports write them.
pub(crate) mod words;
/// All that a client did in a world.
pub(crate) mod record;
/// The rules that hold for every client.
pub(crate) mod scorecard;
/// What is said of a client.
pub(crate) mod report;
/// Whether the client did what is expected.
pub(crate) mod verify;
