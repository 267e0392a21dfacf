//! What a world is to be made of, and why it is not.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use crate::clock;
use crate::draw::Seed;
use crate::fault::Fault;

/// There are at most so many worlds.
pub const MOST_WORLDS: usize = 100_000;
/// So many large datasets at the most are in use for seeds that are not their scenario's.
pub const MOST_LARGE: usize = 8;

/// What a world is made of.
#[derive(Clone, Debug, Default)]
pub struct WorldRequest {
    /// Its name; else one is given.
    pub name: Option<String>,
    /// Its scenario; else the default one.
    pub scenario: Option<String>,
    /// Where it starts.
    pub start: Start,
}

/// Where a world starts, as far as that is not where its scenario does.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Its seed.
    pub seed: Option<Seed>,
    /// Its clock. This moves the world's time alone: what is generated, its dates included, is the scenario's.
    pub clock: clock::PartialSetting,
    /// Faults, as if each had been put, in order.
    pub faults: Vec<Arc<Fault>>,
}

/// Why a world is not made, or not made anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateError {
    /// The name is none that a world can have.
    BadName(String),
    /// There is one of that name.
    Exists(String),
    /// No scenario has that name.
    NoScenario(String),
    /// It stands for its scenario, and cannot be of another.
    Standing(String),
    /// There are too many.
    TooMany,
    /// It would be one large dataset too many.
    TooLarge,
    /// The system gives no random number for a key.
    NoKey,
}

/// Why a world is not removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoveError {
    /// There is none of that name.
    Unknown,
    /// It is a scenario's or a key's own.
    Standing,
}

impl Display for CreateError {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadName(name) => write!(
                out,
                "`{name}` cannot name a world: 1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit, and not `default`."
            ),
            Self::Exists(name) => write!(
                out,
                "A world named {name} is there already: choose another name, or PUT /__admin/worlds/{name} to begin it anew."
            ),
            Self::NoScenario(name) => write!(out, "No scenario is named {name}: see /__admin/scenarios."),
            Self::Standing(name) => write!(
                out,
                "{name} is a standing world and stays of its scenario: leave `scenario` out, or choose another name."
            ),
            Self::TooMany => write!(
                out,
                "There are {MOST_WORLDS} worlds, the most there can be: DELETE /__admin/worlds/{{world}} removes one."
            ),
            Self::TooLarge => write!(
                out,
                "{MOST_LARGE} datasets of more than 100000 records are in use under other seeds than their scenario's, the most there can be: use one of those seeds or leave `seed` out, or remove such a world."
            ),
            Self::NoKey => write!(out, "The system gives no random number for a key."),
        }
    }
}

impl Error for CreateError {}
