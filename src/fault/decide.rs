//! Decides which fault applies to a request. Apart from the given counters, nothing depends on time, threads or order:
//! chance is drawn from (seed, fault, fingerprint, attempt) alone (`docs/api.md` 6).

use std::time::Duration;

use crate::api::call::KeyMatch;
use crate::draw::{Draw, Seed};
use crate::fault::Fault;
use crate::fault::count::{Count, Per, Share};
use crate::fault::counters::{Counters, Plan};
use crate::fault::effect::{Effect, Kind};
use crate::fault::request::Request;

/// Why a fault did or did not apply to a request, for headers, the log and the journal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decision {
    /// Name of the fault that applied, else of the last one that counted the request.
    pub(crate) fault: String,
    /// How many requests with this fingerprint it had counted before.
    pub(crate) attempt: u32,
    /// The number drawn, from 0 to 1. None if there was no chance.
    pub(crate) draw: Option<f64>,
    /// The fault applies if the draw is below this.
    pub(crate) threshold: Option<f64>,
    pub(crate) applied: bool,
    /// The load of the scenario that the fault comes from.
    pub(crate) generation: u64,
}

/// The outcome of all faults for one request.
#[derive(Debug, Default)]
pub(crate) struct Verdict<'a> {
    /// The fault that took the request.
    pub(crate) taken: Option<&'a Fault>,
    /// The sum of the delays of the faults that applied.
    pub(crate) delay: Option<Duration>,
    /// None if no fault counted the request.
    pub(crate) decision: Option<Decision>,
    /// The fault that the request asked for, if it applied.
    pub(crate) preferred: Option<&'a str>,
    /// Draws for whatever else the fault that took the request leaves to chance.
    pub(crate) draw: Option<Draw>,
}

impl Verdict<'_> {
    pub(crate) fn effect(&self) -> Option<&Effect> {
        self.taken.and_then(|fault| fault.effect.effect.as_ref())
    }

    /// What the faults that applied do to the request. None if none did.
    pub(crate) fn kind(&self) -> Option<Kind> {
        let taken = self.taken.map(|_| self.effect().map_or(Kind::Headers, Effect::kind));
        taken.or_else(|| self.delay.map(|_| Kind::Delay))
    }
}

/// Decides which faults apply, and counts the request. The caller holds the lock of the counters meanwhile.
pub(crate) fn decide<'a>(
    plan: &'a Plan,
    request: &Request<'_>,
    seed: Seed,
    since_start: Duration,
    counters: &mut Counters,
) -> Verdict<'a> {
    let mut verdict = Verdict::default();
    for (id, fault) in plan.faults() {
        let counts = fault.enabled
            && fault.operations.contains(request.operation)
            && fault.during.is_none_or(|during| during.holds(since_start))
            && (!fault.on_request || request.prefers(&fault.name))
            && request.meets(&fault.condition);
        if !counts {
            continue;
        }
        let counted = Counted {
            purpose: "fault",
            id,
            fault: &fault.name,
            count: &fault.count,
            fingerprint: request.fingerprint(),
            key: request.key,
            key_place: match request.key_match {
                KeyMatch::Listed(place) => place as u64 + 1,
                KeyMatch::Any | KeyMatch::Minted | KeyMatch::Unknown | KeyMatch::None => 0,
            },
        };
        let Application { attempt, draw, threshold, applied } = counted.apply(seed, counters);
        let last = verdict.decision.as_ref().is_none_or(|earlier| applied || !earlier.applied);
        if last {
            let (fault, generation) = (fault.name.clone(), plan.generation);
            verdict.decision = Some(Decision { fault, attempt, draw, threshold, applied, generation });
        }
        if !applied {
            continue;
        }
        let draw = counted.stream(seed, attempt);
        if let Some(delay) = &fault.effect.delay {
            let span = delay.draw(&mut draw.with(DELAY));
            verdict.delay = Some(verdict.delay.unwrap_or_default() + span);
        }
        if fault.on_request {
            verdict.preferred = Some(&fault.name);
        }
        if fault.effect.takes_request() {
            verdict.taken = Some(fault);
            verdict.draw = Some(draw.with(EFFECT));
            break;
        }
    }
    verdict
}

const CHANCE: u64 = 1;
const DELAY: u64 = 2;
const EFFECT: u64 = 3;

/// A request or a delivery that a fault counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<'a> {
    /// The purpose of its draws.
    pub(crate) purpose: &'static str,
    /// Id of the fault's counters.
    pub(crate) id: u64,
    /// Name of the fault.
    pub(crate) fault: &'a str,
    pub(crate) count: &'a Count,
    pub(crate) fingerprint: u64,
    /// The key as sent.
    pub(crate) key: Option<&'a str>,
    /// The place of the key among the scenario's, from 1; 0 for any other. Draws depend on this instead of the key itself, since a
    /// minted key is another one in each run.
    pub(crate) key_place: u64,
}

/// Whether a fault applies, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Application {
    /// How many with this fingerprint were counted before.
    pub(crate) attempt: u32,
    /// The number drawn, from 0 to 1. None if there was no chance.
    pub(crate) draw: Option<f64>,
    /// The fault applies if the draw is below this.
    pub(crate) threshold: Option<f64>,
    pub(crate) applied: bool,
}

impl Counted<'_> {
    /// The draws of one attempt.
    fn stream(&self, seed: Seed, attempt: u32) -> Draw {
        Draw::new(seed, self.purpose).with_text(self.fault).with(self.fingerprint).with(attempt.into())
    }

    /// Counts it, and decides whether the fault applies.
    pub(crate) fn apply(&self, seed: Seed, counters: &mut Counters) -> Application {
        let Counted { id, fingerprint, .. } = *self;
        let attempt = counters.attempt(id, fingerprint);
        let Count { per, share, .. } = self.count;
        let key = || Draw::new(Seed(0), "key").with_text(self.key.unwrap_or_default()).number();
        let (selected, before) = match per {
            Per::Request => {
                let before = u64::from(attempt);
                (self.count.selects(before + 1), self.count.selected_among(before))
            }
            Per::World | Per::Key => {
                let scope = if *per == Per::World { counters.world(id) } else { counters.key(id, key()) };
                scope.counted += 1;
                let (selected, before) = (self.count.selects(scope.counted), scope.selected);
                scope.selected += u64::from(selected);
                (selected, before)
            }
        };
        let (draw, threshold) = match *share {
            Share::All => (None, None),
            Share::Chance(parts) => {
                let drawn = self.stream(seed, attempt).with(CHANCE).below(1_000_000);
                (Some(share_of(drawn, 1_000_000)), Some(share_of(parts.into(), 1_000_000)))
            }
            Share::Exactly { hits, of } => {
                let (block, place) = (before / u64::from(of.max(1)), before % u64::from(of.max(1)));
                let group = match per {
                    Per::World => 0,
                    Per::Key => self.key_place,
                    Per::Request => fingerprint,
                };
                let order = Draw::new(seed, "exactly").with_text(self.fault).with(group).with(block);
                (
                    Some(share_of(order.permuted(place, of.into()), of.into())),
                    Some(share_of(hits.into(), of.into())),
                )
            }
        };
        let applied = selected && draw.zip(threshold).is_none_or(|(draw, threshold)| draw < threshold);
        if applied {
            counters.hit(id);
        }
        Application { attempt, draw, threshold, applied }
    }
}

#[expect(clippy::cast_precision_loss, reason = "both are far below 2^53")]
fn share_of(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
