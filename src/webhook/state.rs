//! The webhooks of one world: its events so far, its conversations, its deliveries.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value};
use tokio::sync::Notify;

use crate::clock::{self, Moment, Reading};
use crate::draw::{Draw, Seed};
use crate::fault::counters::Counters;
use crate::ledger::subscriptions::Subscription;
use crate::webhook::client::{Failure, Outgoing};
use crate::webhook::conversation::{Conversations, Turn};
use crate::webhook::delivery::{Answer, Attempt, Delivery, Happened, Status};
use crate::webhook::fault::Seen;
use crate::webhook::payload::{Event, Templates};
use crate::webhook::schedule::{Ended, Schedule, UnderWay};
use crate::webhook::settings::{DeliveryEffect, Emission, Signing, Webhooks};
use crate::webhook::{sign, timeline};

/// What a scenario says of webhooks, ready for use.
#[derive(Debug, Default)]
pub struct WebhookPlan {
    /// As written.
    pub settings: Webhooks,
    templates: Templates,
}

impl WebhookPlan {
    /// Of those settings.
    #[must_use]
    pub fn new(settings: Webhooks) -> Self {
        Self { templates: Templates::new(&settings), settings }
    }
}

/// How deliveries introduce themselves.
pub const USER_AGENT: &str = concat!("standin-webhooks/", env!("CARGO_PKG_VERSION"));

/// The webhooks of one world.
#[derive(Debug)]
pub struct WebhookState {
    /// Held to take an event in, to take due attempts out, and to write their ends down: never while one is made.
    state: Mutex<State>,
    /// Something may be due.
    pub wake: Arc<Notify>,
    /// An attempt ended.
    pub progress: Notify,
    /// Whether the engine follows this world.
    pub driven: AtomicBool,
    /// Held by whoever steps the clock, from instant to instant.
    pub stepping: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct State {
    plan: Arc<WebhookPlan>,
    seed: Seed,
    /// How often all was forgotten: an attempt of before has no place to be written down.
    life: u32,
    schedule: Schedule,
    conversations: Conversations,
    counters: Counters,
    /// How many events of each kind there were.
    times: BTreeMap<u64, u32>,
    fired: timeline::Fired,
}

/// What happens, where and when.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The event.
    pub emission: &'a Emission,
    /// Number of the account.
    pub business: u64,
    /// World time.
    pub now: Moment,
    /// World time since the world's start.
    pub since_start: Duration,
}

/// An event that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// Its id.
    pub event_id: String,
    /// How many deliveries it makes.
    pub deliveries: usize,
    /// How many of them are dead already.
    pub dead: usize,
}

/// An attempt to be made now.
#[derive(Clone, Debug)]
pub struct Due {
    /// Number of the delivery.
    pub number: u64,
    life: u32,
    /// What is sent.
    pub outgoing: Outgoing,
    /// By whose rules.
    pub plan: Arc<WebhookPlan>,
    /// Whether a stranger's web page may have subscribed it.
    pub by_page: bool,
}

impl WebhookState {
    /// At the world's start.
    #[must_use]
    pub fn new(plan: Arc<WebhookPlan>, seed: Seed) -> Self {
        Self {
            state: Mutex::new(State::new(plan, seed, 0)),
            wake: Arc::default(),
            progress: Notify::new(),
            driven: AtomicBool::new(false),
            stepping: tokio::sync::Mutex::new(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Other settings from now on; what is under way stays. Happenings of another timeline that lie behind are not made
    /// up for.
    pub fn replace_plan(&self, plan: &Arc<WebhookPlan>, since_start: Duration) {
        let mut state = self.state();
        if state.plan.settings.timeline != plan.settings.timeline {
            state.fired = timeline::Fired::until(&plan.settings.timeline, since_start);
        }
        if state.plan.settings.faults != plan.settings.faults {
            state.counters = Counters::default();
        }
        state.plan = Arc::clone(plan);
        drop(state);
        self.wake.notify_one();
    }

    /// Forgets all deliveries and takes no more: the run is over.
    pub fn close(&self) {
        let mut state = self.state();
        let life = state.life + 1;
        *state = State::new(Arc::default(), state.seed, life);
        drop(state);
        self.wake.notify_one();
        self.progress.notify_waiters();
    }

    /// An event happens: its deliveries are made. `contact` gives the contact of a conversation that it opens. None where
    /// the conversation is closed.
    pub fn emit(
        &self,
        told: Told<'_>,
        subscriptions: &[Subscription],
        contact: impl FnOnce(&mut Draw) -> Value,
    ) -> Option<Emitted> {
        let Told { emission, business, now, since_start } = told;
        let mut state = self.state();
        let State { plan, seed, schedule, conversations, counters, times, .. } = &mut *state;
        let conversation = emission.conversation.as_deref();
        let seen =
            |subscription, nth| Seen { event: &emission.event, business, conversation, subscription, nth };
        let mut data = match conversation {
            None => Map::new(),
            Some(name) => {
                let text = emission.text.as_deref();
                let turn = Turn { event: &emission.event, business, conversation: name, text, now };
                let told = times.get(&seen(0, 0).event_print().number()).copied().unwrap_or_default();
                let draw = Draw::new(*seed, "message").with(business).with_text(name).with(told.into());
                let mut drawn = Draw::new(*seed, "conversation").with(business).with_text(name);
                conversations.turn(turn, draw, || contact(&mut drawn)).ok()?
            }
        };
        let times = times.entry(seen(0, 0).event_print().number()).or_default();
        *times += 1;
        let nth = *times;
        data.extend(emission.data.clone().unwrap_or_default());
        let number = Draw::new(*seed, "event id").with(seen(0, nth).fingerprint()).number();
        let event =
            Event { id: format!("evt_{number:016x}"), name: emission.event.clone(), at: now, business, data };
        let (body, broken) = match plan.templates.render(&event) {
            Ok(body) => (body, None),
            Err(problem) => {
                (Vec::new(), Some(format!("payload: line {}: {}", problem.line, problem.message)))
            }
        };
        let happened = Arc::new(Happened {
            id: event.id,
            name: event.name,
            business,
            conversation: emission.conversation.clone(),
            nth,
            body: body.into(),
        });
        let matching = subscriptions
            .iter()
            .filter(|made| made.business == business && made.events.contains(&happened.name));
        let (mut deliveries, mut dead) = (0, 0);
        for made in matching {
            deliveries += 1;
            let seen = seen(made.id, nth);
            let effect = seen.struck((&plan.settings.faults, false), *seed, since_start, counters);
            let id = Draw::new(*seed, "delivery id").with(seen.fingerprint()).number();
            let delivery = Delivery {
                id: format!("dlv_{id:016x}"),
                event: Arc::clone(&happened),
                subscription: made.id,
                endpoint: made.endpoint.as_str().into(),
                by_page: made.by_page,
                status: if broken.is_some() { Status::Dead } else { Status::Pending },
                reason: broken.clone(),
                attempts: Vec::new(),
            };
            dead += usize::from(schedule.add(delivery, effect, now) == Status::Dead);
        }
        drop(state);
        self.wake.notify_one();
        Some(Emitted { event_id: happened.id.clone(), deliveries, dead })
    }

    /// Attempts that are due, at most so many; they are under way then.
    pub fn take(&self, reading: Reading, most: usize) -> Vec<Due> {
        let now = reading.now;
        let mut state = self.state();
        let State { plan, seed, schedule, counters, life, .. } = &mut *state;
        let mut due = Vec::new();
        for start in schedule.take(now, most) {
            let event = &start.delivery.event;
            let seen = Seen {
                event: &event.name,
                business: event.business,
                conversation: event.conversation.as_deref(),
                subscription: start.delivery.subscription,
                nth: event.nth,
            };
            let effect = seen.struck((&plan.settings.faults, true), *seed, reading.since_start(), counters);
            let body = event.body.clone();
            let cut = (effect == Some(DeliveryEffect::Truncate)).then_some(body.len() / 2);
            let headers = headers(&plan.settings.signing, &event.id, now, &body, effect);
            let attempt = Attempt { at: now, headers: headers.clone(), cut, outcome: None };
            if let Some(delivery) = schedule.get_mut(start.number) {
                delivery.attempts.push(attempt);
            }
            let Delivery { endpoint, by_page, .. } = start.delivery;
            let timeout = plan.settings.retry.timeout;
            let outgoing = Outgoing { endpoint, headers, body, cut, timeout };
            due.push(Due { number: start.number, life: *life, outgoing, plan: Arc::clone(plan), by_page });
        }
        due
    }

    /// An attempt ended, after so much real time. Gives the delivery as it is then, unless it was forgotten meanwhile.
    pub fn ended(
        &self,
        due: &Due,
        result: Result<Answer, Failure>,
        now: Moment,
        took: Duration,
    ) -> Option<Delivery> {
        let mut state = self.state();
        let State { plan, seed, schedule, life, .. } = &mut *state;
        if *life != due.life {
            return None;
        }
        let (outcome, closed) = match result {
            Ok(answer) => (Ok(answer), false),
            Err(Failure::Failed(why)) => (Err(why), false),
            Err(Failure::Closed(why)) => (Err(why), true),
        };
        let delivery = schedule.get_mut(due.number)?;
        let millis = (took.as_secs_f64() * 1_000_000.0).round() / 1_000.0;
        if closed {
            // Nothing was sent.
            delivery.attempts.pop();
        } else if let Some(attempt) = delivery.attempts.last_mut() {
            attempt.outcome = Some((outcome.clone(), millis));
        }
        match outcome {
            Err(why) if closed => schedule.kill(due.number, why),
            Err(why) => {
                schedule.ended(
                    due.number,
                    Ended { good: false, why: &why, now },
                    &plan.settings.retry,
                    *seed,
                );
            }
            Ok(Answer { status, .. }) => {
                let (good, why) = ((200..300).contains(&status), format!("answered {status}"));
                schedule.ended(due.number, Ended { good, why: &why, now }, &plan.settings.retry, *seed);
            }
        }
        let delivery = schedule.get_mut(due.number).cloned();
        drop(state);
        self.progress.notify_waiters();
        self.wake.notify_one();
        delivery
    }

    /// What the timeline makes happen until now, in order, each with its instant since the start. It is not given again.
    pub fn happenings(&self, since_start: Duration) -> Vec<(Duration, Emission)> {
        let mut state = self.state();
        let State { plan, fired, .. } = &mut *state;
        fired.take(&plan.settings.timeline, since_start)
    }

    /// What follows an operation.
    #[must_use]
    pub fn following(&self, operation: crate::api::operation::Operation) -> Vec<Emission> {
        timeline::following(&self.state().plan.settings.timeline, operation)
    }

    /// Whether it has a timeline of its own, or anything under way: whether it wants to be followed.
    #[must_use]
    pub fn wants_driving(&self) -> bool {
        let state = self.state();
        !self.driven.load(Ordering::Acquire)
            && (state.schedule.next_due().is_some()
                || state.fired.next(&state.plan.settings.timeline).is_some())
    }

    /// When the next thing is due, by world time, of a world that started then.
    #[must_use]
    pub fn next_due(&self, start: Moment) -> Option<Moment> {
        let state = self.state();
        let happening = state.fired.next(&state.plan.settings.timeline);
        let happening = happening.map(|since| {
            Moment(start.0.saturating_add(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
        });
        state.schedule.next_due().into_iter().chain(happening).min()
    }

    /// How many attempts are under way.
    #[must_use]
    pub fn flying(&self) -> usize {
        self.state().schedule.flying()
    }

    /// How many deliveries are not finished that are due by a time.
    #[must_use]
    pub fn pending(&self, by: Moment) -> usize {
        self.state().schedule.pending(by)
    }

    /// All deliveries that are kept, in the order made, that a filter takes, and how many were given up.
    pub fn deliveries(&self, takes: impl Fn(&Delivery) -> bool) -> (Vec<Delivery>, u64) {
        let state = self.state();
        let (all, dropped) = state.schedule.all();
        (all.into_iter().filter(|delivery| takes(delivery)).cloned().collect(), dropped)
    }

    /// Delivers once more what is finished. None where there is none of that id; an error where it is under way.
    pub fn retry(&self, id: &str, now: Moment) -> Option<Result<Delivery, UnderWay>> {
        let retried = self.state().schedule.retry(id, now);
        self.wake.notify_one();
        retried
    }
}

impl Drop for WebhookState {
    fn drop(&mut self) {
        // Whoever follows this world learns that it is gone.
        self.wake.notify_one();
    }
}

impl State {
    fn new(plan: Arc<WebhookPlan>, seed: Seed, life: u32) -> Self {
        let fired = timeline::Fired::new(&plan.settings.timeline);
        Self {
            plan,
            seed,
            life,
            schedule: Schedule::default(),
            conversations: Conversations::default(),
            counters: Counters::default(),
            times: BTreeMap::new(),
            fired,
        }
    }
}

fn headers(
    signing: &Signing,
    id: &str,
    now: Moment,
    body: &Bytes,
    effect: Option<DeliveryEffect>,
) -> Vec<(&'static str, String)> {
    let world_time = matches!(signing, Signing::StandardWebhooks { world_time: true, .. });
    let stamp = if world_time { now } else { clock::system_now() };
    let mut headers =
        vec![("content-type", "application/json".to_owned()), ("user-agent", USER_AGENT.to_owned())];
    let spoilt = effect == Some(DeliveryEffect::BadSignature);
    headers.extend(sign::headers(signing, id, stamp.0.div_euclid(1000), body, spoilt));
    headers
}
