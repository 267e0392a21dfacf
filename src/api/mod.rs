//! The vocabulary of the simulated API: plain data, no framework, no storage.

/// The six operations and their paths.
pub mod operation;
/// A call as it was received.
pub mod call;
/// A reply: the bytes to send.
pub mod reply;
/// The API's "no", and the one catalogue of its codes.
pub mod error;
/// What a scenario may change in the API's manners.
pub mod dialect;
/// Cross-origin manners.
pub mod cors;
/// One field of a request body, read in its documented shape.
pub mod field;
/// JSON Schemas of values with more than one spelling.
pub mod schema;
/// Pages and their window.
pub mod query;
/// Days and instants, as the API reads and writes them.
pub mod dates;
/// Ids and their order.
pub mod ids;
/// Review sources: alias, shown name, manners.
pub mod sources;
/// Names of webhook events.
pub mod events;
/// Text compared without case.
pub mod fold;
/// Email addresses, recognised.
pub mod email;
/// Phone numbers, compared.
pub mod phone;
