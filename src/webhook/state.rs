//! The webhooks of one run of a world: its events, its conversations, its deliveries.

/// The webhooks in a snapshot of a world.
pub(crate) mod saved;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::clock::{self, Moment, Reading, later};
use crate::draw::{Draw, Seed};
use crate::fault::counters::{Counters, Plan};
use crate::memory::Memory;
use crate::webhook::client::{Failure, Outgoing};
use crate::webhook::conversation::{Change, Conversation, ConversationSnapshot, Conversations};
use crate::webhook::delivery::{Answer, Attempt, Delivery, Outcome, Status};
use crate::webhook::due::DueDelivery;
use crate::webhook::event::{Content, Event, Identity, UNKNOWN};
use crate::webhook::fault::{DeliveryKey, Stage};
use crate::webhook::handle::WorldHandle;
use crate::webhook::occurrences::Occurrences;
use crate::webhook::plan::WebhookPlan;
use crate::webhook::schedule::{AttemptResult, QUEUE_FULL, Schedule, StillPending};
use crate::webhook::settings::{DeliveryEffect, Emission, Happening};
use crate::webhook::timeline;

/// The webhooks of one run of a world.
#[derive(Debug)]
pub(crate) struct WebhookState {
    /// Held to emit events, to take due deliveries and to record results; never while an attempt is made. Ledger and
    /// dataset are asked under it, so that events are emitted in the order in which they are taken from the timeline.
    state: Mutex<State>,
    /// Notified when something may be due.
    pub(crate) wake: Arc<Notify>,
    /// Notified when an attempt has ended.
    pub(crate) progress: Notify,
    /// Whether the engine follows this run.
    pub(crate) is_followed: AtomicBool,
    /// Held by whoever moves the clock, from one due instant to the next.
    pub(crate) clock_move: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct State {
    plan: Arc<WebhookPlan>,
    seed: Seed,
    /// Whether the run is over: no more deliveries are made.
    is_closed: bool,
    schedule: Schedule,
    conversations: Conversations,
    fault_counters: Counters,
    occurrences: Occurrences,
    timeline: timeline::Progress,
    memory: Arc<Memory>,
}

/// An event to emit at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Emit<'a> {
    pub(crate) emission: &'a Emission,
    /// Number of the account.
    pub(crate) business: u64,
    /// Id of the contact with whom a conversation is opened.
    pub(crate) contact: Option<u64>,
    /// World time.
    pub(crate) now: Moment,
    /// World time since the world's start.
    pub(crate) since_start: Duration,
}

/// An emitted event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Emitted {
    pub(crate) event_id: String,
    pub(crate) deliveries: usize,
    /// How many of the deliveries are dead already.
    pub(crate) dead: usize,
}

/// Events of the timeline that were emitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimelineStep {
    /// How many of their deliveries are dead already.
    pub(crate) dead: usize,
    /// Whether more events are due.
    pub(crate) more: bool,
}

/// A page of the kept deliveries.
#[derive(Clone, Debug)]
pub(crate) struct Deliveries {
    pub(crate) page: Vec<Arc<Delivery>>,
    /// How many match.
    pub(crate) total: usize,
    /// How many were dropped for lack of room.
    pub(crate) dropped: u64,
}

impl WebhookState {
    /// `counted` bounds what faults count in all worlds.
    pub(crate) fn new(
        plan: Arc<WebhookPlan>,
        seed: Seed,
        memory: Arc<Memory>,
        counted: &Arc<Memory>,
    ) -> Self {
        let state = State {
            timeline: timeline::Progress::new(&plan.settings.timeline),
            plan,
            seed,
            is_closed: false,
            schedule: Schedule::new(Arc::clone(&memory)),
            conversations: Conversations::new(Arc::clone(&memory)),
            fault_counters: Counters::new(counted),
            occurrences: Occurrences::default(),
            memory,
        };
        Self {
            state: Mutex::new(state),
            wake: Arc::default(),
            progress: Notify::new(),
            is_followed: AtomicBool::new(false),
            clock_move: tokio::sync::Mutex::new(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes up other settings. What is pending stays; events of a changed timeline that lie in the past are skipped.
    pub(crate) fn replace_plan(&self, plan: &Arc<WebhookPlan>, since_start: Duration) {
        let mut state = self.state();
        if state.plan.settings.timeline != plan.settings.timeline {
            state.timeline = timeline::Progress::until(&plan.settings.timeline, since_start);
        }
        if state.plan.settings.faults != plan.settings.faults {
            state.fault_counters.keep(&Plan::default());
        }
        state.plan = Arc::clone(plan);
        drop(state);
        self.wake.notify_one();
    }

    /// Ends the run: forgets all deliveries and makes no more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.plan = Arc::default();
        state.timeline = timeline::Progress::default();
        let memory = Arc::clone(&state.memory);
        let deliveries = std::mem::replace(&mut state.schedule, Schedule::new(Arc::clone(&memory)));
        let conversations = std::mem::replace(&mut state.conversations, Conversations::new(memory));
        drop(state);
        drop((deliveries, conversations));
        self.wake.notify_one();
        self.progress.notify_waiters();
    }

    /// Emits an event. None if its conversation is closed.
    pub(crate) fn emit(&self, world: &dyn WorldHandle, emit: Emit<'_>) -> Option<Emitted> {
        let emitted = self.state().emit(world, emit)?;
        self.wake.notify_one();
        Some(emitted)
    }

    /// Does what is due on the timeline, in order, at most `limit` entries: emits events and lets records arrive.
    pub(crate) fn emit_due(&self, world: &dyn WorldHandle, reading: Reading, limit: usize) -> TimelineStep {
        let mut state = self.state();
        let plan = Arc::clone(&state.plan);
        let (entries, by) = (&plan.settings.timeline, reading.since_start());
        let (mut step, mut count) = (TimelineStep::default(), 0);
        while count < limit {
            let Some((since_start, what)) = state.timeline.take(entries, by) else { break };
            count += 1;
            let now = later(reading.start, since_start);
            let announced;
            let emission = match what {
                Happening::Event(emission) => emission,
                Happening::Record(arrival, event) => {
                    announced = world.arrive(arrival, event.as_deref(), now);
                    let Some(emission) = &announced else { continue };
                    emission
                }
            };
            let Some(business) = emission.business else { continue };
            // An event of a conversation that is closed by now is skipped.
            let emitted = state.emit(world, Emit { emission, business, contact: None, now, since_start });
            step.dead += emitted.map_or(0, |emitted| emitted.dead);
        }
        if count > 0 {
            world.timeline_happened(count as u64);
        }
        step.more = state.timeline.next(entries).is_some_and(|next| next <= by);
        step
    }

    /// Takes the deliveries that are due, at most `limit`. They are in flight then.
    pub(crate) fn take(&self, reading: Reading, limit: usize) -> Vec<DueDelivery> {
        let mut state = self.state();
        let State { plan, seed, schedule, fault_counters, .. } = &mut *state;
        let numbers = schedule.take(reading.now, limit);
        let due = numbers.into_iter().filter_map(|number| {
            let Delivery { event, endpoint, by_page, subscription, .. } = &**schedule.get(number)?;
            let faults = (plan.settings.faults.as_slice(), Stage::Attempt);
            let effect =
                event.key(*subscription).decide(faults, *seed, reading.since_start(), fault_counters);
            Some(DueDelivery {
                number,
                event: Arc::clone(event),
                endpoint: Arc::clone(endpoint),
                at: reading.now,
                elapsed: reading.elapsed,
                effect,
                plan: Arc::clone(plan),
                by_page: *by_page,
            })
        });
        due.collect()
    }

    /// Records that an attempt begins. Returns false if the delivery is no longer there, since the run is over.
    pub(crate) fn begin_attempt(&self, due: &DueDelivery, outgoing: &Outgoing) -> bool {
        self.state().schedule.update(due.number, |delivery| {
            delivery.body_size = outgoing.body.len();
            let Outgoing { headers, cut, .. } = outgoing;
            delivery.attempts.push(Attempt {
                at: due.at,
                elapsed: due.elapsed,
                sent: clock::system_now(),
                fault: due.effect,
                headers: headers.clone(),
                cut: *cut,
                outcome: None,
            });
        })
    }

    /// Makes a delivery dead that cannot be sent. Returns it, unless it is no longer there.
    pub(crate) fn kill(&self, due: &DueDelivery, reason: String) -> Option<Arc<Delivery>> {
        let delivery = self.state().schedule.kill(due.number, reason);
        self.notify();
        delivery
    }

    /// Records the result of an attempt, which took some real time. Returns the delivery as it is then, unless it is no
    /// longer there.
    pub(crate) fn record(
        &self,
        due: &DueDelivery,
        result: Result<Answer, Failure>,
        now: Moment,
        took: Duration,
    ) -> Option<Arc<Delivery>> {
        let mut state = self.state();
        let State { plan, seed, schedule, memory, .. } = &mut *state;
        let result = match result {
            Err(Failure::Closed(reason)) => {
                // Nothing was sent.
                schedule.update(due.number, |delivery| drop(delivery.attempts.pop()));
                let delivery = schedule.kill(due.number, reason);
                drop(state);
                self.notify();
                return delivery;
            }
            Err(Failure::Failed(error)) => Err(error),
            Ok(answer) if memory.is_full() => Ok(answer.without_body()),
            Ok(answer) => Ok(answer),
        };
        let failure = match &result {
            Ok(answer) if answer.is_success() => None,
            Ok(answer) => Some(format!("answered {}", answer.status)),
            Err(error) => Some(error.clone()),
        };
        let took = (took.as_secs_f64() * 1_000_000.0).round() / 1_000.0;
        schedule.update(due.number, |delivery| {
            if let Some(attempt) = delivery.attempts.last_mut() {
                attempt.outcome = Some(Outcome { result, took });
            }
        });
        let result = AttemptResult { failure: failure.as_deref(), now };
        let delivery = schedule.record(due.number, result, &plan.settings.retry, *seed);
        drop(state);
        self.notify();
        delivery
    }

    fn notify(&self) {
        self.progress.notify_waiters();
        self.wake.notify_one();
    }

    /// Whether there is anything to do now or later that nobody follows yet.
    pub(crate) fn needs_following(&self) -> bool {
        if self.is_followed.load(Ordering::Acquire) {
            return false;
        }
        let state = self.state();
        state.schedule.next_due().is_some() || state.timeline.next(&state.plan.settings.timeline).is_some()
    }

    /// When something is due next, in world time.
    pub(crate) fn next_due(&self, start: Moment) -> Option<Moment> {
        self.state().next_due(start)
    }

    /// What falls due, the soonest first, each in words: the next time of each entry of the timeline, and attempts of
    /// deliveries.
    pub(crate) fn due(&self, start: Moment) -> Vec<(Moment, String)> {
        let state = self.state();
        let coming = state.timeline.coming(&state.plan.settings.timeline);
        let mut due: Vec<(Moment, String)> =
            coming.map(|(since, what)| (later(start, since), what.to_string())).collect();
        due.extend(state.schedule.waiting().map(|(at, delivery)| {
            let attempt = delivery.attempts.len() + 1;
            (at, format!("attempt {attempt} to deliver {} to {}", delivery.event.name, delivery.endpoint))
        }));
        due.sort_by_key(|(at, _)| *at);
        due
    }

    /// The conversations, the one that changed last first, each with the number of its account.
    pub(crate) fn conversations(&self) -> Vec<(u64, ConversationSnapshot)> {
        self.state().conversations.all()
    }

    /// Whether nothing is in flight and nothing is due by now.
    pub(crate) fn is_idle(&self, reading: Reading) -> bool {
        let state = self.state();
        state.schedule.in_flight() == 0 && state.next_due(reading.start).is_none_or(|due| due > reading.now)
    }

    /// How many events of the timeline are due by a time since the start, and were not emitted.
    pub(crate) fn count_due(&self, since_start: Duration) -> u64 {
        let state = self.state();
        state.timeline.count_due(&state.plan.settings.timeline, since_start)
    }

    /// How many deliveries are due by now and not finished, and how many events of the timeline were not emitted.
    pub(crate) fn count_pending(&self, reading: Reading) -> usize {
        let events = usize::try_from(self.count_due(reading.since_start())).unwrap_or(usize::MAX);
        self.state().schedule.pending(reading.now).saturating_add(events)
    }

    /// The kept deliveries that match, in the order of their creation.
    pub(crate) fn deliveries(&self, matches: impl Fn(&Delivery) -> bool, page: Range<usize>) -> Deliveries {
        let state = self.state();
        let (all, dropped) = state.schedule.all();
        let mut found = Deliveries { page: Vec::new(), total: 0, dropped };
        for delivery in all.filter(|delivery| matches(delivery)) {
            if page.contains(&found.total) {
                found.page.push(Arc::clone(delivery));
            }
            found.total += 1;
        }
        found
    }

    /// Sends a finished delivery once more. None if there is none with that id.
    pub(crate) fn retry(&self, id: &str, now: Moment) -> Option<Result<Arc<Delivery>, StillPending>> {
        let retried = self.state().schedule.retry(id, now);
        self.wake.notify_one();
        retried
    }
}

impl Drop for WebhookState {
    fn drop(&mut self) {
        // The task that follows this run learns that it is gone.
        self.wake.notify_one();
    }
}

impl State {
    fn emit(&mut self, world: &dyn WorldHandle, emit: Emit<'_>) -> Option<Emitted> {
        let Emit { emission, business, contact, now, since_start } = emit;
        let conversation = emission.conversation.as_deref();
        let mut key =
            DeliveryKey { event: &emission.event, business, conversation, subscription: 0, occurrence: 0 };
        let kind = key.event_draw().number();
        let has_room = self.make_room();
        let Self { plan, seed, schedule, conversations, fault_counters, occurrences, memory, .. } = self;
        let changed = match conversation {
            None => None,
            Some(name) => {
                let text = emission.text.as_deref();
                let change = Change { event: &emission.event, business, conversation: name, text, now };
                let before = occurrences.get(kind);
                let message = Draw::new(*seed, "message").with(business).with_text(name).with(before);
                let mut draw = Draw::new(*seed, "conversation").with(business).with_text(name);
                let contact = || world.contact(business, contact, &mut draw);
                let changed = conversations.apply(change, message, contact).ok()?;
                world.conversation_changed(business, name);
                Some(changed)
            }
        };
        key.occurrence = occurrences.add(kind);
        let id = Draw::new(*seed, "event id").with(key.fingerprint()).number();
        let mut emitted = Emitted { event_id: format!("evt_{id:016x}"), deliveries: 0, dead: 0 };
        let subscribers =
            if self.is_closed { Vec::new() } else { world.subscribers(business, &emission.event) };
        if subscribers.is_empty() {
            return Some(emitted);
        }
        let occurrence = key.occurrence;
        let identity = Identity { name: &emission.event, business, conversation, occurrence, at: now };
        let content =
            Content { conversation: changed.map(Conversation::snapshot), data: emission.data.clone() };
        let event = Arc::new(Event::new(emitted.event_id.clone(), identity, content, plan, memory));
        for subscription in subscribers {
            key.subscription = subscription.id;
            let faults = (plan.settings.faults.as_slice(), Stage::Delivery);
            let effect = key.decide(faults, *seed, since_start, fault_counters);
            let endpoint: Arc<str> = subscription.endpoint.into();
            let mut deliver = |event: Arc<Event>, key: &DeliveryKey<'_>| {
                let id = Draw::new(*seed, "delivery id").with(key.fingerprint()).number();
                let delivery = Delivery {
                    id: format!("dlv_{id:016x}"),
                    event,
                    subscription: subscription.id,
                    endpoint: Arc::clone(&endpoint),
                    by_page: subscription.by_page,
                    status: if has_room { Status::Pending } else { Status::Dead },
                    reason: (!has_room).then(|| QUEUE_FULL.to_owned()),
                    attempts: Vec::new(),
                    body_size: 0,
                };
                emitted.deliveries += 1;
                emitted.dead += usize::from(schedule.add(delivery, effect, now) == Status::Dead);
            };
            deliver(Arc::clone(&event), &key);
            if effect == Some(DeliveryEffect::UnknownEvent) {
                let key = DeliveryKey { event: UNKNOWN, ..key };
                let id = Draw::new(*seed, "event id").with(key.fingerprint()).number();
                let identity = Identity { name: UNKNOWN, business, conversation, occurrence, at: now };
                let content = Content { conversation: changed.map(Conversation::snapshot), data: None };
                let event = Event::new(format!("evt_{id:016x}"), identity, content, plan, memory);
                deliver(Arc::new(event), &key);
            }
        }
        Some(emitted)
    }

    /// Forgets finished deliveries and then conversations, the oldest first, while the memory is full. Returns whether
    /// there is room for another delivery.
    fn make_room(&mut self) -> bool {
        while self.memory.is_full() {
            if !self.schedule.drop_oldest() && !self.conversations.forget_oldest() {
                return false;
            }
        }
        true
    }

    fn next_due(&self, start: Moment) -> Option<Moment> {
        let event = self.timeline.next(&self.plan.settings.timeline).map(|since| later(start, since));
        self.schedule.next_due().into_iter().chain(event).min()
    }
}
