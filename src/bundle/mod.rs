//! Bundles: one run of a world in one file, which can be replayed anywhere (`docs/replay.md`).

/// The documents in a bundle.
mod format;
/// The zip file.
pub(crate) mod archive;
/// Texts that are encoded in bytes.
mod decoded;
/// API keys by place.
mod hide;
/// Writing a bundle.
pub(crate) mod write;
/// Reading a bundle.
pub(crate) mod read;
/// Serving a bundle, and sending its calls again.
pub(crate) mod replay;
/// What happened to the world apart from calls, once more.
mod actions;
/// Comparing an answer with that of the run.
pub(crate) mod compare;
/// What changed in a scenario.
mod changes;
