//! Rows in groups: every row is in one, and each group has its rows ascending.

use std::ops::Range;

/// So many groups over the rows.
#[derive(Debug, Default)]
pub struct Groups {
    /// Those of group `g` at `starts[g]..starts[g + 1]`.
    rows: Vec<u32>,
    starts: Vec<u32>,
}

impl Groups {
    /// So many groups; row `r` is in that of the `r`th number.
    #[must_use]
    pub fn new(count: usize, group_of: &[impl Copy + Into<u32>]) -> Self {
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

    /// How many groups there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Where the rows of a group stand among those of all groups, one group after the other.
    #[must_use]
    pub fn span(&self, group: u32) -> Range<usize> {
        let at = |place: usize| self.starts.get(place).copied().unwrap_or_default() as usize;
        at(group as usize)..at(group as usize + 1)
    }

    /// The rows of a group.
    #[must_use]
    pub fn of(&self, group: u32) -> &[u32] {
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
