//! Serves a bundle in this process, and sends its calls again in the order of their arrival. Nothing is sent to any address, and
//! nothing is read but the bundle and, if it is given, another scenario.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::api::call::{Body, Call};
use crate::api::error::Code;
use crate::auth::{Key, Keys};
use crate::bundle::actions::{self, MOST_EVENTS};
use crate::bundle::archive::Unreadable;
use crate::bundle::changes::{Changes, Differing};
use crate::bundle::compare::{Comparison, Part};
use crate::bundle::format::{ActionKind, ActionLine, CallLine, FaultLine, LoadLine};
use crate::bundle::hide::Keyring;
use crate::bundle::read::{Bundle, moment};
use crate::clock::{Mode, Moment, PartialSetting, TimeSource};
use crate::draw::Seed;
use crate::fault::Fault;
use crate::journal::budget::Limits;
use crate::journal::mask::Mask;
use crate::pipeline;
use crate::pipeline::receive::receive;
use crate::pipeline::record::{Handled, Outcome};
use crate::reload::status::LoadStatus;
use crate::reload::{self, Setup};
use crate::scenario::files::{Disk, Files, Memory};
use crate::scenario::overrides::Overrides;
use crate::scenario::references::References;
use crate::scenario::{admin_input, render};
use crate::webhook::handle::WorldHandle;
use crate::world::World;
use crate::world::create::{CreateError, Start, WorldRequest};
use crate::world::kept::ScenarioFiles;
use crate::world::registry::{Registry, mint};
use crate::world::shared::Shared;
use crate::world::snapshot::Snapshot;

/// Why a bundle is not replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotReplayed(String);

impl Display for NotReplayed {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl From<Unreadable> for NotReplayed {
    fn from(reason: Unreadable) -> Self {
        Self(reason.to_string())
    }
}

impl From<CreateError> for NotReplayed {
    fn from(reason: CreateError) -> Self {
        Self(reason.to_string())
    }
}

/// What is replayed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) bundle: &'a Bundle,
    /// A scenario file on the disk in place of the bundle's.
    pub(crate) scenario: Option<&'a Path>,
    /// The folder that the path of that file starts at.
    pub(crate) cwd: &'a Path,
    /// Whether to go on after an answer that differs.
    pub(crate) all: bool,
}

/// An answer that differs from that of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The call, such as `call 3 POST /v1/… (reviews, key:demo)`.
    pub(crate) call: String,
    pub(crate) parts: Vec<Part>,
    /// Number of further members of the body that differ.
    pub(crate) more: usize,
    /// What may be the cause, a line each.
    pub(crate) causes: Vec<String>,
}

/// What a replay found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// Number of calls that were sent.
    pub(crate) sent: usize,
    /// Number of answers that differ.
    pub(crate) different: usize,
    /// Number of answers whose body was compared only as far as it was kept.
    pub(crate) partly: usize,
    /// Number of calls that were sent only in part, since their body was not kept whole. Their answers are not compared.
    pub(crate) not_compared: usize,
    /// Actions that could not be done again, and why.
    pub(crate) not_done: Vec<String>,
}

/// Replays a bundle. `report` gets each answer that differs; without `all` there is at most one.
///
/// # Errors
/// The scenario has errors, or something else does not allow to serve it.
pub(crate) fn replay(plan: Plan<'_>, mut report: impl FnMut(&Difference)) -> Result<Summary, NotReplayed> {
    let mut replay = Replay::start(plan)?;
    let mut actions = plan.bundle.actions.iter().peekable();
    for call in &plan.bundle.calls {
        while let Some(action) = actions.next_if(|action| action.after < call.seq) {
            replay.act(action)?;
        }
        let difference = replay.call(call)?;
        if let Some(difference) = difference {
            report(&difference);
            if !plan.all {
                break;
            }
        }
    }
    Ok(replay.summary)
}

/// A replay under way.
struct Replay<'a> {
    plan: Plan<'a>,
    registry: Registry,
    world: Arc<World>,
    /// A key that was minted for another world.
    foreign: String,
    /// The present files of the scenario of the run.
    recorded: Arc<ScenarioFiles>,
    /// How the scenario changed; found when an answer differs.
    changes: Option<Changes>,
    /// Number of entries of the timeline that happened.
    happened: usize,
    summary: Summary,
}

impl<'a> Replay<'a> {
    fn start(plan: Plan<'a>) -> Result<Self, NotReplayed> {
        let first =
            plan.bundle.manifest.loads.first().ok_or_else(|| NotReplayed("it has no load".to_owned()))?;
        let recorded = load(plan.bundle, first)?;
        let snapshot = match plan.scenario {
            Some(path) => load_other(plan, path, first)?,
            None => Arc::clone(&recorded),
        };
        // The seed of a world may be another one than its scenario's.
        let seed = Some(Seed(first.seed)).filter(|seed| *seed != recorded.seed);
        let references = snapshot.references(Mode::Frozen);
        let faults = faults(&references, snapshot.keys.all(), &plan.bundle.manifest.faults)?;
        let faults = faults.into_iter().map(Arc::new).collect();
        let none = Limits { world: 0, total: 0, body: 0 };
        let shared = Shared::new(none, None, TimeSource::new(Some(moment(&first.start)?)));
        let name = snapshot.scenario.clone();
        let registry = Registry::new(&name, vec![snapshot], shared)
            .map_err(|_| NotReplayed("its scenario cannot be served".to_owned()))?;
        let clock = PartialSetting {
            start: Some(moment(&plan.bundle.manifest.clock_start)?),
            mode: Some(Mode::Frozen),
        };
        let world = registry
            .make(WorldRequest { start: Start { seed, clock, faults }, ..WorldRequest::default() })?;
        let foreign = registry.make(WorldRequest::default())?;
        let foreign = foreign.minted.as_ref().map(|minted| minted.key.clone()).unwrap_or_default();
        world.run().prepare();
        let recorded = files(&recorded)?;
        let summary = Summary::default();
        Ok(Self { plan, registry, world, foreign, recorded, changes: None, happened: 0, summary })
    }

    fn keyring<'k>(&'k self, snapshot: &'k Snapshot) -> Keyring<'k> {
        let minted = self.world.minted.as_ref().map_or("", |minted| &minted.key);
        Keyring { keys: &snapshot.keys, minted, foreign: &self.foreign }
    }

    fn act(&mut self, line: &ActionLine) -> Result<(), NotReplayed> {
        let at = moment(&line.at)?;
        self.world.run().clock.show(at);
        match &line.action {
            ActionKind::Loaded { .. } if self.plan.scenario.is_some() => {
                let what = format!(
                    "after call {}, the load of the scenario was left out: --scenario stays",
                    line.after
                );
                self.summary.not_done.push(what);
            }
            ActionKind::Loaded { generation } => {
                let loads = &self.plan.bundle.manifest.loads;
                let load_line = loads.iter().find(|load| load.generation == *generation);
                let load_line =
                    load_line.ok_or_else(|| NotReplayed(format!("its load {generation} is missing")))?;
                let snapshot = load(self.plan.bundle, load_line)?;
                self.recorded = files(&snapshot)?;
                self.registry.apply(&snapshot);
                self.world.run().prepare();
            }
            ActionKind::Timeline { count } if self.plan.scenario.is_none() => {
                self.happen(usize::try_from(*count).unwrap_or(usize::MAX), Moment::LAST)?;
            }
            ActionKind::Timeline { .. }
            | ActionKind::Clock
            | ActionKind::ClockMode { .. }
            | ActionKind::Fault { .. }
            | ActionKind::FaultEnabled { .. }
            | ActionKind::FaultRemoved { .. }
            | ActionKind::Review { .. }
            | ActionKind::Question { .. }
            | ActionKind::ReviewChanged { .. }
            | ActionKind::ReviewRemoved { .. }
            | ActionKind::Event { .. }
            | ActionKind::JournalCleared => {
                let snapshot = self.world.snapshot();
                if let Err(why) = actions::perform(&self.world, &self.keyring(&snapshot), line) {
                    let what = serde_json::to_value(&line.action).unwrap_or_default();
                    let what = what["action"].as_str().unwrap_or_default().replace('-', " ");
                    self.summary
                        .not_done
                        .push(format!("after call {}, the {what} could not be done: {why}", line.after));
                }
            }
        }
        Ok(())
    }

    /// Lets entries of the timeline happen.
    fn happen(&mut self, count: usize, by: Moment) -> Result<(), NotReplayed> {
        self.happened += actions::happen(&self.world.run(), count, by);
        if self.happened >= MOST_EVENTS {
            return Err(NotReplayed(format!("more than {MOST_EVENTS} entries of its timeline happen")));
        }
        Ok(())
    }

    /// Sends a call again. Returns how the answer differs.
    fn call(&mut self, line: &CallLine) -> Result<Option<Difference>, NotReplayed> {
        let at = moment(&line.at)?;
        if self.plan.scenario.is_some() {
            // The timeline may be another one than that of the run.
            self.happen(usize::MAX, at)?;
        }
        self.world.run().clock.show(at);
        let snapshot = self.world.snapshot();
        let outcome = send(&self.registry, &self.world, &self.keyring(&snapshot), line);
        self.summary.sent += 1;
        if line.request.body_bytes_not_kept > 0 {
            self.summary.not_compared += 1;
            return Ok(None);
        }
        self.summary.partly += usize::from(line.answer.body_bytes_not_kept > 0);
        let comparison = Comparison::new(&line.answer, &outcome, &self.keyring(&snapshot));
        if comparison.is_same() {
            return Ok(None);
        }
        self.summary.different += 1;
        Ok(Some(self.difference(line, &snapshot, &outcome, comparison)))
    }

    fn difference(
        &mut self,
        line: &CallLine,
        snapshot: &Snapshot,
        outcome: &Outcome,
        Comparison { parts, more }: Comparison,
    ) -> Difference {
        let changes = self.changes.take().unwrap_or_else(|| match &snapshot.files {
            Some(files) => Changes::between(&self.recorded, files),
            None => Changes::between(&self.recorded, &self.recorded),
        });
        let (handled, limited) = (outcome.handled.as_ref(), Code::RateLimited.row().number);
        let codes = [line.answer.code, handled.and_then(|handled| handled.code)];
        let causes = changes.causes(&Differing {
            faults: [line.fault.as_deref(), handled.and_then(Handled::fault)],
            is_rate_limited: codes[0] != codes[1] && codes.contains(&Some(limited)),
            parts: &parts,
        });
        self.changes = Some(changes);
        let minted = self.world.minted.as_ref().map(|minted| minted.key.as_str());
        let mask = Mask::new(&snapshot.keys, minted, self.world.secrets());
        let masked = |text: String| mask.text(&text).into_owned();
        let keys = self.keyring(snapshot);
        let request = &line.request;
        let (method, path) = (keys.fill_text(&request.method), keys.fill_text(&request.path));
        let who = [line.operation.as_deref(), line.key.as_deref()].into_iter().flatten().collect::<Vec<_>>();
        Difference {
            call: masked(format!("call {} {method} {path} ({})", line.seq, who.join(", "))),
            parts: parts
                .into_iter()
                .map(|part| Part {
                    what: masked(part.what),
                    expected: part.expected.map(masked),
                    received: part.received.map(masked),
                })
                .collect(),
            more,
            causes: causes.into_iter().map(masked).collect(),
        }
    }
}

/// Sends a call through the pipeline.
fn send(registry: &Registry, world: &World, keys: &Keyring<'_>, line: &CallLine) -> Outcome {
    let request = &line.request;
    let method = keys.fill_text(&request.method);
    let path = format!("/w/{}{}", world.name, keys.fill_text(&request.path));
    let query = keys.fill_text(&request.query);
    let headers: Vec<(String, Vec<u8>)> =
        request.headers.iter().map(|(name, value)| (keys.fill_text(name), keys.fill(value))).collect();
    let body = keys.fill(&request.body);
    let call = Call {
        method: &method,
        path: &path,
        query: &query,
        headers: headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect(),
        body: if request.body_too_large { Body::TooLarge } else { Body::Whole(&body) },
        connection: 0,
    };
    match receive(registry, call) {
        Ok(received) => pipeline::answer(&received, received.snapshot.dataset()),
        Err(reply) => reply.into(),
    }
}

fn files(snapshot: &Snapshot) -> Result<Arc<ScenarioFiles>, NotReplayed> {
    snapshot.files.clone().ok_or_else(|| NotReplayed("its scenario has no files".to_owned()))
}

/// A load of the scenario of the run.
fn load(bundle: &Bundle, line: &LoadLine) -> Result<Arc<Snapshot>, NotReplayed> {
    let top = Path::new("/");
    let files = bundle.files.iter().map(|(name, bytes)| (top.join(name), bytes.clone()));
    let setup = Setup {
        files: Box::new(Memory(files.collect())),
        paths: vec![top.join(&line.file)],
        root: Some(top.join(&line.root)),
        cwd: top.to_owned(),
        random: Seed(line.seed),
        time: TimeSource::new(Some(moment(&line.now)?)),
        keeps: true,
    };
    read(&setup, line)
}

/// Another scenario in its place.
fn load_other(plan: Plan<'_>, path: &Path, line: &LoadLine) -> Result<Arc<Snapshot>, NotReplayed> {
    if Disk.is_folder(&plan.cwd.join(path)) {
        return Err(NotReplayed(format!("{} is a folder, and --scenario names a file", path.display())));
    }
    let setup = Setup {
        files: Box::new(Disk),
        paths: vec![PathBuf::from(path)],
        root: None,
        cwd: plan.cwd.to_owned(),
        random: Seed(line.seed),
        time: TimeSource::new(Some(moment(&line.now)?)),
        keeps: true,
    };
    read(&setup, line)
}

/// Loads the scenario of a setup, with what the command line of the run made part of it.
fn read(setup: &Setup, line: &LoadLine) -> Result<Arc<Snapshot>, NotReplayed> {
    let mut reading = reload::read(setup);
    let diagnostics =
        reading.folder.all_diagnostics().map(|diagnostic| render::human(diagnostic, true) + "\n\n");
    let diagnostics = format!("its scenario has errors:\n\n{}", diagnostics.collect::<String>());
    if let Some(loaded) = reading.folder.scenarios.first_mut()
        && let Some(scenario) = &mut loaded.scenario
    {
        let references = References::new(&scenario.keys, &scenario.businesses, &scenario.dialect, true);
        let faults = faults(&references, &scenario.keys, &line.faults)?;
        loaded.overrides = Overrides { faults, key: line.further_key.then(mint).flatten() };
        loaded.overrides.apply(scenario);
    }
    let mut loaded = None;
    LoadStatus::default().apply(setup, reading, |snapshot| loaded = Some(snapshot));
    let snapshot = loaded.ok_or_else(|| NotReplayed(diagnostics.trim_end().to_owned()))?;
    let mut snapshot = Snapshot::clone(&snapshot);
    snapshot.generation = line.generation;
    Ok(Arc::new(snapshot))
}

/// Faults that are not in the files of the scenario.
fn faults(references: &References, keys: &[Key], lines: &[FaultLine]) -> Result<Vec<Fault>, NotReplayed> {
    let keys = Keys::new(keys.to_vec());
    let keyring = Keyring { keys: &keys, minted: "", foreign: "" };
    let parse = |FaultLine { name, fault }: &FaultLine| {
        let parsed = admin_input::parse_fault(references, name, &keyring.fill_text(fault));
        parsed.map(|(fault, _)| fault).map_err(|problems| {
            let first = problems.first().map_or("", |problem| &problem.message);
            NotReplayed(format!("the fault {name}, which is not in the files, is not valid: {first}"))
        })
    };
    lines.iter().map(parse).collect()
}
