//! Webhooks: from an event to its deliveries, and from a delivery to its attempts.

/// The webhook settings of a scenario.
pub mod settings;
/// The payload of a delivery.
pub mod payload;
/// Settings and compiled templates.
pub mod plan;
/// Memory bounds.
pub mod memory;
/// Conversations, which events change.
pub mod conversation;
/// An event, shared by its deliveries.
pub mod event;
/// One event for one subscription.
pub mod delivery;
/// Faults of deliveries.
pub mod fault;
/// Events at fixed times, and after operations.
pub mod timeline;
/// Which deliveries are tried when.
pub mod schedule;
/// Signatures.
pub mod sign;
/// Which addresses deliveries may go to.
pub mod target;
/// The HTTP client that makes one attempt.
pub mod client;
/// The webhooks of one run of a world.
pub mod state;
/// The thread that makes attempts.
pub mod engine;
#[cfg(test)]
mod tests;
