//! The calls of one world, in order, the oldest given up when there are too many bytes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::journal::budget::Budget;
use crate::journal::entry::Entry;

/// The journal of one world.
#[derive(Debug)]
pub struct Journal {
    budget: Arc<Budget>,
    /// Held to add an entry or to copy the list of them, never while one is made or read out.
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: VecDeque<Arc<Entry>>,
    bytes: usize,
    /// Entries given up.
    dropped: u64,
    joined: bool,
}

/// What a journal holds at one moment.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The entries, by `seq`.
    pub entries: Vec<Arc<Entry>>,
    /// How many were given up for want of room.
    pub dropped: u64,
}

impl Journal {
    /// An empty one.
    #[must_use]
    pub fn new(budget: Arc<Budget>) -> Arc<Self> {
        Arc::new(Self { budget, kept: Mutex::default() })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether anything is written down.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.budget.limits.world > 0
    }

    /// How much of a body is kept.
    #[must_use]
    pub fn most_of_a_body(&self) -> usize {
        self.budget.limits.body
    }

    /// Writes an entry down. Calls that are answered at once may come in another order than they arrived: they stand by
    /// `seq`.
    pub fn add(self: &Arc<Self>, entry: Arc<Entry>) {
        let size = entry.size();
        let mut kept = self.kept();
        let later = kept.entries.iter().rev().take_while(|known| known.facts.seq > entry.facts.seq).count();
        if later == 0 {
            kept.entries.push_back(entry);
        } else {
            let place = kept.entries.len() - later;
            kept.entries.insert(place, entry);
        }
        kept.bytes += size;
        let joins = !std::mem::replace(&mut kept.joined, true);
        let freed = kept.cut(self.budget.limits.world);
        drop(kept);
        if joins {
            self.budget.joined(self);
        }
        let too_much = self.budget.took(size);
        self.budget.freed(freed);
        if too_much {
            self.budget.cut();
        }
    }

    /// What is held now.
    #[must_use]
    pub fn read(&self) -> Reading {
        let kept = self.kept();
        Reading { entries: kept.entries.iter().cloned().collect(), dropped: kept.dropped }
    }

    /// How many bytes are held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.kept().bytes
    }

    /// Forgets all entries, and how many were given up.
    pub fn clear(&self) {
        let mut kept = self.kept();
        let joined = kept.joined;
        let before = std::mem::replace(&mut *kept, Kept { joined, ..Kept::default() });
        drop(kept);
        self.budget.freed(before.bytes);
    }

    /// Gives up the oldest entries until not more than so many bytes are left.
    pub(super) fn cut(&self, most: usize) {
        let freed = self.kept().cut(most);
        self.budget.freed(freed);
    }
}

impl Kept {
    fn cut(&mut self, most: usize) -> usize {
        let before = self.bytes;
        while self.bytes > most {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.bytes -= oldest.size();
            self.dropped += 1;
        }
        before - self.bytes
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let bytes = self.bytes();
        self.budget.freed(bytes);
    }
}
