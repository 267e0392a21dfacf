//! What all worlds of a process share.

use std::sync::Arc;

use crate::journal::budget::{Budget, Limits};
use crate::webhook::engine::Engine;

#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    /// The bound on all journals together.
    pub(crate) budget: Arc<Budget>,
    /// Delivers the events of all worlds.
    pub(crate) engine: Arc<Engine>,
}

impl Shared {
    /// With limits of the journals. The engine does not run yet.
    pub(crate) fn new(limits: Limits) -> Self {
        Self { budget: Budget::new(limits), engine: Arc::default() }
    }
}
