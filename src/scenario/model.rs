//! The validated scenario: every reference is resolved and every default is filled in.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use crate::api::dialect::Dialect;
use crate::auth::Key;
use crate::clock::{self, Moment};
use crate::dataset::records::Business;
use crate::draw::Seed;
use crate::expect::expectation::Expectation;
use crate::expect::scorecard::settings::Settings;
use crate::fault::Fault;
use crate::route::Route;
use crate::webhook::settings::{Happening, Webhooks};

#[derive(Debug)]
pub(crate) struct Scenario {
    /// The name of the scenario and of its standing world.
    pub(crate) name: String,
    /// One line for listings and the console.
    pub(crate) summary: Option<String>,
    pub(crate) seed: SeedSetting,
    pub(crate) clock: clock::Setting,
    /// The clock's start, or the instant of the load if the clock has no start. Relative dates refer to it.
    pub(crate) now: Moment,
    /// Whether that is the instant of the load, so that the data of another day has other dates.
    pub(crate) follows_day: bool,
    /// The API keys. If there are none, any key that is not empty is accepted.
    pub(crate) keys: Vec<Key>,
    pub(crate) businesses: Vec<Business>,
    pub(crate) dialect: Dialect,
    /// The faults, in the order in which they are considered.
    pub(crate) faults: Vec<Fault>,
    pub(crate) webhooks: Webhooks,
    /// What a client is expected to do.
    pub(crate) expectations: Vec<Expectation>,
    pub(crate) scorecard: Settings,
    /// The routes, in the order in which they are considered.
    pub(crate) routes: Vec<Route>,
    /// The buttons for a demonstration, in the order in which they are shown.
    pub(crate) demo: Vec<DemoButton>,
}

/// A button for a demonstration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DemoButton {
    pub(crate) label: String,
    /// What it does, in this order.
    pub(crate) steps: Vec<DemoStep>,
}

/// A step of a demo button.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DemoStep {
    /// An event is emitted, or a record arrives.
    Happens(Happening),
    /// The world's clock is advanced.
    Advance(Duration),
    /// A fault is switched on or off.
    Fault { name: String, enabled: bool },
}

impl Display for DemoStep {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Happens(what) => what.fmt(out),
            Self::Advance(span) => write!(out, "the clock is advanced by {span:?}"),
            Self::Fault { name, enabled: true } => write!(out, "the fault {name} is switched on"),
            Self::Fault { name, enabled: false } => write!(out, "the fault {name} is switched off"),
        }
    }
}

/// The seed of all draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeedSetting {
    Fixed(Seed),
    /// Each process picks a new seed.
    Random,
}
