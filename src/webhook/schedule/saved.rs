//! The pending deliveries of a world as its snapshot has them. Finished ones, and the attempts of pending ones, stay behind.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::clock::Moment;
use crate::memory::Memory;
use crate::webhook::delivery::{Delivery, Status};
use crate::webhook::event::{Event, saved::SavedEvent};
use crate::webhook::plan::WebhookPlan;
use crate::webhook::schedule::{Entry, Lane, QUEUE, Schedule};
use crate::webhook::settings::DeliveryEffect;

/// The pending deliveries and their events.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SavedSchedule {
    events: Vec<SavedEvent>,
    /// Those of a lane stand in their order.
    deliveries: Vec<SavedDelivery>,
    last_number: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other, as in a schedule")]
struct SavedDelivery {
    number: u64,
    id: String,
    /// Index of its event.
    event: usize,
    subscription: u64,
    endpoint: String,
    by_page: bool,
    /// Whether it waits for those before it in its conversation.
    in_order: bool,
    tries: u32,
    due: Moment,
    awaits_overtaking: bool,
    /// Whether a fault sends it twice, and whether this is the second time.
    duplicate: bool,
    is_second: bool,
}

impl Schedule {
    pub(crate) fn save(&self) -> SavedSchedule {
        let mut saved = SavedSchedule { last_number: self.last_number, ..SavedSchedule::default() };
        let mut events: BTreeMap<*const Event, usize> = BTreeMap::new();
        for number in self.lanes.values().flatten() {
            let Some(entry) = self.entries.get(number) else { continue };
            let Delivery { id, event, subscription, endpoint, by_page, .. } = &*entry.delivery;
            let index = *events.entry(Arc::as_ptr(event)).or_insert_with(|| {
                saved.events.push(event.save());
                saved.events.len() - 1
            });
            saved.deliveries.push(SavedDelivery {
                number: *number,
                id: id.clone(),
                event: index,
                subscription: *subscription,
                endpoint: endpoint.to_string(),
                by_page: *by_page,
                in_order: entry.lane.1.is_some(),
                tries: entry.tries,
                due: entry.due,
                awaits_overtaking: entry.awaits_overtaking,
                duplicate: entry.effect == Some(DeliveryEffect::Duplicate),
                is_second: entry.is_second,
            });
        }
        saved
    }

    /// The deliveries of a snapshot, in a world with that plan and memory. None if they are not whole.
    pub(crate) fn restored(
        saved: SavedSchedule,
        plan: &Arc<WebhookPlan>,
        memory: &Arc<Memory>,
    ) -> Option<Self> {
        let mut schedule = Self::new(Arc::clone(memory));
        schedule.last_number = saved.last_number;
        let restore = |event: SavedEvent| Arc::new(Event::restored(event, plan, memory));
        let events: Vec<Arc<Event>> = saved.events.into_iter().map(restore).collect();
        for one in saved.deliveries {
            schedule.restore(one, &events)?;
        }
        let lanes: Vec<Lane> = schedule.lanes.keys().cloned().collect();
        for lane in &lanes {
            schedule.ready(lane);
        }
        Some(schedule)
    }

    fn restore(&mut self, saved: SavedDelivery, events: &[Arc<Event>]) -> Option<()> {
        let SavedDelivery { number, subscription, .. } = saved;
        let event = Arc::clone(events.get(saved.event)?);
        let conversation = event.conversation.clone().map(|name| (event.business, name));
        let lane: Lane = match conversation.filter(|_| saved.in_order) {
            Some(conversation) => (subscription, Some(conversation), 0),
            None => (subscription, None, number),
        };
        let delivery = Delivery {
            id: saved.id,
            event,
            subscription,
            endpoint: saved.endpoint.into(),
            by_page: saved.by_page,
            status: Status::Pending,
            reason: None,
            attempts: Vec::new(),
            body_size: 0,
        };
        let queue = self.queues.entry(subscription).or_default();
        queue.pending += 1;
        if queue.pending > QUEUE || !(1..=self.last_number).contains(&number) {
            return None;
        }
        self.by_id.insert(delivery.id.clone(), number);
        let entry = Entry {
            share: self.memory.share(size_of::<Entry>() + delivery.own_size()),
            delivery: Arc::new(delivery),
            lane: lane.clone(),
            effect: saved.duplicate.then_some(DeliveryEffect::Duplicate),
            tries: saved.tries,
            due: saved.due,
            is_in_flight: false,
            awaits_overtaking: saved.awaits_overtaking,
            is_second: saved.is_second,
            finished_size: 0,
        };
        self.lanes.entry(lane).or_default().push_back(number);
        self.entries.insert(number, entry).is_none().then_some(())
    }
}
