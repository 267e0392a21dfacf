//! The scenario language.
/// The validated scenario.
pub mod model;
