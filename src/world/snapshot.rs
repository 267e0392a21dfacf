//! What a world serves at one moment: a scenario and its dataset, which is built on first use.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use crate::api::dates::Day;
use crate::api::dialect::Dialect;
use crate::auth::Keys;
use crate::clock;
use crate::dataset::facts::Dataset;
use crate::dataset::records::{Business, Questions, Reviews};
use crate::draw::Seed;
use crate::fault::counters;
use crate::scenario::model::Scenario;
use crate::scenario::references::References;
use crate::webhook::plan::WebhookPlan;

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
    /// Names of webhook events that the scenario adds.
    pub(crate) events: Arc<Vec<String>>,
    pub(crate) counts: Counts,
    today: Day,
    businesses: Arc<Vec<Business>>,
    data: Arc<Data>,
    datasets: Arc<Datasets>,
}

/// The dataset of one seed.
#[derive(Debug, Default)]
struct Data {
    /// Built on first use, off the request threads.
    dataset: OnceLock<Dataset>,
    /// How many of its reviews are generated so far.
    done: AtomicU64,
}

/// The datasets of one load of a scenario that are in use, by seed. Worlds of one seed share a dataset, which is dropped
/// with the last of them. The lock is held to look one up.
#[derive(Debug, Default)]
struct Datasets(Mutex<BTreeMap<Seed, Weak<Data>>>);

impl Datasets {
    fn of(&self, seed: Seed) -> Arc<Data> {
        let mut by_seed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(data) = by_seed.get(&seed).and_then(Weak::upgrade) {
            return data;
        }
        by_seed.retain(|_, data| data.strong_count() > 0);
        let data = Arc::default();
        by_seed.insert(seed, Arc::downgrade(&data));
        data
    }
}

/// A dataset with more reviews and questions than this is large.
const LARGE: u64 = 100_000;

/// The size of a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) businesses: usize,
    pub(crate) locations: usize,
    pub(crate) reviews: u64,
    pub(crate) questions: u64,
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
            today: scenario.today,
            businesses: Arc::new(scenario.businesses),
            data: datasets.of(seed),
            datasets,
        }
    }

    /// The same scenario with another seed or other faults, where given. A dataset is built only for a seed that no other
    /// world has.
    pub(crate) fn with(self: &Arc<Self>, seed: Option<Seed>, faults: Option<counters::Plan>) -> Arc<Self> {
        let seed = seed.filter(|seed| *seed != self.seed);
        if seed.is_none() && faults.is_none() {
            return Arc::clone(self);
        }
        let mut other = Self::clone(self);
        if let Some(seed) = seed {
            (other.seed, other.data) = (seed, self.datasets.of(seed));
        }
        if let Some(faults) = faults {
            other.faults = Arc::new(faults);
        }
        Arc::new(other)
    }

    /// The first and the last of the 365 days up to the clock's start, as requests have them.
    pub(crate) fn last_year(&self) -> (String, String) {
        (Day(self.today.0.saturating_sub(364)).in_request(), self.today.in_request())
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
                self.clock.start.unwrap_or_else(|| self.today.start()),
                Arc::clone(&self.businesses),
                self.dialect.sources.clone(),
                &self.data.done,
            )
        })
    }
    /// What faults may refer to, in a world with that clock mode.
    pub(crate) fn references(&self, mode: clock::Mode) -> References<'_> {
        References::new(self.keys.all(), &self.businesses, &self.dialect, mode == clock::Mode::Frozen)
    }

    /// The accounts as the scenario gives them.
    pub(crate) fn businesses(&self) -> &[Business] {
        &self.businesses
    }
}

impl Counts {
    fn of(scenario: &Scenario) -> Self {
        let locations = || scenario.businesses.iter().flat_map(|business| &business.locations);
        let reviews = |reviews: &Reviews| match reviews {
            Reviews::Given(given) => given.len() as u64,
            Reviews::Generated(plan) => plan.count.into(),
        };
        let questions = |questions: &Questions| match questions {
            Questions::Given(given) => given.len() as u64,
            Questions::Generated(plan) => plan.count.into(),
        };
        Self {
            businesses: scenario.businesses.len(),
            locations: locations().count(),
            reviews: locations().flat_map(|location| &location.reviews).map(reviews).sum(),
            questions: locations().flat_map(|location| &location.questions).map(questions).sum(),
            faults: scenario.faults.len(),
        }
    }
}
