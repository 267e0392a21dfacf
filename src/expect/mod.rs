//! Expectations: what a well-behaved client does.

pub mod expectation;
