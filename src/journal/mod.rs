//! The journal: the calls of a world as they were received and answered, in order and within bounds.
//!
//! A call is packed into bytes when its answer is decided, and parsed only when somebody asks for it.

/// The order of checks of a call.
pub(crate) mod checks;
pub(crate) mod entry;
/// The memory limit of all journals together.
pub(crate) mod budget;
/// The journal of one world.
pub(crate) mod record;
pub(crate) mod filter;
/// Replacing API keys by their names.
pub(crate) mod mask;
/// Secrets beside the keys of a world.
pub(crate) mod secrets;
/// Remarks on what the client did.
pub(crate) mod notes;
/// Entries as JSON.
pub(crate) mod json;
/// Entries as an HTTP archive.
pub(crate) mod har;
