//! Events of a run: emitting them, and moving its clock, which makes due ones happen.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Map, Value};

use crate::api::operation::Operation;
use crate::clock::{self, Mode, Moment, VirtualClock};
use crate::dataset::people::person;
use crate::dataset::records::{Contact, Locale};
use crate::draw::Draw;
use crate::ledger::contacts::Change;
use crate::webhook::delivery::Delivery;
use crate::webhook::engine::WorldHandle;
use crate::webhook::schedule::UnderWay;
use crate::webhook::settings::Emission;
use crate::webhook::state::{Emitted, Told, WebhookState};
use crate::world::run::Run;

impl Run {
    /// An event happens now to an account: none where its conversation is closed. `contact` is the one that a
    /// conversation opened by it is with; else it is drawn from the account's.
    pub fn emit(
        self: &Arc<Self>,
        emission: &Emission,
        business: u64,
        contact: Option<u64>,
    ) -> Option<Emitted> {
        let reading = self.clock.at(clock::real_now());
        let told = Told { emission, business, now: reading.now, since_start: reading.since_start() };
        let emitted = self.tell(told, contact);
        self.start_webhooks();
        emitted
    }

    fn tell(&self, told: Told<'_>, contact: Option<u64>) -> Option<Emitted> {
        let subscriptions = self.ledger().subscriptions.all().to_vec();
        let emitted =
            self.webhooks.emit(told, &subscriptions, |draw| self.contact(told.business, contact, draw))?;
        self.engine.counts().dead.fetch_add(emitted.dead as u64, Ordering::Relaxed);
        Some(emitted)
    }

    /// Emits the events that follow an operation. `account` is the number of the account that it was about, `contact`
    /// the id of the contact that it wrote.
    pub fn operation_done(self: &Arc<Self>, operation: Operation, account: u64, contact: Option<u64>) {
        for emission in self.webhooks.following(operation) {
            self.emit(&emission, emission.business.unwrap_or(account), contact);
        }
    }

    /// The engine follows it from now on, if it has anything to follow.
    pub fn start_webhooks(self: &Arc<Self>) {
        let site: Arc<dyn WorldHandle> = Arc::<Self>::clone(self);
        self.engine.follow(&site);
    }

    /// Moves its clock forward to a time; what falls due happens, in order, before this is over. Gives how many
    /// deliveries are still awaited after so much real time.
    pub async fn advance(self: &Arc<Self>, to: Moment, limit: std::time::Duration) -> usize {
        let site: Arc<dyn WorldHandle> = Arc::<Self>::clone(self);
        self.engine.advance(&site, to, limit).await
    }

    /// Freezes its clock, or lets it run on.
    pub fn set_mode(&self, mode: Mode) {
        self.clock.set_mode(mode);
        self.webhooks.wake.notify_one();
    }

    /// The deliveries that are kept, in the order made, that a filter takes, and how many were given up.
    pub fn deliveries(&self, takes: impl Fn(&Delivery) -> bool) -> (Vec<Delivery>, u64) {
        self.webhooks.deliveries(takes)
    }

    /// Delivers once more what is finished. None where there is none of that id; an error where it is under way.
    pub fn retry_delivery(self: &Arc<Self>, id: &str) -> Option<Result<Delivery, UnderWay>> {
        let retried = self.webhooks.retry(id, self.clock.now());
        self.start_webhooks();
        retried
    }

    /// A contact of an account in the API's field names: that one, else one drawn, else one made for it.
    fn contact(&self, account: u64, wanted: Option<u64>, draw: &mut Draw) -> Value {
        let snapshot = self.snapshot();
        let dataset = snapshot.dataset();
        let mut ledger = self.ledger();
        let contacts = ledger.contacts.of(account, dataset.contacts.of(account));
        let all = contacts.all();
        let found = wanted.and_then(|id| contacts.get(id)).or_else(|| draw.pick(&all).copied());
        if let Some(contact) = found {
            return told(contact);
        }
        let person = person(Locale::En, draw);
        let email = format!("{}.{}@example.test", person.first.to_lowercase(), person.last.to_lowercase());
        let locations = snapshot.businesses().iter().find(|business| business.number == account);
        let change = Change {
            first_name: Some(person.first.to_owned()),
            last_name: Some(person.last.to_owned()),
            email: Some(email),
            business_ids: locations
                .iter()
                .filter_map(|it| it.locations.first())
                .map(|it| it.number)
                .collect(),
            ..Change::default()
        };
        let Some(made) = contacts.upsert(snapshot.seed, account, &change) else { return Value::Null };
        let shown = told(&made.contact);
        ledger.contacts.put(account, made.contact);
        shown
    }
}

fn told(contact: &Contact) -> Value {
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

impl WorldHandle for Run {
    fn webhooks(&self) -> &WebhookState {
        &self.webhooks
    }

    fn clock(&self) -> &VirtualClock {
        &self.clock
    }

    fn happen(&self) {
        let reading = self.clock.at(clock::real_now());
        for (since_start, emission) in self.webhooks.happenings(reading.since_start()) {
            let now = Moment(reading.start.0 + i64::try_from(since_start.as_millis()).unwrap_or_default());
            let Some(business) = emission.business else { continue };
            // A message to a conversation that is closed by then is never written.
            let _ = self.tell(Told { emission: &emission, business, now, since_start }, None);
        }
    }

    fn changed(&self, delivery: &Delivery) {
        if self.stream.is_watched() {
            self.stream.publish("delivery", &delivery.shown());
        }
    }
}
