//! How much all journals keep together. When that is too much, the largest are cut, never those that hold little: a
//! busy world costs another none of its entries.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::journal::record::Journal;

/// How much is kept, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of one world; with 0 nothing is written down.
    pub world: usize,
    /// Of all worlds.
    pub total: usize,
    /// Of one body.
    pub body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { world: 8 << 20, total: 64 << 20, body: 64 << 10 }
    }
}

/// What the journals of a process hold.
#[derive(Debug, Default)]
pub struct Budget {
    /// The limits.
    pub limits: Limits,
    held: AtomicUsize,
    /// Journals that hold something. The lock is taken when one holds its first entry, and when all are cut.
    journals: Mutex<Vec<Weak<Journal>>>,
}

impl Budget {
    /// Nothing held so far.
    #[must_use]
    pub fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, ..Self::default() })
    }

    /// How many bytes are held.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// A journal holds something from now on.
    pub(super) fn joined(&self, journal: &Arc<Journal>) {
        let mut journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        journals.push(Arc::downgrade(journal));
    }

    pub(super) fn freed(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// More is held; tells whether that is too much.
    pub(super) fn took(&self, bytes: usize) -> bool {
        self.held.fetch_add(bytes, Ordering::Relaxed) + bytes > self.limits.total
    }

    /// Cuts the largest journals to one common size, such that a sixteenth of the total is free again.
    pub(super) fn cut(&self) {
        let mut journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        if self.held() <= self.limits.total {
            return;
        }
        journals.retain(|journal| journal.strong_count() > 0);
        let live: Vec<Arc<Journal>> = journals.iter().filter_map(Weak::upgrade).collect();
        let most = level(live.iter().map(|journal| journal.bytes()).collect(), self.limits.total / 16 * 15);
        for journal in live {
            journal.cut(most);
        }
    }
}

/// The size to which all must be cut so that together they are not more than the total.
fn level(mut sizes: Vec<usize>, total: usize) -> usize {
    sizes.sort_unstable();
    let mut left = total;
    for (at, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - at);
        if *size > share {
            return share;
        }
        left -= size;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_largest_are_cut_and_all_to_one_size() {
        assert_eq!(level(vec![10, 10, 100], 120), usize::MAX);
        assert_eq!(level(vec![100, 10, 10], 60), 40);
        assert_eq!(level(vec![50, 10, 80], 60), 25);
        assert_eq!(level(vec![], 60), usize::MAX);
    }
}
