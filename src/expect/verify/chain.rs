//! Calls to which something happened, and the calls that followed.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::api::error::Code;
use crate::expect::call::{Call, CallEnd};
use crate::expect::expectation::{After, Answer, RetryScope};
use crate::expect::record::Record;
use crate::fault::effect::Kind;

/// By how much a measured time may be off.
pub(super) const TOLERANCE: Duration = Duration::from_millis(20);
/// An HTTP stack repeats a request by itself at most so long after the connection was closed.
const TRANSPORT_RETRY: Duration = Duration::from_millis(5);
/// An arrival may be noted so much before the end of the answer that it follows.
const OVERLAP: Duration = Duration::from_millis(1);

/// The calls with an answer after which something is expected.
pub(super) struct Struck<'a> {
    pub(super) after: &'a After,
    /// Each with the next call of the same request or key.
    pub(super) calls: Vec<(&'a Call, Next<'a>)>,
    pub(super) chains: Vec<Chain<'a>>,
}

/// What follows a call.
#[derive(Clone, Copy)]
pub(super) enum Next<'a> {
    Nothing,
    /// The HTTP stack of the client repeated the request by itself, which says nothing about the client.
    TransportRetry,
    Call(&'a Call),
}

/// A call with the answer, and the calls after it up to the first success.
pub(super) struct Chain<'a> {
    pub(super) first: &'a Call,
    /// Without transport retries.
    pub(super) retries: Vec<&'a Call>,
    /// The times from one call to the next.
    pub(super) gaps: Vec<Duration>,
    /// The last call, which may be a transport retry.
    last: &'a Call,
    had_transport_retry: bool,
}

impl<'a> Struck<'a> {
    pub(super) fn new(record: &'a Record, after: &'a After) -> Self {
        let mut by_request: BTreeMap<u64, Vec<&Call>> = BTreeMap::new();
        let mut by_key: BTreeMap<Option<&str>, Vec<&Call>> = BTreeMap::new();
        for call in &record.calls {
            by_request.entry(call.fingerprint).or_default().push(call);
            by_key.entry(call.sent_key.as_deref()).or_default().push(call);
        }
        let mut struck = Self { after, calls: Vec::new(), chains: Vec::new() };
        for group in by_request.into_values() {
            struck.add(RetryScope::Request, &group);
        }
        for group in by_key.into_values() {
            struck.add(RetryScope::Key, &group);
        }
        struck.calls.sort_by_key(|(call, _)| call.seq);
        struck.chains.sort_by_key(|chain| chain.first.seq);
        struck
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Adds the calls of one request or key.
    fn add(&mut self, scope: RetryScope, group: &[&'a Call]) {
        let mut open: Option<Chain<'a>> = None;
        for (index, call) in group.iter().enumerate() {
            let is_struck = self.strikes(call) && self.scope(call) == scope;
            if is_struck {
                self.calls.push((call, next(scope, call, &group[index + 1..])));
            }
            match &mut open {
                Some(chain) if came_after(scope, chain.first, call) => {
                    chain.add(call);
                    if is_success(call) {
                        self.chains.extend(open.take());
                    }
                }
                None if is_struck => open = Some(Chain::new(call)),
                // It was under way when the answer came, or follows no such answer.
                Some(_) | None => {}
            }
        }
        self.chains.extend(open);
    }

    fn strikes(&self, call: &Call) -> bool {
        let After { answer, operations, .. } = self.after;
        let is_wanted =
            operations.is_empty() || call.operation.is_some_and(|called| operations.contains(&called));
        is_wanted
            && match answer {
                Answer::Error(code) => call.received_code() == Some(*code),
                Answer::Status(status) => call.status == Some(*status),
                Answer::Fault(name) => call.fault.as_ref() == Some(name),
            }
    }

    /// By default, the real rate limit is about the key, and all else about the request.
    fn scope(&self, call: &Call) -> RetryScope {
        let is_injected = matches!(call.effect, Some(Kind::Error | Kind::Status));
        let is_limit = call.received_code() == Some(Code::RateLimited.row().number) && !is_injected;
        self.after.scope.unwrap_or(if is_limit { RetryScope::Key } else { RetryScope::Request })
    }
}

impl<'a> Chain<'a> {
    const fn new(first: &'a Call) -> Self {
        Self { first, retries: Vec::new(), gaps: Vec::new(), last: first, had_transport_retry: false }
    }

    fn add(&mut self, call: &'a Call) {
        if !self.had_transport_retry && is_transport_retry(self.last, call) {
            self.had_transport_retry = true;
        } else {
            self.gaps.extend(gap(self.last, call));
            self.retries.push(call);
        }
        self.last = call;
    }
}

fn next<'a>(scope: RetryScope, call: &'a Call, later: &[&'a Call]) -> Next<'a> {
    match later.iter().find(|later| came_after(scope, call, later)) {
        None => Next::Nothing,
        Some(next) if is_transport_retry(call, next) => Next::TransportRetry,
        Some(next) => Next::Call(next),
    }
}

/// Whether a client can have sent `later` when it had the answer to `call`. Other calls of a key may have been under way.
fn came_after(scope: RetryScope, call: &Call, later: &Call) -> bool {
    let Some(end) = call.end.map(CallEnd::at) else { return later.arrived >= call.arrived + TOLERANCE };
    let is_same = later.connection == call.connection
        || ((scope == RetryScope::Request || later.fingerprint == call.fingerprint)
            && later.arrived + OVERLAP >= end);
    is_same || (scope == RetryScope::Key && later.arrived >= end + TOLERANCE)
}

/// Whether an HTTP stack has repeated a request by itself because its connection was closed without an answer.
fn is_transport_retry(call: &Call, later: &Call) -> bool {
    let is_closed = matches!(call.effect, Some(Kind::Reset | Kind::Close | Kind::Lost));
    let Some(CallEnd::Answered(end)) = call.end else { return false };
    is_closed
        && later.fingerprint == call.fingerprint
        && later.connection != call.connection
        && later.arrived <= end + TRANSPORT_RETRY
}

/// Whether a client got what it asked for.
pub(super) fn is_success(call: &Call) -> bool {
    let is_whole = !matches!(call.effect, Some(Kind::Truncate | Kind::Malformed))
        && !matches!(call.end, Some(CallEnd::HungUp(_)));
    is_whole && call.status.is_some_and(|status| (200..300).contains(&status))
}

/// The time from the end of one call to the arrival of another, by the clock by which it is longer. None while the first
/// is under way.
pub(super) fn gap(call: &Call, later: &Call) -> Option<Duration> {
    let real = later.arrived.saturating_sub(call.end?.at());
    Some(real.max(gap_in_world(call, later, real)))
}

/// The end of a call is known by real time only. While the world's clock runs along with it, both waits are the same; else the
/// clock stood still or was advanced, and what it has moved since the arrival counts.
fn gap_in_world(call: &Call, later: &Call, real: Duration) -> Duration {
    let passed = later.arrived_in_world.saturating_sub(call.arrived_in_world);
    let passed_really = later.arrived.saturating_sub(call.arrived);
    // The world's clock counts in milliseconds.
    if passed.abs_diff(passed_really) <= 2 * OVERLAP { real } else { passed }
}
