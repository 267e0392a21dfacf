//! Calls to which something happened, and the calls that followed.

use std::collections::BTreeMap;

use crate::api::error::Code;
use crate::expect::call::Call;
use crate::expect::chain::{Chain, Chains, Gap};
use crate::expect::expectation::{After, Answer, RetryScope};
use crate::expect::outcome::Outcome;
use crate::expect::record::Record;
use crate::fault::effect::Kind;

/// The calls with an answer after which something is expected.
pub(super) struct Struck<'a> {
    pub(super) after: &'a After,
    /// Each with the next call of the same request or key.
    pub(super) calls: Vec<(&'a Call, Next<'a>)>,
    pub(super) chains: Vec<StruckChain<'a>>,
}

/// What follows a call.
#[derive(Clone, Copy)]
pub(super) enum Next<'a> {
    Nothing,
    /// The HTTP stack of the client repeated the request by itself, which says nothing about the client.
    TransportRetry,
    Call(Gap<'a>),
}

/// A call with the answer, and the tries after it up to the first success.
pub(super) struct StruckChain<'a> {
    /// The call with the answer.
    pub(super) first: &'a Call,
    pub(super) tries: Chain<'a>,
}

impl<'a> Struck<'a> {
    pub(super) fn new(record: &'a Record, after: &'a After) -> Self {
        let mut struck = Self { after, calls: Vec::new(), chains: Vec::new() };
        let chains = Chains::new(&record.calls);
        let mut begun: Begun<'a> = BTreeMap::new();
        for chain in &chains.all {
            begun.entry(chain.first().fingerprint).or_default().push(chain.first());
        }
        for chain in &chains.all {
            struck.add_of_request(&begun, chain);
        }
        let mut by_key: BTreeMap<Option<&str>, Vec<&Call>> = BTreeMap::new();
        for call in &record.calls {
            by_key.entry(call.sent_key.as_deref()).or_default().push(call);
        }
        for calls in by_key.into_values() {
            struck.add_of_key(&calls);
        }
        struck.calls.sort_by_key(|(call, _)| call.seq);
        struck.chains.sort_by_key(|chain| chain.first.seq);
        struck
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Adds the calls of a chain that got the answer, and what followed the first of them.
    fn add_of_request(&mut self, begun: &Begun<'a>, chain: &Chain<'a>) {
        let mut is_first = true;
        for (place, link) in chain.links.iter().enumerate() {
            for call in [Some(link.call), link.transport_retry].into_iter().flatten() {
                if !self.strikes(call) || self.scope(call) != RetryScope::Request {
                    continue;
                }
                let next = match chain.links.get(place + 1) {
                    _ if call.seq != link.outcome().seq => Next::TransportRetry,
                    Some(next) => Next::Call(Gap { from: call, to: next.call }),
                    None => next_chain(begun, call),
                };
                self.calls.push((call, next));
                if std::mem::take(&mut is_first) {
                    let tries = Chain { links: chain.links[place..].to_vec() };
                    self.chains.push(StruckChain { first: call, tries });
                }
            }
        }
    }

    /// Adds the calls of a key that got an answer which is about the key: all later calls of the key follow it.
    fn add_of_key(&mut self, calls: &[&'a Call]) {
        let mut open: Option<StruckChain<'a>> = None;
        for (place, call) in calls.iter().enumerate() {
            let is_struck = self.strikes(call) && self.scope(call) == RetryScope::Key;
            if is_struck {
                let gaps = calls[place + 1..].iter().map(|to| Gap { from: call, to });
                let next = gaps.filter(can_know).map(Next::Call).next();
                self.calls.push((call, next.unwrap_or(Next::Nothing)));
            }
            match &mut open {
                Some(chain) if can_know(&Gap { from: chain.first, to: call }) => {
                    chain.tries.add(call);
                    if call.outcome() == Outcome::Read {
                        self.chains.extend(open.take());
                    }
                }
                None if is_struck => open = Some(StruckChain { first: call, tries: Chain::begin(call) }),
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

/// The first calls of all chains, by their fingerprints and in order.
type Begun<'a> = BTreeMap<u64, Vec<&'a Call>>;

/// What follows the last call of a chain: the next call of the same request, which begins another chain.
fn next_chain<'a>(begun: &Begun<'a>, last: &'a Call) -> Next<'a> {
    let same = begun.get(&last.fingerprint).map(Vec::as_slice).unwrap_or_default();
    let later = &same[same.partition_point(|call| call.seq <= last.seq)..];
    let next = later.iter().find(|call| last.is_over_before(call));
    next.map_or(Next::Nothing, |next| Next::Call(Gap { from: last, to: next }))
}

/// Whether a client can have sent the second call when it had the answer to the first. Other calls of a key may have been
/// under way.
fn can_know(gap: &Gap<'_>) -> bool {
    let is_retry = gap.to.fingerprint == gap.from.fingerprint && gap.from.is_over_before(gap.to);
    is_retry || !gap.was_on_its_way()
}
