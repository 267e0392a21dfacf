//! Records from a few words: `client().call("reviews").at(0).answered(3, 200)`. Times are milliseconds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::auth::RateLimit;
use crate::clock::Moment;
use crate::draw::{Draw, Seed};
use crate::expect::call::{Call, CallEnd};
use crate::expect::page::Page;
use crate::expect::record::{Command, Record};
use crate::expect::scorecard::settings::{Limit, Setting};
use crate::fault::effect::Kind;
use crate::operations;
use crate::webhook::delivery::{Answer, Attempt, Delivery, Outcome, Status};
use crate::webhook::event::{Content, Event, Identity};
use crate::webhook::settings::DeliveryEffect;

/// The key of all calls.
pub(crate) const KEY: &str = "key:demo";

#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    record: Record,
    calls: Vec<Call>,
    deliveries: Vec<Delivery>,
}

pub(crate) fn client() -> Script {
    Script::default()
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

impl Script {
    /// The record, with its calls in the order of their arrival.
    pub(crate) fn record(&self) -> Record {
        let mut calls = self.calls.clone();
        calls.sort_by_key(|call| (call.arrived, call.seq));
        let mut attempts: BTreeMap<u64, u32> = BTreeMap::new();
        for (call, seq) in calls.iter_mut().zip(1..) {
            let attempt = attempts.entry(call.fingerprint).or_default();
            *attempt += 1;
            (call.seq, call.attempt) = (seq, *attempt);
        }
        let deliveries = self.deliveries.iter().cloned().map(Arc::new).collect();
        Record { calls, deliveries, ..self.record.clone() }
    }

    fn last(&mut self) -> &mut Call {
        self.calls.last_mut().unwrap()
    }

    fn with(mut self, change: impl FnOnce(&mut Call)) -> Self {
        change(self.last());
        self
    }

    /// A call of an operation. What follows a blank makes it another request of the same operation: `reviews b`.
    pub(crate) fn call(mut self, what: &str) -> Self {
        let operation = operations::named(what.split(' ').next().unwrap()).unwrap().operation;
        let seq = self.calls.len() as u64 + 1;
        self.calls.push(Call {
            seq,
            operation: Some(operation),
            method: "POST".to_owned(),
            path: "/".to_owned(),
            query: Vec::new(),
            headers: Vec::new(),
            businesses: Vec::new(),
            sent_key: None,
            list: None,
            body: Value::Null,
            key: Some(KEY.to_owned()),
            has_key_in_query: false,
            fingerprint: Draw::new(Seed(0), what).number(),
            attempt: 1,
            connection: 1,
            arrived: Duration::ZERO,
            arrived_in_world: Duration::ZERO,
            end: None,
            status: None,
            code: None,
            fault: None,
            effect: None,
            retry_after: None,
            answer: Value::Null,
            page: None,
        });
        self
    }

    /// When it arrives, by both clocks.
    pub(crate) fn at(self, at: u64) -> Self {
        self.with(|call| (call.arrived, call.arrived_in_world) = (millis(at), millis(at)))
    }

    /// When it arrives by the world's clock, if that is another time.
    pub(crate) fn in_world(self, at: u64) -> Self {
        self.with(|call| call.arrived_in_world = millis(at))
    }

    pub(crate) fn on(self, connection: u64) -> Self {
        self.with(|call| call.connection = connection)
    }

    /// The whole answer is written so much later.
    pub(crate) fn answered(self, took: u64, status: u16) -> Self {
        self.with(|call| {
            call.end = Some(CallEnd::Answered(call.arrived + millis(took)));
            call.status = Some(status);
        })
    }

    pub(crate) fn code(self, code: u32) -> Self {
        self.with(|call| call.code = Some(code))
    }

    pub(crate) fn asks(self, seconds: u64) -> Self {
        self.with(|call| call.retry_after = Some(Duration::from_secs(seconds)))
    }

    /// The real rate limit refuses it at once and asks for a wait.
    pub(crate) fn limited(self, seconds: u64) -> Self {
        self.answered(1, 429).code(89).asks(seconds)
    }

    /// A fault strikes it. An effect that breaks the connection ends it so much later.
    pub(crate) fn struck(self, took: u64, effect: Kind) -> Self {
        self.with(|call| {
            (call.fault, call.effect) = (Some(format!("{effect:?}").to_lowercase()), Some(effect));
            call.end = call.end.or(Some(CallEnd::Answered(call.arrived + millis(took))));
        })
    }

    pub(crate) fn hung_up(self, took: u64) -> Self {
        self.with(|call| call.end = Some(CallEnd::HungUp(call.arrived + millis(took))))
    }

    pub(crate) fn body(self, body: Value) -> Self {
        self.with(|call| call.body = body)
    }

    pub(crate) fn answer(self, answer: Value) -> Self {
        self.with(|call| call.answer = answer)
    }

    /// It asks for a page of a list and gets so many records.
    pub(crate) fn page(self, start: u64, count: u64, received: u64) -> Self {
        self.with(|call| {
            call.page =
                Some(Page { list: 1, start, count: Some(count), received: Some(received), total: None });
        })
    }

    pub(crate) fn key_in_query(self) -> Self {
        self.with(|call| call.has_key_in_query = true)
    }

    /// Its key may send so many requests in a window.
    pub(crate) fn rate_limit(mut self, requests: u32, window: u64) -> Self {
        self.record.rate_limits.insert(KEY.to_owned(), RateLimit { requests, window: millis(window) });
        self
    }

    /// The command ends with that code.
    pub(crate) fn exit(mut self, exit: i32) -> Self {
        let (argv, signal) = (vec!["client".to_owned()], None);
        self.record.command = Some(Command { argv, exit, signal, timed_out: false, duration: millis(1) });
        self
    }

    pub(crate) fn timed_out(self) -> Self {
        let mut script = self.exit(124);
        script.record.command.as_mut().unwrap().timed_out = true;
        script
    }

    pub(crate) fn dropped(mut self, calls: u64, deliveries: u64) -> Self {
        (self.record.dropped, self.record.deliveries_dropped) = (calls, deliveries);
        self
    }

    pub(crate) fn set(mut self, rule: &str, limits: &[(&str, Limit)]) -> Self {
        let limits = limits.iter().map(|(name, limit)| ((*name).to_owned(), *limit)).collect();
        self.record.scorecard.0.insert(rule.to_owned(), Setting::Limits(limits));
        self
    }

    pub(crate) fn off(mut self, rule: &str) -> Self {
        self.record.scorecard.0.insert(rule.to_owned(), Setting::Off);
        self
    }

    /// A delivery of an event of a conversation.
    pub(crate) fn delivery(mut self, event: &str, conversation: &str) -> Self {
        let number = self.deliveries.len() + 1;
        let identity = Identity {
            name: event,
            business: 100,
            conversation: Some(conversation),
            occurrence: 1,
            at: Moment(0),
        };
        let content = Content::default();
        let event = Event::new(format!("evt_{number}"), identity, content, &Arc::default(), &Arc::default());
        self.deliveries.push(Delivery {
            id: format!("dlv_{number}"),
            event: Arc::new(event),
            subscription: 1,
            endpoint: "http://127.0.0.1:9/".into(),
            by_page: false,
            status: Status::Delivered,
            reason: None,
            attempts: Vec::new(),
            body_size: 0,
        });
        self
    }

    /// An attempt of it.
    pub(crate) fn attempt(mut self, at: u64, took: u64, status: u16) -> Self {
        let answer = Answer { status, headers: Vec::new(), body: bytes::Bytes::new(), lost: 0 };
        self.deliveries.last_mut().unwrap().attempts.push(Attempt {
            at: Moment(0),
            elapsed: millis(at),
            sent: Moment(1_000_000_000),
            fault: None,
            headers: Vec::new(),
            cut: None,
            outcome: Some(Outcome {
                result: Ok(answer),
                took: Duration::from_millis(took).as_secs_f64() * 1000.0,
            }),
        });
        self
    }

    fn last_attempt(&mut self) -> &mut Attempt {
        self.deliveries.last_mut().unwrap().attempts.last_mut().unwrap()
    }

    /// The attempt is signed, its timestamp so many seconds old.
    pub(crate) fn signed(mut self, age: i64) -> Self {
        let stamp = (1_000_000 - age).to_string();
        self.last_attempt().headers =
            vec![("webhook-timestamp", stamp), ("webhook-signature", "v1,x".to_owned())];
        self
    }

    pub(crate) fn attempt_fault(mut self, fault: DeliveryEffect) -> Self {
        self.last_attempt().fault = Some(fault);
        self
    }

    /// The attempt was not answered.
    pub(crate) fn failed(mut self, why: &str) -> Self {
        if let Some(outcome) = &mut self.last_attempt().outcome {
            outcome.result = Err(why.to_owned());
        }
        self
    }
}
