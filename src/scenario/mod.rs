//! The scenario language: text to validated scenario. The only module that knows YAML and reads files.

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
/// The mirror of records.
pub mod raw_records;
/// From the marked tree to raw values.
pub mod read;
/// The texts that problems point into.
pub mod source;
/// YAML to the marked tree.
pub mod yaml;
