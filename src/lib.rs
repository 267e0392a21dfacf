//! Standin: a fake business-reputation backend that behaves like the real one.
//!
//! A scenario (a YAML file) describes the backend. Its dataset is built from a seed and shared. Every world is one isolated
//! run of a scenario. A request goes through the modules below in one direction: `server` receives it, `pipeline` checks
//! it, and an operation answers it from `dataset` and `ledger`.
//!
//! The modules are in reading order, and each imports only modules before it (`tests/architecture.rs` has the table).
//! Absent on purpose: a database (facts are immutable, and what clients write lives with its world), a general mock engine
//! (the six operations are code; only `route` is templates), and any source of chance or time other than `draw` and `clock`.

/// The clock of a world, and real time.
mod clock;
/// Seeds, and the numbers drawn from them.
mod draw;
/// Bounds of memory.
mod memory;
/// Templates, rendered within bounds.
mod template;

/// The vocabulary of the simulated API.
mod api;
/// The seeded facts, immutable.
mod dataset;
/// API keys.
mod auth;
/// Fault injection.
mod fault;
/// What clients wrote to a world.
mod ledger;
/// The operations of the simulated API.
mod operations;
/// Operations that a scenario defines.
mod route;
/// The calls of a world, as received and answered.
mod journal;
/// Events and their delivery.
mod webhook;
/// Expectations on a client.
mod expect;
/// The scenario language.
mod scenario;
/// Importing routes from OpenAPI documents.
mod import;
/// Isolated runs of a scenario.
mod world;
/// The way of a request.
mod pipeline;
/// Loading scenarios, and replacing what is served.
mod reload;
/// Exploring what a client does about each failure.
mod explore;
/// Bundles: a run in one file, and replaying it.
mod bundle;
/// The HTTP server.
mod server;
/// The commands.
mod cli;
/// A server inside a Rust test.
mod library;
/// Benchmarks.
#[cfg(feature = "bench")]
#[doc(hidden)]
pub mod bench;
/// What holds for any bytes.
#[cfg(any(test, feature = "fuzz"))]
#[doc(hidden)]
pub mod fuzz;
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
