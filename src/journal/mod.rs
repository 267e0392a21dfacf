//! The journal: every call of a world as it was received and answered, in order, within bounds.
//!
//! A call is packed into bytes when its answer is decided, and read out only when somebody asks.

/// One call, packed.
pub mod entry;
/// How much is kept.
pub mod budget;
/// The calls of one world.
pub mod record;
/// Which entries are asked for.
pub mod filter;
/// Keys by name or place.
pub mod mask;
/// What a reviewer of the client would remark.
pub mod notes;
/// Entries as JSON.
pub mod shown;
/// Entries as an HTTP archive.
pub mod har;
