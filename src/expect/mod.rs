//! Expectations: what a well-behaved client does.

pub(crate) mod expectation;
