//! Which fault strikes a request. Nothing here depends on time, threads or order beyond the counters given: chance is
//! drawn from (seed, fault, fingerprint, attempt) alone (`behaviour.md` 6).

use std::time::Duration;

use crate::draw::{Draw, Seed};
use crate::fault::Fault;
use crate::fault::count::{Count, Per, Share};
use crate::fault::counters::{Counters, Plan};
use crate::fault::effect::Effect;
use crate::fault::request::Request;

/// How it came that a fault struck, or did not: what headers, the log and the journal tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Name of the fault that struck, else of the last that counted the request.
    pub fault: String,
    /// How many requests of this fingerprint it had counted before.
    pub attempt: u32,
    /// What was drawn, 0 to 1; none where nothing was left to chance.
    pub draw: Option<f64>,
    /// A draw below this strikes.
    pub threshold: Option<f64>,
    /// Whether it struck.
    pub applied: bool,
    /// Which load of the scenario the fault is from.
    pub generation: u64,
}

/// What becomes of a request.
#[derive(Debug, Default)]
pub struct Verdict<'a> {
    /// The fault that took the request.
    pub taken: Option<&'a Fault>,
    /// How long its answer is held back, over all faults that delay it.
    pub delay: Option<Duration>,
    /// How that was decided; none where no fault counted the request.
    pub decision: Option<Decision>,
    /// The fault that the request itself asked for, if it struck.
    pub preferred: Option<&'a str>,
    /// Draws for what else the struck fault leaves to chance.
    pub draw: Option<Draw>,
}

impl Verdict<'_> {
    /// What becomes of the answer.
    pub fn effect(&self) -> Option<&Effect> {
        self.taken.and_then(|fault| fault.effect.effect.as_ref())
    }
}

/// Decides. All counting of one request is one step: the caller holds the counters for as long as this takes.
#[must_use]
pub fn decide<'a>(
    plan: &'a Plan,
    request: &Request<'_>,
    seed: Seed,
    since_start: Duration,
    counters: &mut Counters,
) -> Verdict<'a> {
    let mut verdict = Verdict::default();
    for (id, fault) in plan.faults() {
        let counts = fault.enabled
            && fault.operations.contains(&request.operation)
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
        };
        let Strike { attempt, draw, threshold, applied } = counted.strikes(seed, counters);
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
            let span = delay.drawn(&mut draw.with(DELAY));
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

/// What a fault counts: a request, or a delivery.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    /// What its draws are for.
    pub purpose: &'static str,
    /// What the fault's counters go by.
    pub id: u64,
    /// The fault's name.
    pub fault: &'a str,
    /// Which of the counted it strikes.
    pub count: &'a Count,
    /// What this and its repetitions have in common.
    pub fingerprint: u64,
    /// The key as sent.
    pub key: Option<&'a str>,
}

/// Whether a fault strikes, and how that came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strike {
    /// How many of this fingerprint it had counted before.
    pub attempt: u32,
    /// What was drawn, 0 to 1; none where nothing was left to chance.
    pub draw: Option<f64>,
    /// A draw below this strikes.
    pub threshold: Option<f64>,
    /// Whether it strikes.
    pub applied: bool,
}

impl Counted<'_> {
    /// The draws that belong to one attempt.
    fn stream(&self, seed: Seed, attempt: u32) -> Draw {
        Draw::new(seed, self.purpose).with_text(self.fault).with(self.fingerprint).with(attempt.into())
    }

    /// Counts it, and decides.
    pub fn strikes(&self, seed: Seed, counters: &mut Counters) -> Strike {
        let Counted { id, fingerprint, .. } = *self;
        let attempt = counters.attempt(id, fingerprint);
        let Count { per, share, .. } = self.count;
        let group = match per {
            Per::World => 0,
            Per::Key => Draw::new(Seed(0), "key").with_text(self.key.unwrap_or_default()).number(),
            Per::Request => fingerprint,
        };
        let (selected, before) = match per {
            Per::Request => {
                let before = u64::from(attempt);
                (self.count.selects(before + 1), self.count.selected_among(before))
            }
            Per::World | Per::Key => {
                let scope = counters.scope(id, group);
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
                let order = Draw::new(seed, "exactly").with_text(self.fault).with(group).with(block);
                (
                    Some(share_of(order.permuted(place, of.into()), of.into())),
                    Some(share_of(hits.into(), of.into())),
                )
            }
        };
        let applied = selected && draw.zip(threshold).is_none_or(|(draw, threshold)| draw < threshold);
        if applied {
            counters.strike(id);
        }
        Strike { attempt, draw, threshold, applied }
    }
}

#[expect(clippy::cast_precision_loss, reason = "both are far below 2^53")]
fn share_of(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
