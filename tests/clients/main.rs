//! `standin run` with real clients: the examples, which every rule of the scorecard has to let pass; the careless one, which each
//! rule has to find; and clients of popular HTTP libraries. A client whose language or packages are missing is skipped, and
//! standard output says so. `tests/clients/run` runs the tests that take longer, too.
#![cfg(unix)]
#![cfg(test)] // Clippy allows `unwrap` in what is marked as a test.

/// Runs a command and reads the report.
mod judged;
/// Interpreters, compilers and packages, where they are there.
mod tools;

mod careless;
mod proper;
mod stacks;
