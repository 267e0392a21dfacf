//! What all worlds of a process share.

use std::sync::Arc;

use crate::journal::budget::{Budget, Limits};
use crate::webhook::engine::Engine;

/// What all worlds of a process share.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// What their journals keep together.
    pub budget: Arc<Budget>,
    /// Who delivers their events.
    pub engine: Arc<Engine>,
}

impl Shared {
    /// With journals of that size; the engine does not run yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { budget: Budget::new(limits), engine: Arc::default() }
    }
}
