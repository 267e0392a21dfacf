//! Scenarios in memory, and requests that go through the pipeline, from as many threads as a test wants.

use std::io::Result;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use proptest::test_runner::{Config, RngSeed};
use serde_json::{Value, json};

use crate::api::call::{Body, Call};
use crate::clock::{Moment, TimeSource};
use crate::draw::{Draw, Seed};
use crate::fault::transmission::Transmission;
use crate::pipeline;
use crate::pipeline::receive::receive;
use crate::pipeline::record::Outcome;
use crate::reload::status::{Entry, LoadEvent, LoadStatus, Refused};
use crate::reload::{Setup, read};
use crate::scenario::files::{Files, Memory};
use crate::world::World;
use crate::world::create::{Start, WorldRequest};
use crate::world::registry::Registry;
use crate::world::shared::Shared;

/// The seed is fixed, so that a test that passes once always passes.
pub(crate) fn cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(42), ..Config::default() }
}

/// Files in memory that change between loads.
#[derive(Clone, Default)]
pub(crate) struct SharedFiles(pub(crate) Arc<Mutex<Memory>>);

impl Files for SharedFiles {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>> {
        self.0.lock().unwrap().read(path, limit)
    }

    fn list(&self, folder: &Path) -> Result<Vec<(PathBuf, bool)>> {
        self.0.lock().unwrap().list(folder)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.0.lock().unwrap().is_folder(path)
    }

    fn stamp(&self, path: &Path) -> u64 {
        self.0.lock().unwrap().stamp(path)
    }
}

/// The folder `/s` in memory, served as the program serves a folder; a test decides when it is loaded again.
pub(crate) struct ScenarioFolder {
    pub(crate) files: SharedFiles,
    pub(crate) setup: Setup,
    pub(crate) status: LoadStatus,
    pub(crate) registry: Registry,
}

impl ScenarioFolder {
    /// Loads the folder for the first time. The first scenario by name is the default.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::at(TimeSource::default(), files)
    }

    /// Loads the folder for the first time, at an instant that stands in for the system's time.
    pub(crate) fn at(time: TimeSource, files: &[(&str, &str)]) -> Self {
        let shared = SharedFiles::default();
        let setup = Setup {
            files: Box::new(shared.clone()),
            paths: vec!["/s".into()],
            root: None,
            cwd: "/".into(),
            random: Seed(99),
            time: time.clone(),
            keeps: true,
        };
        let texts: Vec<(String, &str)> =
            files.iter().map(|(name, text)| (format!("/s/{name}"), *text)).collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        *shared.0.lock().unwrap() = Memory::new(&texts);
        let (status, mut snapshots) = (LoadStatus::default(), Vec::new());
        status.apply(&setup, read(&setup), |snapshot| snapshots.push(snapshot));
        let default = snapshots[0].scenario.clone();
        let mut common = Shared::default();
        common.time = time;
        let registry = Registry::new(&default, snapshots, common).unwrap();
        Self { files: shared, setup, status, registry }
    }

    /// Sets what stands in for the system's time.
    pub(crate) fn set_time(&self, instant: &str) {
        self.setup.time.set(Moment::from_scenario(instant).unwrap());
    }

    /// Saves a file and loads the folder again.
    pub(crate) fn save(&self, name: &str, text: &str) -> Vec<LoadEvent> {
        self.write(name, text);
        self.load()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        self.files.0.lock().unwrap().0.insert(format!("/s/{name}").into(), text.into());
    }

    /// Deletes a file and loads the folder again.
    pub(crate) fn delete(&self, name: &str) -> Vec<LoadEvent> {
        self.remove(name);
        self.load()
    }

    pub(crate) fn remove(&self, name: &str) {
        assert!(self.files.0.lock().unwrap().0.remove(Path::new(&format!("/s/{name}"))).is_some());
    }

    pub(crate) fn load(&self) -> Vec<LoadEvent> {
        self.status.apply(&self.setup, read(&self.setup), |snapshot| self.registry.apply(&snapshot))
    }

    /// Replaces a scenario as `PUT /__admin/scenarios/{name}` does. Returns the codes of the errors.
    pub(crate) fn replace(&self, name: &str, text: &str) -> Vec<&'static str> {
        match self.send(name, text) {
            Ok(_) => Vec::new(),
            Err(Refused::Wrong(problems)) => problems.iter().map(|problem| problem.code).collect(),
            Err(other) => panic!("{other:?}"),
        }
    }

    /// Sends a scenario as `PUT /__admin/scenarios/{name}` does. Returns whether it is new.
    pub(crate) fn send(&self, name: &str, text: &str) -> std::result::Result<bool, Refused> {
        let datasets = &self.registry.shared.datasets;
        let sent =
            self.status.send(&self.setup, (name, text), datasets, |snapshot| self.registry.apply(&snapshot));
        sent.map(|(_, is_new)| is_new)
    }

    pub(crate) fn entry(&self, name: &str) -> Entry {
        let entries = self.status.entries();
        let names: Vec<&String> = entries.iter().map(|entry| &entry.name).collect();
        entries.iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("{names:?}")).clone()
    }

    pub(crate) fn is_degraded(&self) -> bool {
        self.status.entries().iter().any(Entry::is_degraded)
    }

    /// The number of reviews that a world has of business 1.
    pub(crate) fn reviews(&self, world: &str) -> usize {
        let path = format!("/w/{world}/v1/review/businessId/1");
        let answer = self.call(&path, "count=1000", "", &json!({"statuses": ["all"]}));
        answer.as_array().unwrap_or_else(|| panic!("{answer}")).len()
    }

    pub(crate) fn call(
        &self,
        path: &str,
        query: &str,
        number: &str,
        body: &serde_json::Value,
    ) -> serde_json::Value {
        let body = body.to_string();
        let call = Call {
            method: "POST",
            path,
            query,
            headers: vec![("x-api-key", b"k"), ("x-business-number", number.as_bytes())],
            body: Body::Whole(body.as_bytes()),
            connection: 0,
        };
        let reply = match receive(&self.registry, call) {
            Ok(received) => pipeline::answer(&received, received.snapshot.dataset()).reply,
            Err(reply) => reply,
        };
        serde_json::from_slice(&reply.body).unwrap()
    }
}

/// An instant that stands in for the system's time.
pub(crate) fn time(instant: &str) -> TimeSource {
    TimeSource::new(Moment::from_scenario(instant))
}

/// Threads that send at once.
pub(crate) const THREADS: usize = 32;

/// A request that can be sent again and again.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The path below the world's base URL.
    pub(crate) path: &'static str,
    pub(crate) query: String,
    /// Names in lower case and values.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Request {
    /// A request with the key `k` that asks for the headers that explain the decision about faults.
    pub(crate) fn new(path: &'static str, query: impl Into<String>, body: &Value) -> Self {
        let headers = vec![("x-api-key", "k".to_owned()), ("x-standin-trace", "1".to_owned())];
        Self { path, query: query.into(), headers, body: body.to_string() }
    }

    /// A request for the unanswered questions of account 1. Requests of different numbers differ in a query parameter that no operation reads.
    pub(crate) fn numbered(number: usize) -> Self {
        Self::new("/v1/qna/unanswered/get", format!("businessId=1&n={number}"), &json!({}))
    }

    /// Sets a header, replacing the one of the same name.
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.into()));
        self
    }

    /// Sends the request to a world.
    pub(crate) fn send(&self, registry: &Registry, world: &str) -> Outcome {
        let path = format!("/w/{world}{}", self.path);
        let call = Call {
            method: "POST",
            path: &path,
            query: &self.query,
            headers: self.headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect(),
            body: Body::Whole(self.body.as_bytes()),
            connection: 0,
        };
        let received = receive(registry, call).unwrap();
        pipeline::answer(&received, received.snapshot.dataset())
    }
}

/// Serves one scenario, under the name `a`.
pub(crate) fn serve(text: &str) -> ScenarioFolder {
    ScenarioFolder::new(&[("a.yaml", text)])
}

/// Creates a world of the default scenario.
pub(crate) fn create_world(folder: &ScenarioFolder, name: &str, seed: Option<u64>) -> Arc<World> {
    let start = Start { seed: seed.map(Seed), ..Start::default() };
    let wanted = WorldRequest { name: Some(name.to_owned()), scenario: None, start };
    folder.registry.make(wanted).unwrap()
}

/// The value of a header of the response.
pub(crate) fn header<'a>(outcome: &'a Outcome, name: &str) -> Option<&'a str> {
    outcome.reply.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
}

/// The value of a header that holds a number.
pub(crate) fn number(outcome: &Outcome, name: &str) -> f64 {
    header(outcome, name).unwrap_or_else(|| panic!("no {name}: {outcome:?}")).parse().unwrap()
}

/// Whether a fault applied: the response names it, or is not sent as it is.
pub(crate) fn is_faulted(outcome: &Outcome) -> bool {
    header(outcome, "x-standin-fault").is_some() || outcome.send_plan.transmission != Transmission::Plain
}

/// The numbers from 0 up to `count`, shuffled.
pub(crate) fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut draw = Draw::new(Seed(seed), "test order");
    for last in (1..count).rev() {
        order.swap(last, usize::try_from(draw.below(last as u64 + 1)).unwrap());
    }
    order
}

/// Calls a function for each item of a list, on threads that start together and take the next item when they are done. Returns each item with its
/// result, in no particular order.
pub(crate) fn in_parallel<T: Copy + Send + Sync, R: Send>(
    threads: usize,
    list: &[T],
    function: impl Fn(T) -> R + Sync,
) -> Vec<(T, R)> {
    let (next, start, done) = (AtomicUsize::new(0), Barrier::new(threads), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                start.wait();
                let mut own = Vec::new();
                while let Some(item) = list.get(next.fetch_add(1, Ordering::Relaxed)) {
                    own.push((*item, function(*item)));
                }
                done.lock().unwrap().append(&mut own);
            });
        }
    });
    done.into_inner().unwrap()
}

/// Sends a request, such as `GET /v1/x?a=1`, through the pipeline.
pub(super) fn send_with(
    folder: &ScenarioFolder,
    request: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Outcome {
    let (method, target) = request.split_once(' ').unwrap();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let call = Call {
        method,
        path,
        query,
        headers: headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect(),
        body: Body::Whole(body.as_bytes()),
        connection: 0,
    };
    let received = receive(&folder.registry, call).unwrap();
    pipeline::answer(&received, received.snapshot.dataset())
}

pub(super) fn json_of(outcome: &Outcome) -> Value {
    serde_json::from_slice(&outcome.reply.body)
        .unwrap_or_else(|_| panic!("{:?}", String::from_utf8_lossy(&outcome.reply.body)))
}

/// The demo with its data, at a fixed instant, and a scenario beside it.
pub(super) fn shipped(name: &str) -> ScenarioFolder {
    let files: Vec<(&str, &str)> = crate::scenario::shipped::FILES
        .iter()
        .filter_map(|(path, bytes)| Some((*path, std::str::from_utf8(bytes).ok()?)))
        .filter(|(path, _)| {
            path.starts_with("seed-data/")
                || path.starts_with("scenarios/parts/")
                || *path == "scenarios/demo.yaml"
                || *path == format!("scenarios/{name}.yaml")
        })
        .collect();
    ScenarioFolder::at(time("2026-06-30T17:00:00Z"), &files)
}
