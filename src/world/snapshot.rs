//! What a world serves at one moment: a scenario and its dataset, which is built on first use.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::api::dates::Day;
use crate::api::dialect::Dialect;
use crate::auth::Keys;
use crate::clock::{self, Moment};
use crate::dataset::facts::Dataset;
use crate::dataset::records::{Business, Location, Questions, Reviews};
use crate::draw::Seed;
use crate::expect::expectation::Expectation;
use crate::expect::scorecard::settings::Settings;
use crate::fault::counters;
use crate::memory::{Limits, Memory, Share};
use crate::route::table::Table;
use crate::scenario::model::{DemoButton, Scenario};
use crate::scenario::references::References;
use crate::webhook::plan::WebhookPlan;
use crate::world::kept::ScenarioFiles;

/// What a world has in place of its scenario's.
#[derive(Debug, Default)]
pub(crate) struct Own {
    pub(crate) seed: Option<Seed>,
    /// When it began, if that was on another day than the scenario's start.
    pub(crate) start: Option<Moment>,
    pub(crate) faults: Option<counters::Plan>,
}

/// A scenario as it is served. Clones are cheap, since large parts are shared.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    /// 1-based number of the load of the scenario.
    pub(crate) generation: u64,
    pub(crate) scenario: String,
    /// One line about it.
    pub(crate) summary: Option<String>,
    /// The seed of generated data and draws.
    pub(crate) seed: Seed,
    pub(crate) clock: clock::Setting,
    pub(crate) keys: Arc<Keys>,
    pub(crate) dialect: Arc<Dialect>,
    pub(crate) faults: Arc<counters::Plan>,
    pub(crate) webhooks: Arc<WebhookPlan>,
    /// What the scenario expects of a client.
    pub(crate) expectations: Arc<Vec<Expectation>>,
    /// The buttons for a demonstration.
    pub(crate) demo: Arc<Vec<DemoButton>>,
    /// The routes that the scenario defines.
    pub(crate) routes: Arc<Table>,
    /// Names of webhook events that the scenario adds.
    pub(crate) events: Arc<Vec<String>>,
    /// Thresholds of the scorecard.
    pub(crate) scorecard: Arc<Settings>,
    pub(crate) counts: Counts,
    /// The instant to which its relative dates refer: the clock's start, or that of the load.
    pub(crate) start: Moment,
    /// Whether that is the instant of the load. A world that begins on a later day has that day's data then.
    follows_day: bool,
    /// A hash of what it was loaded from, by which a world's snapshot knows it. Empty if it was not loaded from files.
    pub(crate) content: Arc<str>,
    /// The files it was loaded from, if they are kept.
    pub(crate) files: Option<Arc<ScenarioFiles>>,
    businesses: Arc<Vec<Business>>,
    data: Arc<Data>,
    datasets: Arc<Datasets>,
}

/// The dataset of one seed and day.
#[derive(Debug, Default)]
struct Data {
    /// Built on first use, off the request threads.
    dataset: OnceLock<Dataset>,
    /// How many of its reviews are generated so far.
    done: AtomicU64,
    /// What it counts among those that clients have generated.
    held: Option<Held>,
}

/// What the dataset of a scenario is a function of: the seed, and the day on which the clock starts.
type DataKey = (Seed, Day);

/// The datasets of one load of a scenario that are in use. Worlds of one seed and day share a dataset, which is dropped with
/// the last of them. The lock is held to look one up.
#[derive(Debug, Default)]
struct Datasets(Mutex<BTreeMap<DataKey, Weak<Data>>>);

impl Datasets {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<DataKey, Weak<Data>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self, key: DataKey) -> Option<Arc<Data>> {
        self.lock().get(&key).and_then(Weak::upgrade)
    }

    /// The dataset of a seed and day. A new one holds what `hold` gives.
    fn of(&self, key: DataKey, hold: impl FnOnce() -> Option<Held>) -> Arc<Data> {
        let mut by_key = self.lock();
        if let Some(data) = by_key.get(&key).and_then(Weak::upgrade) {
            return data;
        }
        by_key.retain(|_, data| data.strong_count() > 0);
        let data = Arc::new(Data { held: hold(), ..Data::default() });
        by_key.insert(key, Arc::downgrade(&data));
        data
    }
}

/// A dataset with more reviews and questions than this is large.
const LARGE: u64 = 100_000;
/// Most large datasets in use under seeds other than their scenario's.
const MOST_LARGE: usize = 8;
/// Most records of all datasets under other seeds, and of all scenarios that were sent over HTTP.
const MOST_RECORDS: usize = 8_000_000;
/// A contact takes about as much memory as so many reviews.
const CONTACT: u64 = 20;

/// The datasets that clients have generated: under seeds other than their scenario's, and of scenarios that were sent over
/// HTTP. What is counted here is no number of bytes.
#[derive(Clone, Debug)]
pub(crate) struct Foreign {
    records: Arc<Memory>,
    large: Arc<Memory>,
}

impl Default for Foreign {
    fn default() -> Self {
        let most = |all| Memory::new(Limits { world: usize::MAX, all }, Arc::default());
        Self { records: most(MOST_RECORDS), large: most(MOST_LARGE) }
    }
}

/// What a dataset counts among them: its records, and whether it is large, until it is dropped.
#[derive(Debug)]
struct Held {
    records: Share,
    large: Share,
    /// Whether it is the dataset of a scenario that was sent, which stays as long as that.
    is_sent: bool,
}

/// Why there is no room for a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoDataset {
    Large,
    Records,
}

impl Display for NoDataset {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Large => write!(
                out,
                "{MOST_LARGE} datasets of more than {LARGE} records are in use under other seeds than their scenario's, the most there can be"
            ),
            Self::Records => write!(
                out,
                "The datasets under other seeds than their scenario's and the scenarios that were sent over HTTP would have more than {MOST_RECORDS} records together"
            ),
        }
    }
}

impl Foreign {
    fn hold(&self, records: usize, large: usize, is_sent: bool) -> Held {
        Held { records: self.records.share(records), large: self.large.share(large), is_sent }
    }

    /// Checks that there is room for a dataset when another one is given up.
    fn check(&self, records: usize, large: usize, given_up: Option<&Held>) -> Result<(), NoDataset> {
        let (less, less_large) = given_up.map_or((0, 0), |held| (held.records.bytes(), held.large.bytes()));
        if !self.records.has_room_for(records, less) {
            return Err(NoDataset::Records);
        }
        if self.large.has_room_for(large, less_large) { Ok(()) } else { Err(NoDataset::Large) }
    }
}

/// The size of a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) businesses: usize,
    pub(crate) locations: usize,
    pub(crate) reviews: u64,
    pub(crate) questions: u64,
    pub(crate) contacts: u64,
    /// The records of these three kinds that are not generated.
    pub(crate) given: usize,
    pub(crate) faults: usize,
}

impl Snapshot {
    /// The snapshot of a scenario under a seed.
    pub(crate) fn new(generation: u64, seed: Seed, scenario: Scenario) -> Self {
        let datasets = Arc::<Datasets>::default();
        Self {
            generation,
            counts: Counts::of(&scenario),
            scenario: scenario.name,
            summary: scenario.summary,
            seed,
            clock: scenario.clock,
            keys: Arc::new(Keys::new(scenario.keys)),
            dialect: Arc::new(scenario.dialect),
            faults: Arc::new(counters::Plan::new(generation, scenario.faults)),
            events: Arc::new(scenario.webhooks.events.keys().cloned().collect()),
            webhooks: Arc::new(WebhookPlan::new(scenario.webhooks)),
            demo: Arc::new(scenario.demo),
            routes: Arc::new(Table::new(scenario.routes)),
            scorecard: Arc::new(scenario.scorecard),
            expectations: Arc::new(scenario.expectations),
            start: scenario.now,
            follows_day: scenario.follows_day,
            content: Arc::default(),
            files: None,
            businesses: Arc::new(scenario.businesses),
            data: datasets.of((seed, scenario.now.day()), || None),
            datasets,
        }
    }

    /// The same as one that was sent over HTTP: its dataset counts among those that clients have generated.
    ///
    /// # Errors
    /// There is no room for it in place of the one that was served before.
    pub(crate) fn sent(mut self, datasets: &Foreign, given_up: Option<&Self>) -> Result<Self, NoDataset> {
        datasets.check(self.records(), 0, given_up.and_then(|before| before.data.held.as_ref()))?;
        self.data = Arc::new(Data { held: Some(datasets.hold(self.records(), 0, true)), ..Data::default() });
        self.datasets.lock().insert((self.seed, self.start.day()), Arc::downgrade(&self.data));
        Ok(self)
    }

    /// The instant at which a world begins the scenario, if that is not the scenario's own start: a scenario without a fixed
    /// start has the data of the day on which a world begins.
    pub(crate) fn start_at(&self, now: Moment) -> Option<Moment> {
        (self.follows_day && now.day() != self.start.day()).then_some(now)
    }

    /// The same scenario with what a world has in place of it. A dataset is built only for a seed and day that no other world
    /// has. If one of another seed would have too many records, the seed stays the scenario's: only a new load can bring that
    /// about, since worlds are checked before.
    pub(crate) fn with(
        self: &Arc<Self>,
        Own { seed, start, faults }: Own,
        datasets: &Foreign,
        given_up: Option<&Self>,
    ) -> Arc<Self> {
        let seed = seed.filter(|seed| *seed != self.seed);
        let has_room = |seed: &Seed| {
            let wanted = self.key(Some(*seed), start);
            self.room_for_key(wanted, datasets, given_up) != Err(NoDataset::Records)
        };
        let seed = seed.filter(has_room);
        if seed.is_none() && start.is_none() && faults.is_none() {
            return Arc::clone(self);
        }
        let mut other = Self::clone(self);
        if let Some(start) = start {
            other.start = start;
            other.clock.start = self.clock.start.map(|_| start);
        }
        if seed.is_some() || start.is_some() {
            let hold = || Some(datasets.hold(self.records(), self.is_large().into(), false));
            let key = self.key(seed, start);
            (other.seed, other.data) = (key.0, self.datasets.of(key, || seed.and_then(|_| hold())));
        }
        if let Some(faults) = faults {
            other.faults = Arc::new(faults);
        }
        Arc::new(other)
    }

    fn key(&self, seed: Option<Seed>, start: Option<Moment>) -> DataKey {
        (seed.unwrap_or(self.seed), start.unwrap_or(self.start).day())
    }

    /// Checks that there is room for the dataset of a seed, for a world that begins now and gives up its snapshot.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn room_for(
        &self,
        seed: Option<Seed>,
        now: Moment,
        datasets: &Foreign,
        given_up: Option<&Self>,
    ) -> Result<(), NoDataset> {
        self.room_for_key(self.key(seed, self.start_at(now)), datasets, given_up)
    }

    fn room_for_key(
        &self,
        key: DataKey,
        datasets: &Foreign,
        given_up: Option<&Self>,
    ) -> Result<(), NoDataset> {
        let (seed, _) = key;
        if seed == self.seed || self.datasets.known(key).is_some() {
            return Ok(());
        }
        let given_up = given_up.and_then(|before| {
            // A dataset is dropped with its last world. At a new load, all worlds of its seed give it up.
            let is_reloaded = before.scenario == self.scenario && before.seed == seed;
            let is_given_up = is_reloaded || Arc::strong_count(&before.data) == 1;
            before.data.held.as_ref().filter(|held| is_given_up && !held.is_sent)
        });
        datasets.check(self.records(), self.is_large().into(), given_up)
    }

    /// The number of records by which the memory of the dataset is bounded.
    fn records(&self) -> usize {
        let Counts { reviews, questions, contacts, .. } = self.counts;
        usize::try_from(reviews + questions + CONTACT * contacts).unwrap_or(usize::MAX)
    }

    /// The first and the last of the 365 days up to the clock's start, as requests have them.
    pub(crate) fn last_year(&self) -> (String, String) {
        let today = self.start.day();
        (Day(today.0.saturating_sub(364)).in_request(), today.in_request())
    }

    /// Whether the dataset is large.
    pub(crate) const fn is_large(&self) -> bool {
        self.counts.reviews + self.counts.questions > LARGE
    }

    /// How many reviews of the dataset are generated so far.
    pub(crate) fn done(&self) -> u64 {
        self.data.done.load(Ordering::Relaxed)
    }

    /// The dataset, if it has been built.
    pub(crate) fn ready(&self) -> Option<&Dataset> {
        self.data.dataset.get()
    }

    /// The dataset. The first call builds it, which may take a second and belongs on no request thread; concurrent calls
    /// wait for it.
    pub(crate) fn dataset(&self) -> &Dataset {
        self.data.dataset.get_or_init(|| {
            Dataset::build(
                self.seed,
                self.start,
                Arc::clone(&self.businesses),
                self.dialect.sources.clone(),
                &self.data.done,
            )
        })
    }
    /// What faults may refer to, in a world with that clock mode.
    pub(crate) fn references(&self, mode: clock::Mode) -> References<'_> {
        References {
            routes: self.routes.routes.iter().map(|route| route.operation).collect(),
            ..References::new(self.keys.all(), &self.businesses, &self.dialect, mode == clock::Mode::Frozen)
        }
    }

    /// The accounts as the scenario gives them.
    pub(crate) fn businesses(&self) -> &[Business] {
        &self.businesses
    }
}

impl Counts {
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let locations = || scenario.businesses.iter().flat_map(|business| &business.locations);
        let reviews = |reviews: &Reviews| match reviews {
            Reviews::Given(given) => given.len() as u64,
            Reviews::Generated(plan) => plan.count.into(),
        };
        let questions = |questions: &Questions| match questions {
            Questions::Given(given) => given.len() as u64,
            Questions::Generated(plan) => plan.count.into(),
        };
        let given = |location: &Location| {
            let reviews = location.reviews.iter().map(|reviews| match reviews {
                Reviews::Given(given) => given.len(),
                Reviews::Generated(_) => 0,
            });
            let questions = location.questions.iter().map(|questions| match questions {
                Questions::Given(given) => given.len(),
                Questions::Generated(_) => 0,
            });
            reviews.chain(questions).sum::<usize>()
        };
        let contacts = |business: &Business| {
            let generated = business.contact_plans.iter().map(|plan| u64::from(plan.count));
            business.contacts.len() as u64 + generated.sum::<u64>()
        };
        Self {
            businesses: scenario.businesses.len(),
            locations: locations().count(),
            reviews: locations().flat_map(|location| &location.reviews).map(reviews).sum(),
            questions: locations().flat_map(|location| &location.questions).map(questions).sum(),
            contacts: scenario.businesses.iter().map(contacts).sum(),
            given: locations().map(given).sum::<usize>()
                + scenario.businesses.iter().map(|business| business.contacts.len()).sum::<usize>(),
            faults: scenario.faults.len(),
        }
    }
}
