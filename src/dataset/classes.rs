//! Classes of reviews: those of one source, one rating, and published or parked. There are few; the rows of a rare one
//! are found in its list faster than by a walk over all rows.

use crate::dataset::groups::Groups;

/// The classes that there are, and their rows.
#[derive(Debug, Default)]
pub struct Classes {
    classes: Vec<Class>,
    rows: Groups,
}

/// Source, rating, whether published.
pub type Class = (u16, u8, bool);

impl Classes {
    /// The classes of the rows, in their order.
    #[must_use]
    pub fn new(rows: impl ExactSizeIterator<Item = Class>) -> Self {
        let mut classes: Vec<Class> = Vec::new();
        let mut class_of: Vec<u32> = Vec::with_capacity(rows.len());
        for class in rows {
            let known = classes.iter().position(|known| *known == class);
            let place = known.unwrap_or_else(|| {
                classes.push(class);
                classes.len() - 1
            });
            class_of.push(u32::try_from(place).unwrap_or(u32::MAX));
        }
        let rows = Groups::new(classes.len(), &class_of);
        Self { classes, rows }
    }

    /// The rows of each class that passes.
    pub fn rows_of(&self, passes: impl Fn(Class) -> bool) -> impl Iterator<Item = &[u32]> {
        let numbered = (0..).zip(&self.classes);
        numbered.filter(move |(_, class)| passes(**class)).map(|(place, _)| self.rows.of(place))
    }
}
