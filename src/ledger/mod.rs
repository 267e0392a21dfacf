//! What was written to a world: contacts, subscriptions, and added reviews and questions.

pub(crate) mod contacts;
pub(crate) mod subscriptions;
pub(crate) mod added;
/// What routes store.
pub(crate) mod stored;
/// Contacts and subscriptions in the API's field names.
pub(crate) mod shown;
pub(crate) mod changed;
pub(crate) mod undo;
/// The ledger in a snapshot of a world.
pub(crate) mod saved;

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use serde_json::Value;

use crate::dataset::records::Contact;
use crate::ledger::contacts::WrittenContacts;
use crate::ledger::stored::Shelves;
use crate::ledger::subscriptions::{MOST_SUBSCRIPTIONS, Subscription, Subscriptions};
use crate::ledger::undo::Undo;
use crate::memory::{self, Limits, Memory, Share};

/// What clients and tests may write to a world, and to all worlds.
pub(crate) const MEMORY: Limits = Limits { world: 64 << 20, all: 128 << 20 };

/// About how many bytes it takes to remember that a contact was removed.
const REMOVED: usize = 64;

/// What clients wrote to one world.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) contacts: WrittenContacts,
    pub(crate) subscriptions: Subscriptions,
    /// What routes stored.
    pub(crate) shelves: Shelves,
    share: Share,
}

/// Why nothing more is written to a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    Memory(memory::Full),
    Subscriptions,
}

impl From<memory::Full> for Full {
    fn from(full: memory::Full) -> Self {
        Self::Memory(full)
    }
}

impl Display for Full {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let (what, limit) = match self {
            Self::Memory(memory::Full::World { limit }) => ("this world", limit),
            Self::Memory(memory::Full::All { limit }) => ("all worlds", limit),
            Self::Subscriptions => {
                return write!(
                    out,
                    "this world has {MOST_SUBSCRIPTIONS} subscriptions, the most it may have: reset it, or use a world for each test"
                );
            }
        };
        write!(
            out,
            "what was written to {what} may take at most {} MiB: reset the world, or delete worlds that are no longer used",
            limit >> 20
        )
    }
}

impl Ledger {
    /// The empty ledger of a world with that memory.
    pub(crate) fn new(memory: &Arc<Memory>) -> Self {
        Self { share: memory.share(0), ..Self::default() }
    }

    /// Inserts a contact of an enterprise, or replaces the one with its id.
    ///
    /// # Errors
    /// There is no room for it; nothing changes.
    pub(crate) fn put_contact(&mut self, enterprise: u64, contact: Contact) -> Result<(), Full> {
        let before = self.contacts.of(enterprise, None).get(contact.id).map_or(0, Contact::size);
        self.share.replace(before, contact.size())?;
        self.contacts.put(enterprise, contact);
        Ok(())
    }

    /// Removes a contact of an enterprise, whether it was written or is one of the dataset.
    pub(crate) fn remove_contact(&mut self, enterprise: u64, id: u64) -> Undo {
        let held = self.share.bytes();
        let written = self.contacts.remove(enterprise, id);
        self.share.resize((held + REMOVED).saturating_sub(written.as_deref().map_or(0, Contact::size)));
        Undo::Contact { enterprise, id, written }
    }

    /// Removes a subscription.
    pub(crate) fn unsubscribe(&mut self, id: u64) -> Option<Undo> {
        let (at, subscription) = self.subscriptions.remove(id)?;
        Some(Undo::Subscription { at, subscription })
    }

    /// Stores a value under a name and a key.
    ///
    /// # Errors
    /// There is no room for it; nothing changes.
    pub(crate) fn store(&mut self, name: &str, key: String, value: Value) -> Result<Undo, Full> {
        let before = self.shelves.of(name).get(&key).map_or(0, |known| stored::size(&key, known));
        self.share.replace(before, stored::size(&key, &value))?;
        let value = Arc::new(value);
        let before = self.shelves.put(name, key.clone(), Arc::clone(&value));
        Ok(Undo::Value { name: name.to_owned(), key, stored: Some(value), before })
    }

    /// Removes the value under a name and a key, and returns it.
    pub(crate) fn unstore(&mut self, name: &str, key: &str) -> Option<(Arc<Value>, Undo)> {
        let (arrival, value) = self.shelves.remove(name, key)?;
        self.share.resize(self.share.bytes().saturating_sub(stored::size(key, &value)));
        let before = Some((arrival, Arc::clone(&value)));
        Some((value, Undo::Value { name: name.to_owned(), key: key.to_owned(), stored: None, before }))
    }

    /// Adds a subscription under the next id, and returns that.
    ///
    /// # Errors
    /// There is no room for it.
    pub(crate) fn subscribe(&mut self, subscription: Subscription) -> Result<u64, Full> {
        if self.subscriptions.all().len() >= MOST_SUBSCRIPTIONS {
            return Err(Full::Subscriptions);
        }
        let Subscription { events, endpoint, .. } = &subscription;
        let names: usize = events.iter().map(|name| size_of::<String>() + memory::heap(name.len())).sum();
        self.share.replace(0, 100 + names + memory::heap(endpoint.len()))?;
        Ok(self.subscriptions.add(subscription))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn contacts_and_subscriptions_are_written_until_there_is_no_room() {
        let limits = Limits { world: 10_000, all: 15_000 };
        let all = Arc::<AtomicUsize>::default();
        let ledger = || Ledger::new(&Memory::new(limits, Arc::clone(&all)));
        let (mut one, mut other) = (ledger(), ledger());
        let contact =
            |id, length: usize| Contact { id, tags: vec!["x".repeat(length)], ..Contact::default() };
        assert_eq!(one.put_contact(1, contact(7, 8_000)), Ok(()));
        assert_eq!(one.put_contact(1, contact(7, 9_000)), Ok(()), "it replaces the other");
        let full = one.put_contact(1, contact(8, 3_000)).unwrap_err();
        assert!(full.to_string().starts_with("what was written to this world"), "{full}");
        assert!(one.contacts.of(1, None).get(8).is_none());
        let long = "http://h.test/".to_owned() + &"x".repeat(9_000);
        let full = other.subscribe(Subscription::of(&[], &long)).unwrap_err();
        assert!(full.to_string().starts_with("what was written to all worlds"), "{full}");
        drop(one);
        assert_eq!(other.put_contact(1, contact(8, 9_000)), Ok(()));
    }

    #[test]
    fn a_world_has_a_thousand_subscriptions_and_no_more() {
        let mut ledger = Ledger::default();
        let mut subscribe = || ledger.subscribe(Subscription::of(&[], ""));
        for id in 1..=MOST_SUBSCRIPTIONS {
            assert_eq!(subscribe(), Ok(id as u64));
        }
        assert_eq!(subscribe(), Err(Full::Subscriptions));
    }
}
