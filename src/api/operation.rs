//! The identity of an operation: the name that scenarios, the journal and the metrics use for it. What an operation reads
//! and answers is defined in `operations/`, a file each; those with the prefix `route:` are routes of scenarios.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// One operation of the simulated API, by its name, for example `reviews`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operation(&'static str);

/// The names of routes that this process has loaded. They are kept, because journals and metrics refer to them longer than
/// their scenarios live; a name that is loaded again is the same.
static ROUTES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Most names of routes of one process.
const MOST_ROUTES: usize = 100_000;

/// What names of routes begin with, where operations are named.
pub(crate) const ROUTE: &str = "route:";

impl Operation {
    /// The operation of this name. The names are those of `docs/api.md` 4.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The operation of the route with this name. None if this process has loaded too many routes.
    pub(crate) fn of_route(name: &str) -> Option<Self> {
        let full = format!("{ROUTE}{name}");
        let mut known = ROUTES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = known.get(full.as_str()) {
            return Some(Self(name));
        }
        if known.len() >= MOST_ROUTES {
            return None;
        }
        let name: &'static str = Box::leak(full.into_boxed_str());
        known.insert(name);
        Some(Self(name))
    }

    /// The route with a full name, `route:NAME`, if this process has loaded one of that name.
    pub(crate) fn known_route(full: &str) -> Option<Self> {
        let known = ROUTES.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(full).map(|name| Self(name))
    }

    /// Whether it is a route of a scenario.
    pub(crate) fn is_route(self) -> bool {
        self.0.starts_with(ROUTE)
    }

    /// The name, for example `reviews`.
    pub const fn name(self) -> &'static str {
        self.0
    }
}
