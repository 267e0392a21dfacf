//! The HTTP server, an actix-web application: the only module that knows actix.

/// The state that all handlers share.
pub mod state;
/// Starts and stops the server.
pub mod bind;
/// The application: which request goes where.
pub mod app;
/// The simulated API.
pub mod api;
/// Delays and wire faults.
pub mod wire;
/// The admin side.
pub mod admin;
/// Who may use the admin side.
pub mod guard;
/// Middleware for everything but the simulated API.
pub mod middleware;
/// Reads a request's body.
pub mod body;
/// The page that a browser gets at `/`.
pub mod page;
/// OpenAPI documents.
pub mod openapi;
/// The API's document and the page that draws it.
pub mod docs;
/// Metrics.
pub mod metrics;
/// The log of a serving process.
pub mod log;
/// A log writer that never blocks its callers.
pub mod log_writer;

#[cfg(test)]
mod tests;
