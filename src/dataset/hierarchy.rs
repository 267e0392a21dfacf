//! Levels above locations: filters by level, and groups (`docs/api.md` 4, sentiment location info).

use crate::api::ids::ID_LIMIT;
use crate::dataset::records::Location;
use crate::draw::{Draw, Seed};

/// A condition on the name of a location at one level.
#[derive(Clone, Debug)]
pub(crate) struct LevelFilter {
    pub(crate) level: String,
    /// The names that match. If there are none, every location matches.
    pub(crate) names: Vec<String>,
}

impl Location {
    /// Whether every condition holds. Names are compared exactly.
    pub(crate) fn matches_levels(&self, filters: &[LevelFilter]) -> bool {
        filters
            .iter()
            .filter(|filter| !filter.names.is_empty())
            .all(|filter| self.levels.get(&filter.level).is_some_and(|name| filter.names.contains(name)))
    }
}

/// The id of a group of locations. It depends on account, level and name only.
pub(crate) fn group_id(account: u64, level: &str, name: &str) -> u64 {
    Draw::new(Seed(0), "level").with(account).with_text(level).with_text(name).below(ID_LIMIT)
}
