//! The validated scenario: every reference resolved, every default filled in.

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

/// What the fake backend is.
#[derive(Debug)]
pub struct Scenario {
    /// Its name, which is also that of its standing world.
    pub name: String,
    /// One line about it.
    pub summary: Option<String>,
    /// From what all chance is drawn.
    pub seed: SeedSetting,
    /// The clock.
    pub clock: clock::Setting,
    /// The day of the clock's start, or that of the load where the clock has none.
    pub today: Day,
    /// API keys; with none, any non-empty key is taken.
    pub keys: Vec<Key>,
    /// Accounts.
    pub businesses: Vec<Business>,
    /// The API's manners.
    pub dialect: Dialect,
    /// What goes wrong, in the order in which it is considered.
    pub faults: Vec<Fault>,
    /// Events and their delivery.
    pub webhooks: Webhooks,
    /// What a well-behaved client does.
    pub expectations: Vec<Expectation>,
    /// Stubs of other operations, in the order in which they are considered.
    pub routes: Vec<Route>,
}

/// From what all chance is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedSetting {
    /// This.
    Fixed(Seed),
    /// A number that each process picks anew.
    Random,
}
