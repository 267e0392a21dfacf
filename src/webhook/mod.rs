//! Webhooks: from an event to its deliveries, and from a delivery to its attempts.

/// What a scenario says of them.
pub mod settings;
/// What events tell of.
pub mod conversation;
/// What is sent.
pub mod payload;
/// Signatures.
pub mod sign;
/// Where it may go.
pub mod target;
