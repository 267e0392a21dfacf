//! The journal: the calls of a world as they were received and answered, in order and within bounds.
//!
//! A call is packed into bytes when its answer is decided, and parsed only when somebody asks for it.

pub mod entry;
/// The memory limit of all journals together.
pub mod budget;
/// The journal of one world.
pub mod record;
pub mod filter;
/// Replacing API keys by their names.
pub mod mask;
/// Remarks on what the client did.
pub mod notes;
/// Entries as JSON.
pub mod json;
/// Entries as an HTTP archive.
pub mod har;
