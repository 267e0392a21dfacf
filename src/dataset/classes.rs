//! Reviews by class: their source, their rating, and whether they are published. There are few classes, and the rows of a
//! rare one are found faster in its list than by a walk over all rows.

use crate::dataset::groups::Groups;

/// The classes that occur, and their rows.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    classes: Vec<Class>,
    rows: Groups,
}

/// Source, rating, whether published.
pub(crate) type Class = (u16, u8, bool);

impl Classes {
    /// Groups the rows by their class; the classes are given in row order.
    pub(crate) fn new(rows: impl ExactSizeIterator<Item = Class>) -> Self {
        let mut classes: Vec<Class> = Vec::new();
        let mut class_of: Vec<u32> = Vec::with_capacity(rows.len());
        for class in rows {
            let known = classes.iter().position(|known| *known == class);
            let index = known.unwrap_or_else(|| {
                classes.push(class);
                classes.len() - 1
            });
            class_of.push(u32::try_from(index).unwrap_or(u32::MAX));
        }
        let rows = Groups::new(classes.len(), &class_of);
        Self { classes, rows }
    }

    /// The rows of each class that passes.
    pub(crate) fn rows_of(&self, passes: impl Fn(Class) -> bool) -> impl Iterator<Item = &[u32]> {
        let numbered = (0..).zip(&self.classes);
        numbered.filter(move |(_, class)| passes(**class)).map(|(index, _)| self.rows.of(index))
    }
}
