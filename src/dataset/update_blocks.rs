//! The rows in blocks of 4096, with the range of update days in each: a walk skips the blocks that cannot contain a
//! match.

use crate::api::dates::Day;

/// Rows of a block: 64 words of 64 bits.
pub(crate) const BLOCK: u32 = 4096;

/// The first and the last day of update in each block.
#[derive(Debug, Default)]
pub(crate) struct UpdateBlocks(Vec<(Day, Day)>);

impl UpdateBlocks {
    /// Computes the ranges from the column of update days.
    pub(crate) fn new(updated: &[Day]) -> Self {
        let range = |block: &[Day]| {
            let first = block.iter().copied().min();
            first.zip(block.iter().copied().max())
        };
        Self(updated.chunks(BLOCK as usize).filter_map(range).collect())
    }

    /// Whether a block may contain a review that was updated within those days. An absent day is no bound.
    pub(crate) fn may_contain(&self, block: u32, from: Option<Day>, to: Option<Day>) -> bool {
        self.0.get(block as usize).is_some_and(|(first, last)| {
            from.is_none_or(|from| *last >= from) && to.is_none_or(|to| *first <= to)
        })
    }
}
