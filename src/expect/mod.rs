//! Judging a client by what it did: expectations that a scenario has of it, and the rules of the scorecard, which hold for every
//! client. All of it is a pure function of a `Record`.

pub(crate) mod expectation;
/// A call as it is judged.
pub(crate) mod call;
/// All that a client did in a world.
pub(crate) mod record;
/// What is said of a client.
#[cfg_attr(not(test), expect(dead_code, reason = "the scorecard will fill the report"))]
pub(crate) mod report;
/// Whether the client did what is expected.
pub(crate) mod verify;
