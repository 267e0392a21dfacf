//! Standin: a fake business-reputation backend that behaves like the real one.
//!
//! A scenario (a YAML file) says what the backend is; its dataset is built from a seed and shared; every world is one
//! isolated run of it. A request walks one way through the rooms below: `server` receives it, `pipeline` takes it
//! through key, limit and checks, an operation answers it from `dataset` and `ledger`.
//!
//! The modules stand in reading order, and each knows only those before it (`tests/architecture.rs` holds the table).
//! Absent on purpose: a database (facts are immutable, and what is written lives with its world), a general mock engine
//! (the six operations are code, not templates), and any source of chance or time but `draw` and `clock`.

/// A world's clock, and the process's own time.
pub mod clock;
/// Seeds, and the draws that come from them.
pub mod draw;

/// The vocabulary of the simulated API.
pub mod api;
/// The seeded facts, immutable.
pub mod dataset;
/// API keys, and who a call is from.
pub mod auth;
/// What goes wrong, and when.
pub mod fault;
/// What was written to a world.
pub mod ledger;
/// The six operations.
pub mod operations;
/// Every call, as received and answered.
pub mod journal;
/// Events and where they go.
pub mod webhook;
/// What a well-behaved client does.
pub mod expect;
/// The scenario language.
pub mod scenario;
/// Isolated runs of a scenario.
pub mod world;
/// The way of a request.
pub mod pipeline;
/// From a saved file to what is served.
pub mod reload;
/// The HTTP server.
pub mod server;
/// The commands.
pub mod cli;
/// A server within a Rust test.
pub mod library;
/// Benchmarks.
#[cfg(feature = "bench")]
#[doc(hidden)]
pub mod bench;
#[cfg(test)]
mod tests;

pub use api::operation::Operation;
pub use journal::filter::Filter;
pub use library::{NotAdvanced, NotStarted, Standin, Unmet, World, WorldOptions};
pub use world::create::CreateError;

/// Runs the program `standin`: reads its command line, runs the command, and gives its exit code.
#[doc(hidden)]
pub fn main() -> std::process::ExitCode {
    cli::main()
}
