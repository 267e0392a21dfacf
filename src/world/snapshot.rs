//! What a world serves at one moment: a scenario, and its dataset once somebody has asked for it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::api::dates::Day;
use crate::api::dialect::Dialect;
use crate::auth::Keys;
use crate::clock;
use crate::dataset::records::{Business, Questions, Reviews};
use crate::dataset::whole::Dataset;
use crate::draw::Seed;
use crate::fault::counters::Plan;
use crate::scenario::model::Scenario;

/// A scenario as it is served.
#[derive(Debug)]
pub struct Snapshot {
    /// Which load of the scenario this is, from 1.
    pub generation: u64,
    /// Name of the scenario.
    pub scenario: String,
    /// One line about it.
    pub summary: Option<String>,
    /// The seed of all that is drawn.
    pub seed: Seed,
    /// How a world's clock starts.
    pub clock: clock::Setting,
    /// The keys.
    pub keys: Arc<Keys>,
    /// The API's manners.
    pub dialect: Arc<Dialect>,
    /// What goes wrong.
    pub faults: Arc<Plan>,
    /// Names of webhook events that the scenario adds.
    pub events: Vec<String>,
    /// How many of each there are.
    pub counts: Counts,
    /// The seed that the scenario gives.
    own_seed: Seed,
    today: Day,
    businesses: Arc<Vec<Business>>,
    /// Built when first asked for, off the request threads.
    dataset: OnceLock<Dataset>,
    /// How many of its reviews are made, while it is built.
    done: AtomicU64,
}

/// How much a scenario has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "what the names say")]
pub struct Counts {
    pub businesses: usize,
    pub locations: usize,
    pub reviews: u64,
    pub questions: u64,
    pub faults: usize,
}

impl Snapshot {
    /// The snapshot of a scenario under a seed.
    #[must_use]
    pub fn new(generation: u64, seed: Seed, scenario: Scenario) -> Self {
        Self {
            generation,
            counts: Counts::of(&scenario),
            scenario: scenario.name,
            summary: scenario.summary,
            seed,
            clock: scenario.clock,
            keys: Arc::new(Keys::new(scenario.keys)),
            dialect: Arc::new(scenario.dialect),
            faults: Arc::new(Plan::new(generation, scenario.faults)),
            events: scenario.webhooks.events.keys().cloned().collect(),
            own_seed: seed,
            today: scenario.today,
            businesses: Arc::new(scenario.businesses),
            dataset: OnceLock::new(),
            done: AtomicU64::new(0),
        }
    }

    /// The same scenario under another seed, or under its own where none is given; its dataset is built anew if that is
    /// another one than now.
    #[must_use]
    pub fn under(self: &Arc<Self>, seed: Option<Seed>) -> Arc<Self> {
        let seed = seed.unwrap_or(self.own_seed);
        if seed == self.seed {
            return Arc::clone(self);
        }
        Arc::new(Self {
            generation: self.generation,
            scenario: self.scenario.clone(),
            summary: self.summary.clone(),
            seed,
            clock: self.clock,
            keys: Arc::clone(&self.keys),
            dialect: Arc::clone(&self.dialect),
            faults: Arc::clone(&self.faults),
            events: self.events.clone(),
            counts: self.counts,
            today: self.today,
            businesses: Arc::clone(&self.businesses),
            own_seed: self.own_seed,
            dataset: OnceLock::new(),
            done: AtomicU64::new(0),
        })
    }

    /// How many reviews of the dataset are made, while it is built.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// The dataset, if it has been built.
    #[must_use]
    pub fn ready(&self) -> Option<&Dataset> {
        self.dataset.get()
    }

    /// The dataset, built now if need be: this may take a second, and belongs on no request thread. However many ask
    /// at once, it is built once.
    pub fn dataset(&self) -> &Dataset {
        self.dataset.get_or_init(|| {
            Dataset::build(
                self.seed,
                self.clock.start.unwrap_or_else(|| self.today.start()),
                Arc::clone(&self.businesses),
                self.dialect.sources.clone(),
                &self.done,
            )
        })
    }

    /// Day on which the scenario's clock starts.
    #[must_use]
    pub const fn today(&self) -> Day {
        self.today
    }

    /// The accounts as given.
    #[must_use]
    pub fn businesses(&self) -> &[Business] {
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
