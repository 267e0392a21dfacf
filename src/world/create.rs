//! Requests to create a world, and why they fail.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use crate::clock;
use crate::draw::Seed;
use crate::fault::Fault;
use crate::world::fault_edits::weight;
use crate::world::snapshot::NoDataset;

/// Most worlds.
pub(crate) const MOST_WORLDS: usize = 100_000;
#[derive(Clone, Debug, Default)]
pub(crate) struct WorldRequest {
    /// None means a generated name.
    pub(crate) name: Option<String>,
    /// None means the default scenario.
    pub(crate) scenario: Option<String>,
    pub(crate) start: Start,
}

/// How a world's start differs from its scenario's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    pub(crate) seed: Option<Seed>,
    /// This changes world time only: generated data and its dates are the scenario's.
    pub(crate) clock: clock::PartialSetting,
    /// Faults to put, in order.
    pub(crate) faults: Vec<Arc<Fault>>,
}

impl Start {
    /// How many bytes its faults take.
    pub(crate) fn weight(&self) -> usize {
        self.faults.iter().map(|fault| weight(fault)).sum()
    }
}

/// Why a world is not created or begun anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateError {
    /// The name is not allowed.
    BadName(String),
    /// The name is taken.
    Exists(String),
    /// No scenario has that name.
    NoScenario(String),
    /// A standing world cannot have another scenario.
    Standing(String),
    /// There are too many worlds.
    TooMany,
    /// There are too many large datasets.
    TooLarge,
    /// The datasets have too many records.
    TooManyRecords,
    /// There is no room for its faults.
    NoRoom,
    /// The system provides no random number for a key.
    NoKey,
}

/// Why a world is not removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RemoveError {
    Unknown,
    /// It belongs to a scenario or a key.
    Standing,
}

const DATASET_ADVICE: &str = ": use the seed of such a world or leave `seed` out, or remove such a world.";

impl From<NoDataset> for CreateError {
    fn from(reason: NoDataset) -> Self {
        match reason {
            NoDataset::Large => Self::TooLarge,
            NoDataset::Records => Self::TooManyRecords,
        }
    }
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
            Self::TooLarge => write!(out, "{}{DATASET_ADVICE}", NoDataset::Large),
            Self::TooManyRecords => write!(out, "{}{DATASET_ADVICE}", NoDataset::Records),
            Self::NoRoom => write!(
                out,
                "There is no room for its faults: what was written to all worlds, faults included, takes all the memory that there is for it. DELETE /__admin/worlds/{{world}} removes one."
            ),
            Self::NoKey => write!(out, "The system gives no random number for a key."),
        }
    }
}

impl Error for CreateError {}
