//! What webhooks need from the run that they belong to.

use serde_json::Value;

use crate::clock::{Moment, VirtualClock};
use crate::dataset::arrival::Arrival;
use crate::draw::Draw;
use crate::ledger::subscriptions::Subscription;
use crate::webhook::delivery::Delivery;
use crate::webhook::settings::Emission;
use crate::webhook::state::WebhookState;

/// What webhooks need from the run that they belong to.
pub(crate) trait WorldHandle: Send + Sync {
    fn webhooks(&self) -> &WebhookState;
    fn clock(&self) -> &VirtualClock;
    /// The subscriptions of an account to an event.
    fn subscribers(&self, business: u64, event: &str) -> Vec<Subscription>;
    /// A contact for a new conversation of an account, in the API's field names: the one of that id, else a drawn one.
    fn contact(&self, business: u64, id: Option<u64>, draw: &mut Draw) -> Value;
    /// Stores a record that arrives. Returns the event that announces it, if there is one.
    fn arrive(&self, arrival: &Arrival, event: Option<&str>, now: Moment) -> Option<Emission>;
    /// Whether `contact` and `arrive` answer at once. Otherwise `prepare` makes it so, which may take seconds.
    fn is_ready(&self) -> bool;
    fn prepare(&self);
    /// Called when so many entries of the timeline have happened.
    fn timeline_happened(&self, _count: u64) {}
    /// Called when the clock was moved forward.
    fn clock_moved(&self) {}
    /// Called when an event has changed a conversation of an account.
    fn conversation_changed(&self, _business: u64, _name: &str) {}
    /// Called when an attempt of a delivery has ended.
    fn delivery_changed(&self, delivery: &Delivery);
}
