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
/// One event for one subscription.
pub mod delivery;
/// Which deliveries are tried when.
pub mod schedule;
/// What goes wrong with deliveries.
pub mod fault;
/// What happens by itself.
pub mod timeline;
/// How one attempt is made.
pub mod client;
/// The webhooks of one world.
pub mod state;
/// Who makes attempts.
pub mod engine;
#[cfg(test)]
mod tests;
