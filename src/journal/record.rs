//! The journal of one world. When it is full, the oldest entries are dropped.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::journal::budget::Budget;
use crate::journal::entry::Entry;

#[derive(Debug)]
pub(crate) struct Journal {
    budget: Arc<Budget>,
    /// Locked to add an entry or to copy the list of entries, never while an entry is packed or parsed.
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    /// By `seq`.
    list: VecDeque<Arc<Entry>>,
    bytes: usize,
    /// Number of entries dropped for lack of room.
    dropped: u64,
    /// Whether the budget knows this journal.
    is_registered: bool,
}

/// A copy of the entries at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copy {
    /// By `seq`.
    pub(crate) entries: Vec<Arc<Entry>>,
    /// Number of entries dropped for lack of room.
    pub(crate) dropped: u64,
}

impl Journal {
    pub(crate) fn new(budget: Arc<Budget>) -> Arc<Self> {
        Arc::new(Self { budget, entries: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(crate) fn is_on(&self) -> bool {
        self.budget.limits.world > 0
    }

    /// Number of bytes that are kept of a body.
    pub(crate) fn body_limit(&self) -> usize {
        self.budget.limits.body
    }

    /// Adds an entry. Concurrent calls may finish in another order than they arrived, so it is inserted by its `seq`.
    pub(crate) fn add(self: &Arc<Self>, entry: Arc<Entry>) {
        let size = entry.size();
        let mut entries = self.lock();
        // The bytes count before a concurrent `clear` can release them.
        let is_over_budget = self.budget.reserve(size);
        let later = entries.list.iter().rev().take_while(|known| known.facts.seq > entry.facts.seq).count();
        let index = entries.list.len() - later;
        entries.list.insert(index, entry);
        entries.bytes += size;
        let is_new = !std::mem::replace(&mut entries.is_registered, true);
        let freed = entries.cut(self.budget.limits.world);
        drop(entries);
        self.budget.release(freed);
        if is_new {
            self.budget.register(self);
        }
        if is_over_budget {
            self.budget.cut();
        }
    }

    pub(crate) fn read(&self) -> Copy {
        let entries = self.lock();
        Copy { entries: entries.list.iter().cloned().collect(), dropped: entries.dropped }
    }
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Removes all entries, and the count of dropped ones.
    pub(crate) fn clear(&self) {
        let mut entries = self.lock();
        let is_registered = entries.is_registered;
        let before = std::mem::replace(&mut *entries, Entries { is_registered, ..Entries::default() });
        drop(entries);
        self.budget.release(before.bytes);
    }

    /// Drops the oldest entries until at most `limit` bytes are left.
    pub(super) fn cut(&self, limit: usize) {
        let freed = self.lock().cut(limit);
        self.budget.release(freed);
    }
}

impl Entries {
    fn cut(&mut self, limit: usize) -> usize {
        let before = self.bytes;
        while self.bytes > limit {
            let Some(oldest) = self.list.pop_front() else { break };
            self.bytes -= oldest.size();
            self.dropped += 1;
        }
        before - self.bytes
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let bytes = self.bytes();
        self.budget.release(bytes);
    }
}
