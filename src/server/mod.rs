//! The HTTP server: the only module that knows actix. It turns what arrives into calls, and replies into what is sent.

/// What all its parts share.
pub mod state;
/// Binding, running, stopping.
pub mod bind;
/// From actix's request to a call, and from a reply to actix's response.
pub mod exchange;
/// Delays and wire faults.
pub mod wire;
/// Who may use the admin side.
pub mod guard;
/// The admin side.
pub mod admin;
/// The page that a browser gets at `/`.
pub mod page;
/// OpenAPI documents.
pub mod openapi;
/// Those documents and a page, served.
pub mod docs;
/// What the server did, counted.
pub mod metrics;
/// The log of a serving process.
pub mod log;
/// A log writer that never blocks its callers.
pub mod log_writer;
