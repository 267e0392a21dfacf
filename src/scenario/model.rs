//! The validated scenario: every reference is resolved and every default is filled in.

use crate::api::dates::Day;
use crate::api::dialect::Dialect;
use crate::auth::Key;
use crate::clock;
use crate::dataset::records::Business;
use crate::draw::Seed;
use crate::expect::expectation::Expectation;
use crate::fault::Fault;
use crate::scenario::route::Route;
use crate::webhook::settings::Webhooks;

#[derive(Debug)]
pub struct Scenario {
    /// The name of the scenario and of its standing world.
    pub name: String,
    /// One line for listings and the console.
    pub summary: Option<String>,
    pub seed: SeedSetting,
    pub clock: clock::Setting,
    /// The day on which the clock starts, or the day of the load if the clock has no start.
    pub today: Day,
    /// The API keys. If there are none, any key that is not empty is accepted.
    pub keys: Vec<Key>,
    pub businesses: Vec<Business>,
    pub dialect: Dialect,
    /// The faults, in the order in which they are considered.
    pub faults: Vec<Fault>,
    pub webhooks: Webhooks,
    pub expectations: Vec<Expectation>,
    /// The routes, in the order in which they are considered.
    pub routes: Vec<Route>,
}

/// The seed of all draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedSetting {
    Fixed(Seed),
    /// Each process picks a new seed.
    Random,
}
