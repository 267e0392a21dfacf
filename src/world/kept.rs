//! What a bundle needs of a run beside its journal: the files of its scenario, how it began, and the action log. It is kept only
//! in a process that writes bundles.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clock::{Mode, Moment};
use crate::dataset::arrival::Answered;
use crate::draw::Seed;
use crate::fault::Fault;
use crate::memory::{Limits, Share, heap};
use crate::scenario::overrides::Overrides;
use crate::webhook::settings::Emission;
use crate::world::snapshot::Snapshot;

/// The files that a scenario was loaded from, as they were then.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScenarioFiles {
    /// The folder that no path in them leaves.
    pub(crate) root: PathBuf,
    /// The scenario's own file, which is one of the files.
    pub(crate) scenario: PathBuf,
    /// The present at the load.
    pub(crate) now: Moment,
    pub(crate) files: BTreeMap<PathBuf, Arc<[u8]>>,
    /// What was made part of the scenario beside them.
    pub(crate) overrides: Overrides,
}

/// A load of a scenario as a world serves it.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub(crate) generation: u64,
    pub(crate) seed: Seed,
    /// The instant to which relative dates refer.
    pub(crate) start: Moment,
    pub(crate) files: Arc<ScenarioFiles>,
}

impl Load {
    /// None if the files are not kept.
    pub(super) fn of(snapshot: &Snapshot) -> Option<Self> {
        let files = snapshot.files.clone()?;
        Some(Self { generation: snapshot.generation, seed: snapshot.seed, start: snapshot.start, files })
    }
}

/// What changed a run apart from its calls. A reset is none, since it begins another run.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// The clock was moved forward, to the time of the action.
    ClockMoved,
    ClockMode(Mode),
    FaultPut(Arc<Fault>),
    FaultEnabled {
        name: String,
        enabled: bool,
    },
    FaultRemoved(String),
    /// A review was added, with the text of the admin call.
    Review(String),
    /// Likewise a question.
    Question(String),
    /// A review was changed, with the text of the admin call.
    ReviewChanged(Answered, String),
    ReviewRemoved(Answered),
    /// An event of the account of that number was emitted.
    Event(Box<Emission>, u64),
    /// So many entries of the timeline happened.
    Timeline(u64),
    /// The scenario was loaded anew.
    Loaded(Load),
    JournalCleared,
}

impl Action {
    /// About how many bytes it takes.
    fn weight(&self) -> usize {
        let which = |which: &Answered| match which {
            Answered::Last => 0,
            Answered::Id { id, .. } => heap(id.len()),
        };
        let more = match self {
            Self::ClockMoved | Self::ClockMode(_) | Self::Timeline(_) | Self::JournalCleared => 0,
            Self::FaultPut(fault) => 2 * heap(fault.text.len()),
            Self::FaultEnabled { name, .. } | Self::FaultRemoved(name) => heap(name.len()),
            Self::Review(text) | Self::Question(text) => heap(text.len()),
            Self::ReviewChanged(id, text) => which(id) + heap(text.len()),
            Self::ReviewRemoved(id) => which(id),
            Self::Event(emission, _) => {
                let data = emission.data.as_ref().map_or(0, |data| format!("{data:?}").len());
                2 * heap(data) + emission.text.as_ref().map_or(0, |text| heap(text.len()))
            }
            Self::Loaded(load) => load.files.files.values().map(|bytes| heap(bytes.len())).sum(),
        };
        size_of::<Logged>() + more
    }
}

/// An action of the log.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    /// Number of the last call that had arrived.
    pub(crate) after: u64,
    /// World time.
    pub(crate) at: Moment,
    pub(crate) action: Action,
}

/// The actions of a run in their order. When there are too many, further ones are only counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Actions {
    pub(crate) list: Vec<Logged>,
    /// Number of actions that were not kept.
    pub(crate) missed: u64,
}

/// Bytes of the action logs of a run and of all runs.
pub(super) const MEMORY: Limits = Limits { world: 16 << 20, all: 64 << 20 };
/// Most actions of a run.
const MOST: usize = 100_000;

/// How a run began, and its action log.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) load: Load,
    /// The faults that the world had of its own at the start.
    pub(crate) faults: Vec<Arc<Fault>>,
    /// Locked for each action, before the counters.
    actions: Mutex<(Actions, Share)>,
}

impl Kept {
    pub(super) fn new(load: Load, faults: Vec<Arc<Fault>>, share: Share) -> Self {
        Self { load, faults, actions: Mutex::new((Actions::default(), share)) }
    }

    fn lock(&self) -> MutexGuard<'_, (Actions, Share)> {
        self.actions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The actions so far.
    pub(crate) fn actions(&self) -> Actions {
        self.lock().0.clone()
    }

    /// Logs an action. `arrived` gives the number of the last call that had arrived; it is called in the order of the log.
    pub(super) fn log(&self, arrived: impl FnOnce() -> u64, at: Moment, action: Action) {
        let mut actions = self.lock();
        let (Actions { list, missed }, share) = &mut *actions;
        let after = arrived();
        if let (Action::Timeline(more), Some(last)) = (&action, list.last_mut())
            && let Logged { action: Action::Timeline(count), .. } = last
            && last.after == after
        {
            (*count, last.at) = (*count + more, at);
            return;
        }
        let weight = share.bytes() + action.weight();
        if list.len() < MOST && share.replace(share.bytes(), weight).is_ok() {
            list.push(Logged { after, at, action });
        } else {
            *missed += 1;
        }
    }
}
