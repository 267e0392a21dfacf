//! The ledger of a world as its snapshot has it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dataset::records::Contact;
use crate::ledger::Ledger;
use crate::ledger::subscriptions::Subscription;
use crate::memory::Memory;

/// What clients wrote.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedLedger {
    /// By the number of their enterprise.
    contacts: BTreeMap<u64, Vec<Contact>>,
    /// Ids of removed contacts, likewise.
    removed: BTreeMap<u64, BTreeSet<u64>>,
    subscriptions: Vec<Subscription>,
    /// The last id that a subscription got.
    last_subscription: u64,
    /// What routes stored, by name: keys and values in the order in which they were first stored.
    stored: BTreeMap<String, Vec<(String, Value)>>,
}

impl Ledger {
    pub(crate) fn save(&self) -> SavedLedger {
        SavedLedger {
            contacts: self.contacts.all().collect(),
            removed: self.contacts.all_removed().clone(),
            subscriptions: self.subscriptions.all().to_vec(),
            last_subscription: self.subscriptions.last(),
            stored: self.shelves.all().collect(),
        }
    }

    /// The ledger of a snapshot, in a world with that memory.
    ///
    /// # Errors
    /// It is not whole, or there is no room for it.
    pub(crate) fn restored(saved: SavedLedger, memory: &Arc<Memory>) -> Result<Self, String> {
        let mut ledger = Self::new(memory);
        for (enterprise, contacts) in saved.contacts {
            for contact in contacts {
                let put = ledger.put_contact(enterprise, contact);
                put.map_err(|full| full.to_string())?;
            }
        }
        for (enterprise, ids) in saved.removed {
            for id in ids {
                ledger.remove_contact(enterprise, id);
            }
        }
        for subscription in saved.subscriptions {
            let id = subscription.id;
            if id <= ledger.subscriptions.last() || id > saved.last_subscription {
                return Err("its subscriptions are not in their order".to_owned());
            }
            ledger.subscriptions.give_next(id);
            ledger.subscribe(subscription).map_err(|full| full.to_string())?;
        }
        ledger.subscriptions.give_next(saved.last_subscription.saturating_add(1));
        for (name, values) in saved.stored {
            for (key, value) in values {
                ledger.store(&name, key, value).map_err(|full| full.to_string())?;
            }
        }
        Ok(ledger)
    }
}
