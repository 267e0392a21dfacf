//! Takes back what a route wrote when its response fails.

use std::sync::Arc;

use serde_json::Value;

use crate::dataset::records::Contact;
use crate::ledger::stored::{self, Arrived};
use crate::ledger::subscriptions::Subscription;
use crate::ledger::{Ledger, REMOVED};

/// What takes one write back.
#[derive(Debug)]
pub(crate) enum Undo {
    Value {
        name: String,
        key: String,
        /// What the write stored, or none if it removed.
        stored: Option<Arc<Value>>,
        before: Option<Arrived>,
    },
    Contact {
        enterprise: u64,
        id: u64,
        written: Option<Arc<Contact>>,
    },
    Subscription {
        at: usize,
        subscription: Subscription,
    },
}

impl Ledger {
    /// Takes writes back, the last one first. What another request wrote since stays.
    pub(crate) fn undo(&mut self, writes: Vec<Undo>) {
        for write in writes.into_iter().rev() {
            match write {
                Undo::Value { name, key, stored, before } => {
                    self.undo_value(&name, key, stored.as_ref(), before)
                }
                Undo::Contact { enterprise, id, written } => {
                    let bytes = written.as_deref().map_or(0, Contact::size);
                    self.share.resize((self.share.bytes() + bytes).saturating_sub(REMOVED));
                    self.contacts.put_back(enterprise, id, written);
                }
                Undo::Subscription { at, subscription } => self.subscriptions.put_back(at, subscription),
            }
        }
    }

    fn undo_value(&mut self, name: &str, key: String, stored: Option<&Arc<Value>>, before: Option<Arrived>) {
        let shelf = self.shelves.of(name);
        let is_as_written = match (shelf.get(&key), stored) {
            (Some(now), Some(stored)) => Arc::ptr_eq(now, stored),
            (now, stored) => now.is_none() && stored.is_none(),
        };
        drop(shelf);
        if !is_as_written {
            return;
        }
        let size = |value: &Arc<Value>| stored::size(&key, value);
        let held = self.share.bytes() + before.as_ref().map_or(0, |(_, value)| size(value));
        self.share.resize(held.saturating_sub(stored.map_or(0, size)));
        match before {
            Some(arrived) => self.shelves.put_back(name, key, arrived),
            None => drop(self.shelves.remove(name, &key)),
        }
    }
}
