//! The vocabulary of the simulated API: plain data, no framework, no storage.

/// A call as it was received.
pub mod call;
/// Cross-origin manners.
pub mod cors;
/// Days and instants, as the API reads and writes them.
pub mod dates;
/// What a scenario may change in the API's manners.
pub mod dialect;
/// Email addresses, recognised.
pub mod email;
/// Names of webhook events.
pub mod events;
/// One field of a request body, read in its documented shape.
pub mod field;
/// Text compared without case.
pub mod fold;
/// Ids and their order.
pub mod ids;
/// The six operations and their paths.
pub mod operation;
/// Phone numbers, compared.
pub mod phone;
/// Pages and their window.
pub mod query;
/// The API's "no", and the one catalogue of its codes.
pub mod refusal;
/// A reply: the bytes to send.
pub mod reply;
/// Review sources: alias, shown name, manners.
pub mod sources;
