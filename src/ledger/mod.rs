//! What was written to a world: contacts, subscriptions, and added reviews and questions.

pub mod contacts;
pub mod subscriptions;
pub mod added;

use crate::ledger::contacts::WrittenContacts;
use crate::ledger::subscriptions::Subscriptions;

/// What clients wrote to one world.
#[derive(Debug, Default)]
pub struct Ledger {
    pub contacts: WrittenContacts,
    pub subscriptions: Subscriptions,
}
