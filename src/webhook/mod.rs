//! Webhooks: events and their delivery.

/// What a scenario says of them.
pub mod settings;
