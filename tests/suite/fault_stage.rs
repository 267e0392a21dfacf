//! Faults in process: scenarios in memory, requests through the pipeline, from as many threads as wanted.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use serde_json::Value;
use standin::api::call::{Body, Call};
use standin::draw::{Draw, Seed};
use standin::fault::transmission::Transmission;
use standin::pipeline::{self, Outcome};
use standin::world::World;
use standin::world::registry::Registry;
use standin::world::wanted::{Start, WorldRequest};

use crate::reload::Followed;

/// How many threads send at once.
pub const THREADS: usize = 32;

/// A request that can be sent again and again.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The path, without a world.
    pub path: &'static str,
    /// The query.
    pub query: String,
    /// Header names in lower case with their values.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

impl Sent {
    /// A request of key `k`, which asks to be told how it was decided.
    pub fn new(path: &'static str, query: impl Into<String>, body: &Value) -> Self {
        let headers = vec![("x-api-key", "k".to_owned()), ("x-standin-trace", "1".to_owned())];
        Self { path, query: query.into(), headers, body: body.to_string() }
    }

    /// A request for the unanswered questions of account 1, told from others by a parameter that nobody reads.
    pub fn numbered(number: usize) -> Self {
        Self::new("/v1/qna/unanswered/get", format!("businessId=1&n={number}"), &serde_json::json!({}))
    }

    /// With a header, in place of the one that is there.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.into()));
        self
    }

    /// Sends it to a world.
    pub fn to(&self, registry: &Registry, world: &str) -> Outcome {
        let path = format!("/w/{world}{}", self.path);
        let mut call = Call {
            method: "POST",
            path: &path,
            query: &self.query,
            headers: self.headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect(),
            body: Body::Whole(self.body.as_bytes()),
        };
        let located = pipeline::locate::locate(registry, &mut call).unwrap();
        pipeline::respond(&located, located.snapshot.dataset(), &call)
    }
}

/// A scenario in memory, the only one; its faults are what follows.
pub fn followed(text: &str) -> Followed {
    Followed::new(&[("a.yaml", text)])
}

/// A world made for a test.
pub fn world(followed: &Followed, name: &str, seed: Option<u64>) -> Arc<World> {
    let start = Start { seed: seed.map(Seed), ..Start::default() };
    let wanted = WorldRequest { name: Some(name.to_owned()), scenario: None, start };
    followed.registry.make(wanted).unwrap()
}

/// A header of an outcome.
pub fn header<'a>(outcome: &'a Outcome, name: &str) -> Option<&'a str> {
    outcome.reply.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
}

/// A header of an outcome that is a number.
pub fn number(outcome: &Outcome, name: &str) -> f64 {
    header(outcome, name).unwrap_or_else(|| panic!("no {name}: {outcome:?}")).parse().unwrap()
}

/// Whether a fault struck: the answer names it, or is never sent.
pub fn struck(outcome: &Outcome) -> bool {
    header(outcome, "x-standin-fault").is_some() || outcome.sending.manner != Transmission::Plain
}

/// The first numbers, shuffled.
pub fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut draw = Draw::new(Seed(seed), "test order");
    for last in (1..count).rev() {
        order.swap(last, usize::try_from(draw.below(last as u64 + 1)).unwrap());
    }
    order
}

/// Does something with each of a list, on so many threads that begin at once, each taking the next when it is done.
/// Results come with their element, in no order.
pub fn storm<T: Copy + Send + Sync, R: Send>(
    threads: usize,
    list: &[T],
    act: impl Fn(T) -> R + Sync,
) -> Vec<(T, R)> {
    let (next, start, done) = (AtomicUsize::new(0), Barrier::new(threads), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                start.wait();
                let mut own = Vec::new();
                while let Some(one) = list.get(next.fetch_add(1, Ordering::Relaxed)) {
                    own.push((*one, act(*one)));
                }
                done.lock().unwrap().append(&mut own);
            });
        }
    });
    done.into_inner().unwrap()
}
