//! What a well-behaved client does.

/// One such thing.
pub mod expectation;
