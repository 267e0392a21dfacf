//! What a world is to be made of, and why it is not.

use std::sync::Arc;

use crate::clock;
use crate::draw::Seed;
use crate::fault::Fault;

/// What a world is made of.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
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
    pub clock: clock::Given,
    /// Faults, as if each had been put, in order.
    pub faults: Vec<Arc<Fault>>,
}

/// Why a world is not made, or not made anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotMade {
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
pub enum NotRemoved {
    /// There is none of that name.
    Unknown,
    /// It is a scenario's or a key's own.
    Standing,
}
