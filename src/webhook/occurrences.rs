//! How often each kind of event occurred, which tells apart its occurrences.

use std::collections::HashMap;

/// Most kinds of events whose occurrences are counted. Beyond it those that did not occur for longest are forgotten, half
/// of them at once.
const KINDS: usize = 200_000;

/// How often each kind of event occurred: an event of one account and conversation.
#[derive(Debug, Default)]
pub(super) struct Occurrences {
    recent: HashMap<u64, u64>,
    older: HashMap<u64, u64>,
}

impl Occurrences {
    pub(super) fn get(&self, kind: u64) -> u64 {
        self.recent.get(&kind).or_else(|| self.older.get(&kind)).copied().unwrap_or_default()
    }

    /// Counts an occurrence. Returns its 1-based number.
    pub(super) fn add(&mut self, kind: u64) -> u64 {
        let number = self.get(kind) + 1;
        if self.recent.len() >= KINDS / 2 && !self.recent.contains_key(&kind) {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(kind, number);
        number
    }
}
