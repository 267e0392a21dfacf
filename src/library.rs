//! Standin within a Rust test: a server on a free port, a world for each test, and what the client did as values.

use std::fmt::{self, Debug, Display, Write};
use std::net::{SocketAddr, TcpListener};
use std::ops::RangeBounds;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::clock::Moment;
use crate::draw::Seed;
use crate::journal::filter::Filter;
use crate::journal::shown::Origin;
use crate::journal::{notes, shown};
use crate::reload::status::LoadStatus;
use crate::reload::{self, Setup};
use crate::scenario::files::{Disk, Files, Memory};
use crate::scenario::render;
use crate::server::admin::{contacts, subscriptions};
use crate::server::bind::{self, Running, Settings};
use crate::server::metrics::Metrics;
use crate::server::state::State;
use crate::webhook::client::{Http, System};
use crate::world::World as Run;
use crate::world::registry::Registry;
use crate::world::shared::Shared;
use crate::world::wanted::{CreateError, WorldRequest};

/// A server in this process. It stops when it is dropped.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use standin::journal::filter::Filter;
///
/// let standin = standin::Standin::start("scenarios/faults/first-try-fails.yaml").await?;
/// let world = standin.world()?;
///
/// // What your client does, with `world.base_url()` and `world.api_key()`:
/// let url = format!("{}/v1/review/businessId/100", world.base_url());
/// let call = || ureq::post(&url).header("x-api-key", world.api_key()).send_empty();
/// assert!(call().is_err(), "every first try fails");
/// assert_eq!(call()?.status(), 200);
///
/// world.verify(&Filter { status: Some(200), ..Filter::default() }, 1..=1)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Standin {
    registry: Arc<Registry>,
    running: Running,
}

/// Why no server was started: what is wrong with the scenario, as `standin check` tells it, or with the port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotStarted(String);

impl Display for NotStarted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for NotStarted {}

impl Standin {
    /// Serves a scenario file, or a folder of them, on a free port of 127.0.0.1. The file is read once and not followed.
    ///
    /// # Errors
    /// Where the scenario has errors, or no socket can be had.
    pub async fn start(scenario: impl AsRef<Path>) -> Result<Self, NotStarted> {
        Self::serve(Box::new(Disk), scenario.as_ref().to_owned()).await
    }

    /// Serves a scenario from its YAML.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), standin::library::NotStarted> {
    /// let yaml = "standin: 1\nbusinesses: [{number: 7, name: Bakery, locations: [{number: 71, name: Mill Street}]}]";
    /// let standin = standin::Standin::of_text(yaml).await?;
    /// assert!(standin.base_url().starts_with("http://127.0.0.1:"));
    ///
    /// let typo = standin::Standin::of_text("standin: 1\nbusineses: []").await;
    /// assert!(typo.unwrap_err().to_string().contains("did you mean `businesses`"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Where the scenario has errors, or no socket can be had.
    pub async fn of_text(yaml: &str) -> Result<Self, NotStarted> {
        Self::serve(Box::new(Memory::new(&[("/scenario.yaml", yaml)])), PathBuf::from("/scenario.yaml")).await
    }

    async fn serve(files: Box<dyn Files>, path: PathBuf) -> Result<Self, NotStarted> {
        let random = Seed::random().map_err(|error| NotStarted(format!("no random seed: {error}")))?;
        let cwd =
            std::env::current_dir().map_err(|error| NotStarted(format!("no working directory: {error}")))?;
        let setup = Setup { files, paths: vec![path], root: None, cwd, random };
        let (registry, board) = load(&setup)?;
        let socket = |error: std::io::Error| NotStarted(format!("cannot listen on 127.0.0.1: {error}"));
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(socket)?;
        let own = listener.local_addr().map_err(socket)?;
        let client = Arc::new(Http::new(Box::new(System), Box::new(System)));
        registry.shared.engine.start(client, own).map_err(socket)?;
        let state = State {
            registry: Arc::clone(&registry),
            board: Arc::new(board),
            setup: Arc::new(setup),
            admin_token: None,
            admin: true,
            metrics: Metrics::default(),
            log: None,
        };
        let settings = Settings { workers: 2, grace: Duration::ZERO };
        let running = bind::start(listener, state, settings).await.map_err(socket)?;
        Ok(Self { registry, running })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.running.address()
    }

    /// The base URL of the default scenario's standing world.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// The URL under which the admin side is.
    #[must_use]
    pub fn admin_url(&self) -> String {
        format!("{}/__admin", self.base_url())
    }

    /// Makes a world of the default scenario, which no other test sees. That takes microseconds.
    ///
    /// # Errors
    /// Where there are too many.
    pub fn world(&self) -> Result<World, CreateError> {
        self.world_with(WorldRequest::default())
    }

    /// Makes a world as wanted: of a name, a scenario, a seed.
    ///
    /// # Errors
    /// Where there is one of that name, or no such scenario.
    pub fn world_with(&self, wanted: WorldRequest) -> Result<World, CreateError> {
        let run = self.registry.make(wanted)?;
        let base_url = format!("{}/w/{}", self.base_url(), run.name);
        Ok(World { run, base_url })
    }
}

fn load(setup: &Setup) -> Result<(Arc<Registry>, LoadStatus), NotStarted> {
    let reading = reload::read(setup);
    if reading.folder.has_errors() {
        let shown = reading.folder.all_diagnostics().map(|problem| render::human(problem, false) + "\n\n");
        return Err(NotStarted(shown.collect()));
    }
    let good: Vec<String> = reading
        .folder
        .scenarios
        .iter()
        .filter_map(|loaded| Some(loaded.scenario.as_ref()?.name.clone()))
        .collect();
    let demo = good.iter().find(|name| *name == "demo").or(good.first()).cloned();
    let default =
        demo.ok_or_else(|| NotStarted(format!("no scenario is in {}", setup.paths[0].display())))?;
    let (board, mut snapshots) = (LoadStatus::default(), Vec::new());
    board.apply(setup, reading, |snapshot| snapshots.push(snapshot));
    match Registry::new(&default, snapshots, Shared::default()) {
        Ok(registry) => Ok((Arc::new(registry), board)),
        Err(_) => Err(NotStarted(format!("no scenario is named {default}"))),
    }
}

/// An isolated run of a scenario, with its own contacts, counters, clock and journal.
#[derive(Clone, Debug)]
pub struct World {
    run: Arc<Run>,
    base_url: String,
}

impl World {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.run.name
    }

    /// What a client takes for the API's base URL.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// A key that covers all accounts, without a rate limit.
    #[must_use]
    pub fn api_key(&self) -> &str {
        self.run.minted.as_ref().map_or("", |key| &key.key)
    }

    /// The seed of its data and its draws.
    #[must_use]
    pub fn seed(&self) -> Seed {
        self.run.snapshot().seed
    }

    /// Its time.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.run.clock.now()
    }

    /// Moves its clock forward: rate limits and `during` follow, and what falls due is delivered before this is over.
    /// Gives how many deliveries are still awaited after ten seconds of real time.
    pub async fn advance(&self, span: Duration) -> usize {
        let now = self.run.clock.now();
        let to = Moment(now.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)));
        self.run.advance(to, Duration::from_secs(10)).await
    }

    /// Brings it back to its start.
    pub fn reset(&self) {
        self.run.reset(None);
    }

    /// The contacts stored, in the API's field names.
    #[must_use]
    pub fn contacts(&self) -> Vec<Value> {
        contacts::all(&self.run)
    }

    /// The webhook subscriptions stored, in the API's field names.
    #[must_use]
    pub fn subscriptions(&self) -> Vec<Value> {
        subscriptions::all(&self.run)
    }

    /// Entries of its journal, in order, as `GET …/requests` shows them.
    #[must_use]
    pub fn calls(&self, filter: &Filter) -> Vec<Value> {
        let entries = self.run.journal.read().entries;
        let notes = notes::of(&entries);
        let minted = Some(self.api_key());
        let origin = Origin { world: self.name(), minted };
        let matching = entries.iter().zip(&notes).filter(|(entry, _)| filter.takes(entry, minted));
        matching.map(|(entry, notes)| shown::json(entry, notes, origin)).collect()
    }

    /// Says how many calls there were that a filter takes.
    ///
    /// # Errors
    /// Where that is none of the counts allowed; the error shows all calls of the world.
    pub fn verify(&self, filter: &Filter, counts: impl RangeBounds<usize> + Debug) -> Result<usize, Unmet> {
        let found = self.calls(filter).len();
        if counts.contains(&found) {
            return Ok(found);
        }
        let mut shown = format!("{found} calls match, not {counts:?}, of these:");
        for call in self.calls(&Filter::default()) {
            let text = |name: &str| call[name].as_str().unwrap_or("-").to_owned();
            let number = |name: &str| call[name].as_u64().map_or("-".to_owned(), |number| number.to_string());
            let _ = write!(
                shown,
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
        Err(Unmet(shown))
    }
}

/// What was verified does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet(String);

impl Display for Unmet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Unmet {}
