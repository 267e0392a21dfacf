//! The ledger of a world as its snapshot has it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

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
    subscriptions: Vec<Subscription>,
}

impl Ledger {
    pub(crate) fn save(&self) -> SavedLedger {
        let subscriptions = self.subscriptions.all().to_vec();
        SavedLedger { contacts: self.contacts.all().collect(), subscriptions }
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
        for Subscription { id, business, events, endpoint, by_page } in saved.subscriptions {
            let given = ledger.subscribe(business, events, endpoint, by_page);
            if given.map_err(|full| full.to_string())? != id {
                return Err("its subscriptions are not in their order".to_owned());
            }
        }
        Ok(ledger)
    }
}
