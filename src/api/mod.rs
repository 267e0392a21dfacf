//! The vocabulary of the simulated API: plain data, no framework, no storage.

pub mod operation;
pub mod call;
pub mod reply;
/// API errors, and the one catalogue of their codes.
pub mod error;
/// Options of the API that a scenario can change.
pub mod dialect;
pub mod cors;
/// Reading one field of a request body.
pub mod field;
/// JSON Schemas of values that may be spelled in several ways.
pub mod schema;
/// Paging by start index and count.
pub mod query;
/// Days and instants, as the API reads and writes them.
pub mod dates;
pub mod ids;
/// Review sources.
pub mod sources;
/// Names of webhook events.
pub mod events;
/// Comparing text without case.
pub mod fold;
pub mod email;
pub mod phone;
