//! Rows in groups: every row belongs to one group, and each group lists its rows in ascending order.

use std::ops::Range;

/// A partition of the rows into groups.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// The rows of group `g` are at `starts[g]..starts[g + 1]`.
    rows: Vec<u32>,
    starts: Vec<u32>,
}

impl Groups {
    /// Partitions the rows into `count` groups; row `r` belongs to group `group_of[r]`.
    pub(crate) fn new(count: usize, group_of: &[impl Copy + Into<u32>]) -> Self {
        let groups = || group_of.iter().map(|group| (*group).into() as usize);
        let mut starts = vec![0_u32; count + 1];
        groups().for_each(|group| starts[group + 1] += 1);
        for group in 0..count {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; group_of.len()];
        for (group, row) in groups().zip(0..) {
            rows[next[group] as usize] = row;
            next[group] += 1;
        }
        Self { rows, starts }
    }

    /// The number of groups.
    pub(crate) fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Where the rows of a group stand when all groups are laid end to end.
    pub(crate) fn span(&self, group: u32) -> Range<usize> {
        let at = |index: usize| self.starts.get(index).copied().unwrap_or_default() as usize;
        at(group as usize)..at(group as usize + 1)
    }

    /// The rows of a group.
    pub(crate) fn of(&self, group: u32) -> &[u32] {
        &self.rows[self.span(group)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_in_its_group() {
        let groups = Groups::new(4, &[2_u16, 0, 2, 3, 2]);
        let rows: Vec<&[u32]> = (0..4).map(|group| groups.of(group)).collect();
        assert_eq!(rows, [&[1][..], &[], &[0, 2, 4], &[3]]);
        assert_eq!((groups.count(), groups.span(2)), (4, 1..4));
    }
}
