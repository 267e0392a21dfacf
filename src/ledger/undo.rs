//! Takes back what a route wrote when its response fails.

use std::sync::Arc;

use crate::dataset::records::Contact;
use crate::ledger::stored::{self, Arrived};
use crate::ledger::subscriptions::Subscription;
use crate::ledger::{Ledger, REMOVED};

/// What takes one write back.
#[derive(Debug)]
pub(crate) enum Undo {
    Value { name: String, key: String, before: Option<Arrived> },
    Contact { enterprise: u64, id: u64, written: Option<Arc<Contact>> },
    Subscription { at: usize, subscription: Subscription },
}

impl Ledger {
    /// Takes writes back, the last one first.
    pub(crate) fn undo(&mut self, writes: Vec<Undo>) {
        for write in writes.into_iter().rev() {
            match write {
                Undo::Value { name, key, before } => {
                    let size = |(_, value): &Arrived| stored::size(&key, value);
                    let written = self.shelves.remove(&name, &key).as_ref().map_or(0, size);
                    let held = self.share.bytes() + before.as_ref().map_or(0, size);
                    self.share.resize(held.saturating_sub(written));
                    if let Some(arrived) = before {
                        self.shelves.put_back(&name, key, arrived);
                    }
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
}
