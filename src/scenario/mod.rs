//! The scenario language: text to validated scenario. The only module that knows YAML and reads files.

/// Expectations.
pub mod expect;
/// Faults.
pub mod fault;
/// Maps without empty members, and other shared shapes.
pub mod full;
/// What sections may refer to.
pub mod known;
/// Single values.
pub mod leaf;
/// The marked tree.
pub mod node;
/// What is wrong, where, and what would be right.
pub mod problem;
/// The mirror of a scenario file.
pub mod raw;
/// The mirror of an expectation.
pub mod raw_expect;
/// The mirror of records.
pub mod raw_records;
/// From the marked tree to raw values.
pub mod read;
/// Routes.
pub mod route;
/// The texts that problems point into.
pub mod source;
/// Templates.
pub mod template;
/// Webhooks.
pub mod webhook;
/// YAML to the marked tree.
pub mod yaml;
