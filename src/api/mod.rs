//! The vocabulary of the simulated API: plain data, no framework, no storage.

pub(crate) mod operation;
pub(crate) mod call;
pub(crate) mod reply;
/// API errors, and the one catalogue of their codes.
pub(crate) mod error;
/// Options of the API that a scenario can change.
pub(crate) mod dialect;
pub(crate) mod cors;
/// Where a call comes from, as a browser says.
pub(crate) mod origin;
/// Reading one field of a request body.
pub(crate) mod field;
/// JSON Schemas of values that may be spelled in several ways.
pub(crate) mod schema;
/// Paging by start index and count.
pub(crate) mod query;
/// Days and instants, as the API reads and writes them.
pub(crate) mod dates;
pub(crate) mod ids;
/// Review sources.
pub(crate) mod sources;
/// Names of webhook events.
pub(crate) mod events;
/// Comparing text without case.
pub(crate) mod fold;
pub(crate) mod email;
pub(crate) mod phone;
