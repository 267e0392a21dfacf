//! The seeded facts of a scenario, immutable and shared.

/// What a scenario gives.
pub mod records;
