//! Webhooks: from an event to its deliveries, and from a delivery to its attempts.

/// The webhook settings of a scenario.
pub(crate) mod settings;
/// The payload of a delivery.
pub(crate) mod payload;
/// Settings and templates.
pub(crate) mod plan;
/// Conversations, which events change.
pub(crate) mod conversation;
/// An event, shared by its deliveries.
pub(crate) mod event;
/// One event for one subscription.
pub(crate) mod delivery;
/// Faults of deliveries.
pub(crate) mod fault;
/// How often each kind of event occurred.
pub(crate) mod occurrences;
/// Events and records at fixed times, and after operations.
pub(crate) mod timeline;
/// Which deliveries are tried when.
pub(crate) mod schedule;
/// Signatures.
pub(crate) mod sign;
/// Which addresses deliveries may go to.
pub(crate) mod target;
/// The HTTP client that makes one attempt.
pub(crate) mod client;
/// A delivery that is due, and its request.
pub(crate) mod due;
/// The webhooks of one run of a world.
pub(crate) mod state;
pub(crate) mod handle;
/// The thread that makes attempts.
pub(crate) mod engine;
#[cfg(test)]
mod tests;
