//! What was written to a world: contacts and subscriptions over the dataset's own, and the reviews and questions added
//! to it.

/// Contacts, created and changed.
pub mod contacts;
/// Webhook subscriptions.
pub mod subscriptions;
/// Reviews and questions.
pub mod added;

use crate::ledger::contacts::ContactBook;
use crate::ledger::subscriptions::Subscriptions;

/// Everything that clients wrote to one world.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Contacts.
    pub contacts: ContactBook,
    /// Subscriptions.
    pub subscriptions: Subscriptions,
}
