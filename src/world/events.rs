//! Events of a run: emitting them, and moving its clock, which makes due ones happen.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::api::operation::Operation;
use crate::clock::{self, Mode, Moment, VirtualClock};
use crate::dataset::arrival::Arrival;
use crate::dataset::facts::Dataset;
use crate::dataset::people::person;
use crate::dataset::records::{Contact, Locale};
use crate::draw::Draw;
use crate::journal::mask::Mask;
use crate::ledger::contacts::Change;
use crate::ledger::subscriptions::Subscription;
use crate::webhook::conversation::ConversationSnapshot;
use crate::webhook::delivery::Delivery;
use crate::webhook::engine::{ClockError, ClockMove};
use crate::webhook::handle::WorldHandle;
use crate::webhook::schedule::StillPending;
use crate::webhook::settings::{Emission, Happening};
use crate::webhook::state::{Deliveries, Emit, Emitted, WebhookState};
use crate::webhook::timeline;
use crate::world::kept::Action;
use crate::world::run::Run;

impl Run {
    /// Emits an event of an account now, because somebody asked for it. None if its conversation is closed.
    pub(crate) fn emit(self: &Arc<Self>, emission: &Emission, business: u64) -> Option<Emitted> {
        let emitted = self.emit_event(emission, business, None)?;
        self.log(|| Action::Event(Box::new(emission.clone()), business));
        Some(emitted)
    }

    /// Emits an event of an account now. None if its conversation is closed. A conversation that it opens is with the
    /// contact of the given id, else with a drawn one.
    pub(super) fn emit_event(
        self: &Arc<Self>,
        emission: &Emission,
        business: u64,
        contact: Option<u64>,
    ) -> Option<Emitted> {
        let reading = self.clock.at(clock::real_now());
        let (now, since_start) = (reading.now, reading.since_start());
        let emitted = self.webhooks.emit(&**self, Emit { emission, business, contact, now, since_start })?;
        self.engine.counts().dead.fetch_add(emitted.dead as u64, Ordering::Relaxed);
        self.start_webhooks();
        Some(emitted)
    }

    /// Emits the events that follow an operation. `account` is the number of the account that it was about, `contact`
    /// the id of the contact that it wrote, `now` the time at which its call arrived.
    pub(crate) fn operation_done(
        self: &Arc<Self>,
        operation: Operation,
        (account, contact): (u64, Option<u64>),
        now: Moment,
    ) {
        let snapshot = self.snapshot();
        for what in timeline::following(&snapshot.webhooks.settings.timeline, operation) {
            match what {
                Happening::Event(emission) => {
                    self.emit_event(emission, emission.business.unwrap_or(account), contact);
                }
                Happening::Record(arrival, event) => {
                    let emission = self.arrive_on_timeline(arrival, event.as_deref(), now);
                    if let Some(emission) = emission {
                        self.emit_event(&emission, emission.business.unwrap_or(account), None);
                    }
                }
            }
        }
    }

    /// Lets the engine follow the run, if it has scheduled work.
    pub(crate) fn start_webhooks(self: &Arc<Self>) {
        self.engine.follow(&self.handle());
    }

    /// Moves the clock forward and waits for what falls due on the way, for at most `limit` of real time. Returns how
    /// many deliveries and events are still awaited.
    ///
    /// # Errors
    /// The target is in the past, or too many events would be due.
    pub(crate) async fn move_clock(
        self: &Arc<Self>,
        step: ClockMove,
        limit: Duration,
    ) -> Result<usize, ClockError> {
        self.engine.move_clock(&self.handle(), step, limit).await
    }

    fn handle(self: &Arc<Self>) -> Arc<dyn WorldHandle> {
        Arc::<Self>::clone(self)
    }

    /// Freezes the clock, or lets it run.
    pub(crate) fn set_mode(&self, mode: Mode) {
        self.clock.set_mode(mode);
        self.log(|| Action::ClockMode(mode));
        self.webhooks.wake.notify_one();
    }

    /// The kept deliveries that match, in the order of their creation.
    pub(crate) fn deliveries(&self, matches: impl Fn(&Delivery) -> bool, page: Range<usize>) -> Deliveries {
        self.webhooks.deliveries(matches, page)
    }

    /// What falls due, the soonest first, each in words.
    pub(crate) fn due(&self) -> Vec<(Moment, String)> {
        self.webhooks.due(self.clock.start())
    }

    /// The conversations as payloads have them, the one that changed last first, each with the number of its account.
    pub(crate) fn conversations(&self) -> Vec<(u64, ConversationSnapshot)> {
        self.webhooks.conversations()
    }

    /// Sends a finished delivery once more. None if there is none with that id.
    pub(crate) fn retry_delivery(self: &Arc<Self>, id: &str) -> Option<Result<Arc<Delivery>, StillPending>> {
        let retried = self.webhooks.retry(id, self.clock.now());
        self.start_webhooks();
        retried
    }
}

impl WorldHandle for Run {
    fn webhooks(&self) -> &WebhookState {
        &self.webhooks
    }

    fn clock(&self) -> &VirtualClock {
        &self.clock
    }

    fn subscribers(&self, business: u64, event: &str) -> Vec<Subscription> {
        let ledger = self.ledger();
        let all = ledger.subscriptions.all().iter();
        all.filter(|subscription| {
            subscription.business == business && subscription.events.iter().any(|name| name == event)
        })
        .cloned()
        .collect()
    }

    fn contact(&self, business: u64, id: Option<u64>, draw: &mut Draw) -> Value {
        let snapshot = self.snapshot();
        let dataset = snapshot.dataset();
        let mut ledger = self.ledger();
        let contacts = ledger.contacts.of(business, dataset.contacts.of(business));
        let found = id.and_then(|id| contacts.get(id));
        if let Some(contact) = found.or_else(|| draw.pick(&contacts.all()).map(|contact| &***contact)) {
            return to_json(contact);
        }
        // The account has no contact: one is created.
        let person = person(Locale::En, draw);
        let email = format!("{}.{}@example.test", person.first.to_lowercase(), person.last.to_lowercase());
        let account = snapshot.businesses().iter().find(|account| account.number == business);
        let location = account.and_then(|account| account.locations.first());
        let change = Change {
            first_name: Some(person.first.to_owned()),
            last_name: Some(person.last.to_owned()),
            email: Some(email),
            business_ids: location.map(|location| location.number).into_iter().collect(),
            ..Change::default()
        };
        let Some(upsert) = contacts.upsert(snapshot.seed, business, &change) else { return Value::Null };
        let json = to_json(&upsert.contact);
        // Without room for it, the event has a contact that is not stored.
        let _ = ledger.put_contact(business, upsert.contact);
        json
    }

    fn arrive(&self, arrival: &Arrival, event: Option<&str>, now: Moment) -> Option<Emission> {
        self.arrive_on_timeline(arrival, event, now)
    }

    fn is_ready(&self) -> bool {
        let snapshot = self.snapshot();
        let is_indexed =
            |dataset: &Dataset| !snapshot.webhooks.settings.has_arrivals() || dataset.is_indexed();
        snapshot.ready().is_some_and(|dataset| is_indexed(dataset) && !self.added.is_stale(dataset))
    }

    fn prepare(&self) {
        let snapshot = self.snapshot();
        let dataset = snapshot.dataset();
        if snapshot.webhooks.settings.has_arrivals() {
            dataset.index_ids();
        }
        drop(self.added.read(dataset));
    }

    fn timeline_happened(&self, count: u64) {
        self.log(|| Action::Timeline(count));
    }

    fn clock_moved(&self) {
        self.log(|| Action::ClockMoved);
    }

    fn conversation_changed(&self, business: u64, name: &str) {
        if self.stream.is_watched() {
            let changed = json!({ "businessId": business, "conversation": self.secrets.mask(name) });
            self.stream.publish("conversation", &changed);
        }
    }

    fn delivery_changed(&self, delivery: &Delivery) {
        if self.stream.is_watched() {
            let mut json = delivery.to_json();
            let snapshot = self.snapshot();
            Mask::new(&snapshot.keys, self.minted.as_deref(), &self.secrets).json(&mut json);
            self.stream.publish("delivery", &json);
        }
    }
}

fn to_json(contact: &Contact) -> Value {
    let texts = [
        ("firstName", &contact.first_name),
        ("lastName", &contact.last_name),
        ("email", &contact.email),
        ("phone", &contact.phone),
    ];
    let mut members = Map::from_iter([("id".to_owned(), contact.id.into())]);
    for (name, text) in texts {
        if let Some(text) = text {
            members.insert(name.to_owned(), text.clone().into());
        }
    }
    members.into()
}
