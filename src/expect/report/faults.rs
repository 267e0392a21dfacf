//! What the client did after each fault that struck.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::expect::call::Call;
use crate::expect::chain::Chains;
use crate::expect::outcome::Outcome;
use crate::expect::report::{FaultReport, Reaction};

/// Most reactions to a fault in a report.
const MAX_REACTIONS: usize = 100;

/// A call that comes back sooner has not waited.
const AT_ONCE: Duration = Duration::from_millis(10);

/// The faults in the order in which they first struck.
pub(crate) fn report(calls: &[Call], chains: &Chains<'_>) -> Vec<FaultReport> {
    let next = next_calls(chains);
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults: Vec<FaultReport> = Vec::new();
    for call in calls {
        let Some(name) = call.fault.as_deref() else { continue };
        let place = *places.entry(name).or_insert_with(|| {
            faults.push(FaultReport { name: name.to_owned(), struck: 0, then: Vec::new() });
            faults.len() - 1
        });
        let fault = &mut faults[place];
        fault.struck += 1;
        if fault.then.len() < MAX_REACTIONS {
            fault.then.extend(reaction(call, next.get(&call.seq).copied()));
        }
    }
    faults
}

/// A call that follows another in its chain.
#[derive(Clone, Copy)]
struct Next<'a> {
    call: &'a Call,
    /// Whether the HTTP stack sent it.
    is_by_stack: bool,
}

/// The next call of the chain, by the `seq` of each call.
fn next_calls<'a>(chains: &Chains<'a>) -> BTreeMap<u64, Next<'a>> {
    let mut next = BTreeMap::new();
    for chain in &chains.all {
        for link in &chain.links {
            if let Some(retry) = link.transport_retry {
                next.insert(link.call.seq, Next { call: retry, is_by_stack: true });
            }
        }
        for gap in chain.gaps() {
            next.insert(gap.from.seq, Next { call: gap.to, is_by_stack: false });
        }
    }
    next
}

/// What the client did after a call. None if it got a whole answer, so that there was nothing to do.
fn reaction(call: &Call, next: Option<Next<'_>>) -> Option<Reaction> {
    let outcome = call.outcome();
    let wait = next.map(|next| next.call.arrived.saturating_sub(call.ended()));
    let did = match (outcome, next, wait) {
        (Outcome::Read, ..) | (Outcome::UnderWay, None, _) => return None,
        (_, Some(next), Some(wait)) if !next.is_by_stack && wait < AT_ONCE => "hammered",
        (_, Some(_), _) => "retried",
        (Outcome::HungUp, None, _) => "hung up",
        (_, None, _) => "gave up",
    };
    Some(Reaction { call: call.seq, did, next: next.map(|next| next.call.seq), after_ms: wait.map(millis) })
}

/// Milliseconds with three decimals at most.
fn millis(span: Duration) -> f64 {
    let micros = u32::try_from(span.as_micros()).unwrap_or(u32::MAX);
    f64::from(micros) / 1000.0
}
