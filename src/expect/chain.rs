//! Chains: the calls of one request, a first try and its retries, in order (`docs/scorecard.md`).
//!
//! A chain ends with the first call that succeeds: the next call of the same request is a new first try, and so is one that
//! arrives while the one before is still under way.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::expect::call::{Call, CallEnd};
use crate::expect::outcome::Outcome;
use crate::fault::effect::Kind;

/// The tolerance of all times that a client has to keep.
pub(crate) const TOLERANCE: Duration = Duration::from_millis(20);

/// A second arrival so soon after a broken connection comes from the HTTP stack.
const TRANSPORT: Duration = Duration::from_millis(5);

/// How much later than the client the server may see that a call ended.
const LATENESS: Duration = Duration::from_millis(5);

/// The chains of a record.
#[derive(Debug, Default)]
pub(crate) struct Chains<'a> {
    /// By the `seq` of their first calls.
    pub(crate) all: Vec<Chain<'a>>,
}

/// A first try and its retries.
#[derive(Clone, Debug)]
pub(crate) struct Chain<'a> {
    /// At least one.
    pub(crate) links: Vec<Link<'a>>,
}

/// One try: a call, and its repetition by the HTTP stack if there was one, which no rule judges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'a> {
    pub(crate) call: &'a Call,
    pub(crate) transport_retry: Option<&'a Call>,
}

/// The time between two tries of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap<'a> {
    /// The call that ended.
    pub(crate) from: &'a Call,
    /// The next one that arrived.
    pub(crate) to: &'a Call,
}

impl<'a> Chains<'a> {
    /// The chains of some calls. `calls` are in the order of their arrival.
    pub(crate) fn new(calls: impl IntoIterator<Item = &'a Call>) -> Self {
        let mut all: Vec<Chain<'a>> = Vec::new();
        // The chains of each request that did not succeed yet.
        let mut open: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for call in calls {
            let open = open.entry(call.fingerprint).or_default();
            let earliest = open
                .iter()
                .enumerate()
                .filter(|(_, chain)| all[**chain].last().is_over_before(call))
                .min_by_key(|(_, chain)| all[**chain].last().ended());
            let chain = if let Some((place, _)) = earliest {
                let chain = open.remove(place);
                all[chain].add(call);
                chain
            } else {
                all.push(Chain::begin(call));
                all.len() - 1
            };
            if call.outcome() != Outcome::Read {
                open.push(chain);
            }
        }
        Self { all }
    }

    /// How many calls are repetitions by the HTTP stack.
    pub(crate) fn transport_retries(&self) -> usize {
        self.all.iter().flat_map(|chain| &chain.links).filter(|link| link.transport_retry.is_some()).count()
    }

    /// All gaps, chain by chain.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = Gap<'a>> {
        self.all.iter().flat_map(Chain::gaps)
    }
}

impl<'a> Chain<'a> {
    /// A chain of one call.
    pub(crate) fn begin(call: &'a Call) -> Self {
        Self { links: vec![Link { call, transport_retry: None }] }
    }

    /// Adds the next call, which may be a repetition by the HTTP stack.
    pub(crate) fn add(&mut self, call: &'a Call) {
        let is_first = self.links.iter().all(|link| link.transport_retry.is_none());
        match self.links.last_mut() {
            Some(link) if is_first && is_transport_retry(link.call, call) => {
                link.transport_retry = Some(call);
            }
            _ => self.links.push(Link { call, transport_retry: None }),
        }
    }

    /// The first call.
    pub(crate) fn first(&self) -> &'a Call {
        self.links[0].call
    }

    /// The last call.
    pub(crate) fn last(&self) -> &'a Call {
        self.links[self.links.len() - 1].outcome()
    }

    pub(crate) fn retries(&self) -> usize {
        self.links.len() - 1
    }

    /// The gaps between its tries, in order.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = Gap<'a>> {
        self.links.windows(2).map(|pair| Gap { from: pair[0].outcome(), to: pair[1].call })
    }

    /// The `seq` of each call, in order, those of the HTTP stack included.
    pub(crate) fn seqs(&self) -> Vec<u64> {
        let calls = self.links.iter().flat_map(|link| [Some(link.call), link.transport_retry]);
        calls.flatten().map(|call| call.seq).collect()
    }
}

impl<'a> Link<'a> {
    /// The call that decided what the try came to.
    pub(crate) fn outcome(&self) -> &'a Call {
        self.transport_retry.unwrap_or(self.call)
    }
}

impl Gap<'_> {
    /// How long the client waited: by real time, or by the world's clock if that is more.
    pub(crate) fn wait(&self) -> Duration {
        let real = self.to.arrived.saturating_sub(self.from.ended());
        let between_arrivals = self.to.arrived.saturating_sub(self.from.arrived);
        let in_world = self.to.arrived_in_world.saturating_sub(self.from.arrived_in_world);
        // A clock that runs with real time tells nothing new, and only the arrivals are known by the world's clock. One
        // that does not was frozen or was advanced in between.
        let runs = in_world.abs_diff(between_arrivals) <= LATENESS;
        if runs { real } else { real.max(in_world) }
    }

    /// Whether the client waited at least that long, with the tolerance.
    pub(crate) fn keeps(&self, wait: Duration) -> bool {
        self.wait() + TOLERANCE >= wait
    }

    /// Whether the second call may have been on its way before the client could know the answer of the first.
    pub(crate) fn was_on_its_way(&self) -> bool {
        !self.from.is_over_before(self.to)
            || (self.to.connection != self.from.connection && self.wait() <= TOLERANCE)
    }

    pub(crate) fn seqs(&self) -> Vec<u64> {
        vec![self.from.seq, self.to.seq]
    }
}

impl Call {
    /// Whether it had ended when another call arrived, as its client may have seen it.
    pub(crate) fn is_over_before(&self, other: &Self) -> bool {
        let lateness = if matches!(self.end, Some(CallEnd::HungUp(_))) { TOLERANCE } else { LATENESS };
        self.outcome() != Outcome::UnderWay && self.ended() <= other.arrived + lateness
    }
}

/// Whether the second of two calls of a request is the work of the HTTP stack: the connection of the first was reset or
/// closed, and the second came on another one at once.
fn is_transport_retry(first: &Call, second: &Call) -> bool {
    let outcome = first.outcome();
    let is_broken =
        outcome == Outcome::Stalled || (outcome == Outcome::Lost && first.effect != Some(Kind::Garbage));
    is_broken
        && first.connection != second.connection
        && second.arrived.saturating_sub(first.ended()) <= TRANSPORT
}
