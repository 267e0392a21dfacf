//! Runs the command once, in a world of its own.

use std::cell::Cell;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::cli::child::capture::Capture;
use crate::cli::child::{self, Ended};
use crate::cli::explore::flags::Flags;
use crate::cli::run::access::Access;
use crate::cli::run::environment::variables;
use crate::cli::run::judge::wait_for_ends;
use crate::cli::serve::Failure;
use crate::clock::{self, Mode};
use crate::expect::record::{Command, Record};
use crate::expect::report::{Report, RuleReport, Score, Verdict};
use crate::explore::line::Given;
use crate::explore::mask::Item;
use crate::explore::oracle::{FailedRule, Observed, longest_run};
use crate::fault::Fault;
use crate::journal::mask::Mask;
use crate::scenario::admin_input::parse_fault;
use crate::scenario::references::References;
use crate::server::admin::record;
use crate::world::World;
use crate::world::create::{Start, WorldRequest};
use crate::world::registry::Registry;
use crate::world::snapshot::Snapshot;

/// How long the command may run after it was asked to end.
const GRACE: Duration = Duration::from_secs(2);
/// How often the calls of a run are counted.
const LOOK: Duration = Duration::from_millis(50);
/// How many times more calls than are no storm end a run early.
const STORM_FACTOR: usize = 4;

/// When a run is ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How long the command may go on while no call begins or ends.
    pub(super) silence: Duration,
    /// Most calls that are no storm.
    pub(super) calls: usize,
}

/// What all runs of an exploration have in common.
pub(super) struct Explorer<'a> {
    pub(super) flags: &'a Flags,
    registry: Arc<Registry>,
    pub(super) snapshot: Arc<Snapshot>,
    address: SocketAddr,
    access: Access,
    pub(super) given: Given,
    /// The number of the signal that ended a run.
    pub(super) interrupted: Cell<Option<i32>>,
    /// As many runs as may take place side by side.
    slots: Semaphore,
}

impl<'a> Explorer<'a> {
    pub(super) fn new(
        flags: &'a Flags,
        registry: Arc<Registry>,
        snapshot: Arc<Snapshot>,
        address: SocketAddr,
        access: Access,
        given: Given,
    ) -> Self {
        let slots = Semaphore::new(flags.jobs.into());
        Self { flags, registry, snapshot, address, access, given, interrupted: Cell::new(None), slots }
    }

    /// Waits for a signal and notes it. Runs end by it too, so that this never returns.
    pub(super) async fn interruption(&self) -> String {
        if let Ok(signal) = child::interruption().await {
            self.interrupted.set(Some(signal));
        }
        std::future::pending().await
    }

    /// Parses a fault by its name and its text.
    ///
    /// # Errors
    /// The scenario does not allow it; the text says why.
    pub(super) fn fault(&self, name: &str, text: &str) -> Result<Arc<Fault>, String> {
        let snapshot = &self.snapshot;
        let frozen = snapshot.clock.mode == Mode::Frozen;
        let references =
            References::new(snapshot.keys.all(), snapshot.businesses(), &snapshot.dialect, frozen);
        let parsed = parse_fault(&references, name, text);
        parsed.map(|(fault, _)| Arc::new(fault)).map_err(|problems| {
            problems.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; ")
        })
    }

    /// Runs the command with some faults.
    ///
    /// # Errors
    /// No world or no process can be made.
    pub(super) async fn run(
        &self,
        faults: Vec<Arc<Fault>>,
        limits: Option<Limits>,
    ) -> Result<Observed, Failure> {
        let _slot = self.slots.acquire().await.map_err(|error| Failure::cannot_start(error.to_string()))?;
        let names: Vec<String> = faults.iter().map(|fault| fault.name.clone()).collect();
        let start = Start { faults, ..Start::default() };
        let world = self.registry.make(WorldRequest { start, ..WorldRequest::default() });
        let world = world.map_err(|error| Failure::cannot_start(error.to_string()))?;
        let observed = self.observe(&world, &names, limits).await;
        // The world may be gone already: the command may remove it.
        let _ = self.registry.remove(&world.name);
        observed
    }

    async fn observe(
        &self,
        world: &World,
        names: &[String],
        limits: Option<Limits>,
    ) -> Result<Observed, Failure> {
        let path = format!("/w/{}", world.name);
        let access = Access { world: world.name.clone(), key: self.access.key.clone(), ..self.access };
        let env = variables(self.address, &path, &access, &self.flags.common.env)?;
        let capture = Arc::new(Capture::default());
        let command = child::Command {
            argv: self.flags.common.command.clone(),
            env,
            timeout: limits.map(|limits| longest_run(limits.silence)),
            grace: GRACE,
            capture: Some(Arc::clone(&capture)),
        };
        let mut running = pin!(child::run(command));
        let mut stormed = false;
        let mut watched = limits;
        let mut last_sign = (clock::real_now(), (0, 0));
        let ended = loop {
            tokio::select! {
                ended = &mut running => break ended,
                () = tokio::time::sleep(LOOK), if watched.is_some() => {
                    let Some(limits) = watched else { continue };
                    let calls = calls(world);
                    if calls != last_sign.1 {
                        last_sign = (clock::real_now(), calls);
                    }
                    stormed = calls.0 > limits.calls * STORM_FACTOR;
                    if stormed || last_sign.0.elapsed() > limits.silence {
                        capture.end();
                        watched = None;
                    }
                }
            }
        };
        let ended = ended.map_err(|error| Failure::cannot_start(error.to_string()))?;
        if let Some(signal) = ended.passed_signal {
            self.interrupted.set(Some(signal));
        }
        let output = capture.tail().await;
        wait_for_ends(world).await;
        Ok(self.judge(world, names, &ended, stormed, &output))
    }

    fn judge(&self, world: &World, names: &[String], ended: &Ended, stormed: bool, output: &str) -> Observed {
        let command = Command {
            argv: self.given.command.clone(),
            exit: ended.exit_code().into(),
            signal: ended.signal,
            timed_out: ended.timed_out,
            duration: ended.duration,
        };
        let record: Record = record::record(world, Some(command));
        let report = Report::new(&record, Vec::new(), Score::Normal);
        let fails = |rule: &&RuleReport| rule.verdict == Verdict::Fail;
        let failed: Vec<&RuleReport> = report.rules.iter().filter(fails).collect();
        let without_exit = (!failed.is_empty()).then(|| {
            let record = Record { command: None, ..record.clone() };
            Report::new(&record, Vec::new(), Score::Normal)
        });
        let is_by_exit = |id: &str| {
            let rules = without_exit.iter().flat_map(|report| &report.rules);
            !rules.filter(fails).any(|rule| rule.id == id)
        };
        let hits = world.faults();
        let minted = world.minted.as_ref().map(|key| key.key.as_str());
        let mask = Mask::new(&record.keys, minted, world.secrets());
        let items = |kind: &str, all: &[serde_json::Value]| {
            all.iter().map(|one| Item::of_stored(kind, one)).collect::<Vec<_>>()
        };
        Observed {
            exit: ended.exit_code().into(),
            hung: ended.timed_out && !stormed,
            stormed,
            duration: ended.duration,
            contacts: items("contact", &record.contacts),
            subscriptions: items("subscription", &record.subscriptions),
            failed_rules: failed
                .iter()
                .map(|rule| FailedRule {
                    id: rule.id,
                    title: rule.title,
                    detail: rule.findings.first().map_or(rule.message.clone(), |found| found.message.clone()),
                    is_by_exit: is_by_exit(rule.id),
                })
                .collect(),
            struck: names
                .iter()
                .map(|name| {
                    hits.iter().find(|status| status.fault.name == *name).map_or(0, |status| status.hits)
                })
                .collect(),
            met: report.coverage.pairs.iter().map(|pair| (pair.operation, pair.code)).collect(),
            pairs: report.coverage.of,
            calls: record.calls,
            output: mask.text(output).into_owned(),
        }
    }

    /// The system's clock, for the budget.
    pub(super) fn now() -> std::time::Instant {
        clock::real_now()
    }
}

/// How many calls of a world have begun, and how many of them have ended.
fn calls(world: &World) -> (usize, usize) {
    let run = world.run();
    let journal = run.journal.read();
    (journal.entries.len(), journal.entries.iter().filter(|entry| entry.ended().is_some()).count())
}
