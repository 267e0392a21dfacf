//! When the reviews of each zone of the columns were updated, by which a walk passes over zones in which it can find
//! none.

use crate::api::dates::Day;

/// Rows of a zone: 64 words of 64 bits.
pub const ZONE: u32 = 4096;

/// Of the days of update in each zone, the first and the last.
#[derive(Debug, Default)]
pub struct Zones(Vec<(Day, Day)>);

impl Zones {
    /// The zones of the rows' days of update.
    #[must_use]
    pub fn new(updated: &[Day]) -> Self {
        let range = |zone: &[Day]| {
            let first = zone.iter().copied().min();
            first.zip(zone.iter().copied().max())
        };
        Self(updated.chunks(ZONE as usize).filter_map(range).collect())
    }

    /// Whether a zone has a review updated within those days; absent means no bound.
    #[must_use]
    pub fn may_hold(&self, zone: u32, from: Option<Day>, to: Option<Day>) -> bool {
        self.0.get(zone as usize).is_some_and(|(first, last)| {
            from.is_none_or(|from| *last >= from) && to.is_none_or(|to| *first <= to)
        })
    }
}
