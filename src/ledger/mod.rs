//! What was written to a world: contacts, subscriptions, and added reviews and questions.

pub(crate) mod contacts;
pub(crate) mod subscriptions;
pub(crate) mod added;

use crate::ledger::contacts::WrittenContacts;
use crate::ledger::subscriptions::Subscriptions;

/// What clients wrote to one world.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) contacts: WrittenContacts,
    pub(crate) subscriptions: Subscriptions,
}
