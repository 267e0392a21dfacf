//! Levels above locations: filters by them, and groups (`behaviour.md` 4, sentiment location info).

use crate::api::ids::ID_LIMIT;
use crate::dataset::records::Location;
use crate::draw::{Draw, Seed};

/// One condition on a location's place in the hierarchy.
#[derive(Clone, Debug)]
pub struct LevelFilter {
    /// The level.
    pub level: String,
    /// Names at that level, any of which will do; none at all lets every location pass.
    pub names: Vec<String>,
}

impl Location {
    /// Whether every condition holds, names compared exactly.
    #[must_use]
    pub fn is_at(&self, filters: &[LevelFilter]) -> bool {
        filters
            .iter()
            .filter(|filter| !filter.names.is_empty())
            .all(|filter| self.levels.get(&filter.level).is_some_and(|name| filter.names.contains(name)))
    }
}

/// The id of a group of locations: stable, derived from account, level and name alone.
#[must_use]
pub fn group_id(account: u64, level: &str, name: &str) -> u64 {
    Draw::new(Seed(0), "level").with(account).with_text(level).with_text(name).below(ID_LIMIT)
}
