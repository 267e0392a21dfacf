//! Standin within a Rust test: a server on a free port, a world for each test, and the calls of the client as values.

use std::fmt::{self, Debug, Display, Write};
use std::net::{SocketAddr, TcpListener};
use std::ops::RangeBounds;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::clock::{Moment, TimeSource};
use crate::draw::Seed;
use crate::journal::filter::Filter;
use crate::journal::json::Origin;
use crate::journal::{json, notes};
use crate::reload::status::LoadStatus;
use crate::reload::{self, Setup};
use crate::scenario::files::{Disk, Files, Memory};
use crate::scenario::render;
use crate::server::admin::{contacts, subscriptions, verify};
use crate::server::bind::{self, Running, Settings};
use crate::server::state::State;
use crate::webhook::client::{Http, System};
use crate::webhook::engine::{ClockMove, EngineThread};
use crate::world::World as Run;
use crate::world::create::{CreateError, Start, WorldRequest};
use crate::world::registry::Registry;
use crate::world::shared::Shared;

/// A fake backend that runs in this process, for tests.
///
/// Dropping it stops the server, cuts open requests, and waits until its threads have ended.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use standin::{Filter, Standin};
///
/// let standin = Standin::start("scenarios/faults/first-try-fails.yaml").await?;
/// let world = standin.world()?;
///
/// // What your client does, with `world.base_url()` and `world.api_key()`:
/// let url = format!("{}/v1/review/businessId/100", world.base_url());
/// let call = || ureq::post(&url).header("x-api-key", world.api_key()).send_empty();
/// assert!(call().is_err(), "the first try fails");
/// assert_eq!(call()?.status(), 200);
///
/// world.verify(&Filter { status: Some(200), ..Filter::default() }, 1..=1)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Standin {
    // Dropped in this order: no request may come when the webhooks stop.
    running: Running,
    _webhooks: EngineThread,
    registry: Arc<Registry>,
}

/// Why the clock of a world was not advanced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAdvanced(String);

impl Display for NotAdvanced {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for NotAdvanced {}

/// Why no server was started. Its text has all errors of the scenario with file and line, or says what else failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotStarted(String);

impl Display for NotStarted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for NotStarted {}

impl Standin {
    /// Serves a scenario file, or a folder of them, on a free port of 127.0.0.1. The files are read once; later changes
    /// are not reloaded. The default scenario is the one named `demo`, or else the first by name.
    ///
    /// # Errors
    /// A scenario has an error, there is no scenario, or the system allows no further socket or thread.
    pub async fn start(scenario: impl AsRef<Path>) -> Result<Self, NotStarted> {
        Self::serve(Box::new(Disk), scenario.as_ref().to_owned(), TimeSource::default()).await
    }

    /// Serves a scenario file or folder as [`start`](Self::start) does, with an instant in place of the system's clock, such as
    /// `2026-06-30T17:00:00Z`: what is relative to the present is the same on every day.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use standin::Standin;
    ///
    /// let standin = Standin::start_at("scenarios/demo.yaml", "2026-06-30T17:00:00Z").await?;
    /// assert!(standin.world()?.now() >= 1_782_838_800_000);
    /// assert!(Standin::start_at("scenarios/demo.yaml", "noon").await.is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The instant cannot be read; further as for [`start`](Self::start).
    pub async fn start_at(scenario: impl AsRef<Path>, now: &str) -> Result<Self, NotStarted> {
        let now = Moment::from_scenario(now)
            .ok_or_else(|| NotStarted(format!("`{now}` is no instant such as 2026-06-30T17:00:00Z")))?;
        Self::serve(Box::new(Disk), scenario.as_ref().to_owned(), TimeSource::new(Some(now))).await
    }

    /// Serves a scenario given as YAML text, on a free port of 127.0.0.1. It cannot include other files.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), standin::NotStarted> {
    /// use standin::Standin;
    ///
    /// let yaml = "standin: 1\nbusinesses: [{number: 7, name: Bakery, locations: [{number: 71, name: Mill Street}]}]";
    /// let standin = Standin::of_text(yaml).await?;
    /// assert!(standin.base_url().starts_with("http://127.0.0.1:"));
    ///
    /// let error = Standin::of_text("standin: 1\nbusineses: []").await.unwrap_err();
    /// assert!(error.to_string().contains("did you mean `businesses`"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The scenario has an error, or the system allows no further socket or thread.
    pub async fn of_text(yaml: &str) -> Result<Self, NotStarted> {
        let files = Box::new(Memory::new(&[("/scenario.yaml", yaml)]));
        Self::serve(files, PathBuf::from("/scenario.yaml"), TimeSource::default()).await
    }

    async fn serve(files: Box<dyn Files>, path: PathBuf, time: TimeSource) -> Result<Self, NotStarted> {
        let failed = |what: &'static str| move |error| NotStarted(format!("cannot {what}: {error}"));
        let random = Seed::random().map_err(|error| {
            NotStarted(format!("cannot get a random number from the operating system: {error}"))
        })?;
        let cwd = std::env::current_dir().map_err(failed("find the working directory"))?;
        let setup = Setup { files, paths: vec![path], root: None, cwd, random, time, keeps: false };
        let (registry, board) = load(&setup)?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(failed("listen on 127.0.0.1"))?;
        let address = listener.local_addr().map_err(failed("listen on 127.0.0.1"))?;
        let client = Arc::new(Http::new(Box::new(System), Box::new(System)));
        let webhooks = registry.shared.engine.start(client, address).map_err(failed("start a thread"))?;
        let state = State::local(Arc::clone(&registry), Arc::new(board), Arc::new(setup));
        let settings = Settings::local(2);
        let running = bind::start(listener, state, settings).await.map_err(failed("start the server"))?;
        Ok(Self { running, _webhooks: webhooks, registry })
    }

    /// The address that the server listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.running.address()
    }

    /// The base URL of the default scenario, without a slash at its end. Tests that must not see each other's data take
    /// a [world](Self::world) each instead.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// The URL of the admin API, without a slash at its end.
    #[must_use]
    pub fn admin_url(&self) -> String {
        format!("{}/__admin", self.base_url())
    }

    /// Creates a world of the default scenario, which shares nothing with other worlds. This takes microseconds. The
    /// world lives as long as the `Standin`.
    ///
    /// # Errors
    /// There are 100,000 worlds already.
    pub fn world(&self) -> Result<World, CreateError> {
        self.world_with(WorldOptions::default())
    }

    /// Creates a world with a given name, scenario or seed.
    ///
    /// # Errors
    /// The name is taken or not valid, the scenario does not exist, or there are too many worlds or large datasets.
    pub fn world_with(&self, options: WorldOptions) -> Result<World, CreateError> {
        let WorldOptions { name, scenario, seed } = options;
        let start = Start { seed: seed.map(Seed), ..Start::default() };
        let run = self.registry.make(WorldRequest { name, scenario, start })?;
        let base_url = format!("{}/w/{}", self.base_url(), run.name);
        Ok(World { run, base_url })
    }
}

fn load(setup: &Setup) -> Result<(Arc<Registry>, LoadStatus), NotStarted> {
    let reading = reload::read(setup);
    let folder = &reading.folder;
    if folder.has_errors() {
        let diagnostics =
            folder.all_diagnostics().map(|diagnostic| render::human(diagnostic, false) + "\n\n");
        return Err(NotStarted(diagnostics.collect()));
    }
    let missing = || NotStarted(format!("there is no scenario in {}", setup.paths[0].display()));
    let default = folder.default_name().ok_or_else(missing)?.to_owned();
    let (board, mut snapshots) = (LoadStatus::default(), Vec::new());
    board.apply(setup, reading, |snapshot| snapshots.push(snapshot));
    let mut shared = Shared::default();
    shared.time = setup.time.clone();
    let registry = Registry::new(&default, snapshots, shared).map_err(|_| missing())?;
    Ok((Arc::new(registry), board))
}

/// How a world is created. What is `None` is as in the default scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldOptions {
    /// Name of the world, by default `world-1`, `world-2` and so on: 1 to 64 letters, digits, `.`, `_` or `-`, with a
    /// letter or digit first.
    pub name: Option<String>,
    /// Name of its scenario.
    pub scenario: Option<String>,
    /// Seed of its generated data and of its random draws.
    pub seed: Option<u64>,
}

/// An isolated run of a scenario, with its own contacts, subscriptions, rate limits, clock, faults and journal.
#[derive(Clone, Debug)]
pub struct World {
    run: Arc<Run>,
    base_url: String,
}

impl World {
    /// The name of the world.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.run.name
    }

    /// The base URL that the client under test is configured with, without a slash at its end.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// An API key of this world. It covers all accounts and has no rate limit.
    #[must_use]
    pub fn api_key(&self) -> &str {
        self.run.minted.as_ref().map_or("", |key| &key.key)
    }

    /// The seed of its generated data and of its random draws.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.run.snapshot().seed.0
    }

    /// The time of its virtual clock, in milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.run.run().clock.now().0
    }

    /// Moves its virtual clock forward, by whole milliseconds. Rate limits and the `during` of faults follow the clock,
    /// and webhooks that fall due are sent before this returns. Returns how many of them are still not answered after ten
    /// seconds of real time, which is 0 unless a receiver is slow.
    ///
    /// # Errors
    /// More than a million events of the scenario's timeline would be due.
    ///
    /// This must be awaited within a tokio runtime that has its timer enabled, as `#[tokio::test]` and
    /// `#[actix_web::test]` provide.
    pub async fn advance(&self, span: Duration) -> Result<usize, NotAdvanced> {
        let pending = self.run.run().move_clock(ClockMove::By(span), Duration::from_secs(10)).await;
        pending.map_err(|error| NotAdvanced(error.to_string()))
    }

    /// Resets the world to its start: its data, clock, faults and counters are as when it was created, and its journal is
    /// empty.
    pub fn reset(&self) {
        self.run.reset(None);
    }

    /// The stored contacts, in the field names of the API.
    #[must_use]
    pub fn contacts(&self) -> Vec<Value> {
        contacts::all(&self.run).into_iter().map(|contact| json!(contact)).collect()
    }

    /// The stored webhook subscriptions, in the field names of the API.
    #[must_use]
    pub fn subscriptions(&self) -> Vec<Value> {
        subscriptions::all(&self.run).into_iter().map(|subscription| json!(subscription)).collect()
    }

    /// The requests that this world received and how it answered them, oldest first, as far as the filter accepts them.
    /// Each entry has the fields of `GET /__admin/worlds/{world}/requests`, such as `operation`, `status` and `body`.
    /// The journal keeps the newest 8 MiB.
    #[must_use]
    pub fn calls(&self, filter: &Filter) -> Vec<Value> {
        let entries = self.run.run().journal.read().entries;
        let notes = notes::of(&entries);
        let minted = Some(self.api_key());
        let origin = Origin { world: self.name(), minted, secrets: self.run.secrets() };
        let matching = entries.iter().zip(&notes).filter(|(entry, _)| filter.matches(entry, minted));
        matching.map(|(entry, notes)| json::entry_json(entry, notes, origin)).collect()
    }

    /// Checks what is expected of the client: a list of expectations as a scenario has them, as YAML or JSON. An empty text
    /// stands for the expectations of the world's scenario.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let standin = standin::Standin::start("scenarios/faults/first-try-fails.yaml").await?;
    /// let world = standin.world()?;
    ///
    /// // After your client has run:
    /// world.expect("[{after: {status: 503}, retries: 1}]")?;
    /// assert!(world.expect("[{requests: {operation: qna}, count: 1}]").is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// An expectation does not hold, or the list has a mistake. The text of the error says which and why.
    pub fn expect(&self, expectations: &str) -> Result<(), Unmet> {
        let results =
            verify::verify_now(&self.run, expectations).map_err(|error| Unmet(error.to_string()))?;
        let failed = results.iter().filter(|result| !result.passed);
        let lines: Vec<String> =
            failed.map(|result| format!("{}: {}", result.name, result.message)).collect();
        if lines.is_empty() { Ok(()) } else { Err(Unmet(lines.join("\n"))) }
    }

    /// Checks how many requests the filter accepts, and returns that number.
    ///
    /// # Errors
    /// The number is not in `counts`. The text of the error lists all requests of the world.
    pub fn verify(&self, filter: &Filter, counts: impl RangeBounds<usize> + Debug) -> Result<usize, Unmet> {
        let found = self.calls(filter).len();
        if counts.contains(&found) {
            return Ok(found);
        }
        let mut report = format!("{found} requests match, but {counts:?} are expected; all requests:");
        for call in self.calls(&Filter::default()) {
            let text = |name: &str| call[name].as_str().unwrap_or("-").to_owned();
            let number = |name: &str| call[name].as_u64().map_or("-".to_owned(), |number| number.to_string());
            let _ = write!(
                report,
                "\n{:>5} {} {} -> {} code {} fault {} {}",
                number("seq"),
                text("method"),
                text("path"),
                number("status"),
                number("code"),
                text("fault"),
                text("key"),
            );
        }
        Err(Unmet(report))
    }
}

/// What the client did was not as expected. Its text says why; for a number of requests, it lists all requests of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet(String);

impl Display for Unmet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Unmet {}
