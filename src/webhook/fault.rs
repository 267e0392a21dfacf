//! What goes wrong with a delivery, decided as a request's faults are (`fault::decide`): what befalls the delivery when its
//! event happens, what befalls an attempt at each.

use std::time::Duration;

use crate::draw::{Draw, Seed};
use crate::fault::counters::Counters;
use crate::fault::decide::Counted;
use crate::webhook::settings::{DeliveryEffect, DeliveryFault};

/// A delivery as faults see it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Name of the event.
    pub event: &'a str,
    /// Number of the account.
    pub business: u64,
    /// Name of the conversation.
    pub conversation: Option<&'a str>,
    /// Id of the subscription.
    pub subscription: u64,
    /// The how-manyth such event it is, from 1.
    pub nth: u32,
}

impl Seen<'_> {
    /// What its event and that event's repetitions have in common.
    #[must_use]
    pub fn event_print(&self) -> Draw {
        let print = Draw::new(Seed(0), "event").with_text(self.event).with(self.business);
        match self.conversation {
            Some(conversation) => print.with(1).with_text(conversation),
            None => print.with(0),
        }
    }

    /// Its fingerprint (`behaviour.md` 6).
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.event_print().with(self.subscription).with(self.nth.into()).number()
    }

    /// The effect of the first fault that strikes the delivery, or one attempt of it.
    pub fn struck(
        &self,
        (faults, attempt): (&[DeliveryFault], bool),
        seed: Seed,
        since_start: Duration,
        counters: &mut Counters,
    ) -> Option<DeliveryEffect> {
        let named =
            |names: &[String], name: &str| names.is_empty() || names.iter().any(|known| known == name);
        for (place, fault) in faults.iter().enumerate() {
            let counts = fault.enabled
                && fault.effect.is_of_attempts() == attempt
                && fault.during.is_none_or(|during| during.holds(since_start))
                && named(&fault.events, self.event)
                && (fault.businesses.is_empty() || fault.businesses.contains(&self.business))
                && (fault.conversations.is_empty()
                    || self.conversation.is_some_and(|name| named(&fault.conversations, name)));
            if !counts {
                continue;
            }
            let counted = Counted {
                purpose: "delivery",
                id: place as u64,
                fault: &(place + 1).to_string(),
                count: &fault.count,
                fingerprint: self.fingerprint(),
                key: None,
            };
            if counted.strikes(seed, counters).applied {
                return Some(fault.effect);
            }
        }
        None
    }
}
