//! The memory limit of all journals together. When it is exceeded, the largest journals are cut and small ones are not, so
//! that a busy world does not cost another its entries.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::journal::record::Journal;

/// Limits in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Of the journal of one world. With 0 the journal is off.
    pub(crate) world: usize,
    /// Of all journals together.
    pub(crate) total: usize,
    /// Of one body, of which the rest is not kept.
    pub(crate) body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { world: 8 << 20, total: 64 << 20, body: 64 << 10 }
    }
}

/// The memory that the journals of a process hold.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    pub(crate) limits: Limits,
    held: AtomicUsize,
    /// Journals that have had an entry. Locked when a journal gets its first entry, and when journals are cut.
    journals: Mutex<Vec<Weak<Journal>>>,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, ..Self::default() })
    }

    /// Number of bytes held.
    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// Makes a journal one of those that can be cut.
    pub(super) fn register(&self, journal: &Arc<Journal>) {
        let mut journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        // Those of removed worlds go before the list would grow, which costs each registration a constant time.
        if journals.len() == journals.capacity() {
            journals.retain(|journal| journal.strong_count() > 0);
        }
        journals.push(Arc::downgrade(journal));
    }

    pub(super) fn release(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Counts more bytes, and says whether the total is over its limit.
    pub(super) fn reserve(&self, bytes: usize) -> bool {
        self.held.fetch_add(bytes, Ordering::Relaxed) + bytes > self.limits.total
    }

    /// Cuts the largest journals to one common size, so that a sixteenth of the total is free again.
    pub(super) fn cut(&self) {
        let mut journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        if self.held() <= self.limits.total {
            return;
        }
        journals.retain(|journal| journal.strong_count() > 0);
        let live: Vec<Arc<Journal>> = journals.iter().filter_map(Weak::upgrade).collect();
        let limit = level(live.iter().map(|journal| journal.bytes()).collect(), self.limits.total / 16 * 15);
        for journal in live {
            journal.cut(limit);
        }
    }
}

/// The size to which the largest must be cut so that all together are within the total.
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
    fn journals_of_removed_worlds_are_forgotten() {
        let budget = Budget::new(Limits::default());
        for _ in 0..1_000 {
            budget.register(&Journal::new(Arc::clone(&budget)));
        }
        assert!(budget.journals.lock().unwrap().len() < 10);
    }

    #[test]
    fn only_the_largest_are_cut_and_all_to_one_size() {
        assert_eq!(level(vec![10, 10, 100], 120), usize::MAX);
        assert_eq!(level(vec![100, 10, 10], 60), 40);
        assert_eq!(level(vec![50, 10, 80], 60), 25);
        assert_eq!(level(vec![], 60), usize::MAX);
    }
}
