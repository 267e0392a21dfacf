//! Faults of deliveries, decided as those of requests are (`fault::decide`). Some apply to a delivery and are decided when
//! its event happens; others apply to an attempt and are decided at each.

use std::time::Duration;

use crate::draw::{Draw, Seed};
use crate::fault::counters::Counters;
use crate::fault::decide::Counted;
use crate::webhook::settings::{DeliveryEffect, DeliveryFault};

/// What identifies a delivery within its world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeliveryKey<'a> {
    pub(crate) event: &'a str,
    pub(crate) business: u64,
    pub(crate) conversation: Option<&'a str>,
    pub(crate) subscription: u64,
    /// 1-based occurrence number of the event in its conversation.
    pub(crate) occurrence: u64,
}

/// Whether faults of deliveries or those of attempts are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Delivery,
    Attempt,
}

impl DeliveryKey<'_> {
    /// A draw that all occurrences of the event have in common.
    pub(crate) fn event_draw(&self) -> Draw {
        let draw = Draw::new(Seed(0), "event").with_text(self.event).with(self.business);
        match self.conversation {
            Some(conversation) => draw.with(1).with_text(conversation),
            None => draw.with(0),
        }
    }

    /// The fingerprint of the delivery (`docs/api.md` 6).
    pub(crate) fn fingerprint(&self) -> u64 {
        self.event_draw().with(self.subscription).with(self.occurrence).number()
    }

    /// The effect of the first fault that applies.
    pub(crate) fn decide(
        &self,
        (faults, stage): (&[DeliveryFault], Stage),
        seed: Seed,
        since_start: Duration,
        counters: &mut Counters,
    ) -> Option<DeliveryEffect> {
        let named =
            |names: &[String], name: &str| names.is_empty() || names.iter().any(|known| known == name);
        for (place, fault) in faults.iter().enumerate() {
            let counts = fault.enabled
                && fault.effect.stage() == stage
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
                key_place: 0,
            };
            if counted.apply(seed, counters).applied {
                return Some(fault.effect);
            }
        }
        None
    }
}
