//! The HTTP server, an actix-web application: the only module that knows actix.

/// The state that all handlers share.
pub(crate) mod state;
/// Starts and stops the server.
pub(crate) mod bind;
/// The application: which request goes where.
pub(crate) mod app;
/// The simulated API.
pub(crate) mod api;
/// Delays and wire faults.
pub(crate) mod wire;
/// The admin side.
pub(crate) mod admin;
/// Who may use the admin side.
pub(crate) mod guard;
/// Middleware for everything but the simulated API.
pub(crate) mod middleware;
/// Work that takes long.
pub(crate) mod long;
/// Reads a request's body.
pub(crate) mod body;
/// Gives freed memory back to the system.
pub(crate) mod memory;
/// The page that a browser gets at `/`.
pub(crate) mod page;
pub(crate) mod assets;
/// OpenAPI documents.
pub(crate) mod openapi;
/// The API's document and the page that draws it.
pub(crate) mod docs;
/// Receivers of webhooks, to try them.
pub(crate) mod receivers;
/// The console.
pub(crate) mod console;
/// The tools of a coding agent.
pub(crate) mod mcp;
/// Metrics.
pub(crate) mod metrics;
/// The log of a serving process.
pub(crate) mod log;
/// A log writer that never blocks its callers.
pub(crate) mod log_writer;

#[cfg(test)]
mod tests;
