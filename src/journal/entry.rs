//! One call as it was received and answered. An entry is made for every call and read for few, so its texts are packed
//! into one allocation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::api::call::{Body, Call, KeyMatch};
use crate::api::dialect::Dialect;
use crate::api::operation::Operation;
use crate::api::query::AnsweredPage;
use crate::api::reply::Reply;
use crate::auth::Keys;
use crate::clock::Reading;
use crate::fault::decide::Decision;
use crate::fault::effect::Kind;
use crate::fault::transmission::SendPlan;
use crate::journal::checks::Check;
use crate::operations::spec::Spec;

/// What is known of a call apart from its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Number of arrival in its world, from 1.
    pub(crate) seq: u64,
    /// The world's clock when it arrived.
    pub(crate) reading: Reading,
    /// Real time of the arrival.
    pub(crate) arrived: Instant,
    /// What the request and its retries have in common (`docs/api.md` 6).
    pub(crate) fingerprint: u64,
    /// How often this fingerprint was seen in the world, from 1.
    pub(crate) attempt: u32,
    /// The definition, for one of the six operations.
    pub(crate) spec: Option<&'static Spec>,
    /// None where neither an operation nor a route answers.
    pub(crate) operation: Option<Operation>,
    /// Whether nothing is at the path.
    pub(crate) unmatched: bool,
    /// Values of the parameters in the path of a route.
    pub(crate) path_values: Box<[String]>,
    pub(crate) key_match: KeyMatch,
    /// Whether the path began with the world's name.
    pub(crate) prefixed: bool,
    /// Whether the client gets an answer.
    pub(crate) answered: bool,
    /// How the reply is sent, unless it is sent at once and completely.
    pub(crate) send_plan: Option<Box<SendPlan>>,
    /// What faults did to the request.
    pub(crate) effect: Option<Kind>,
    /// Code of the API error that was answered.
    pub(crate) code: Option<u32>,
    /// The check that refused the call, unless a fault answered.
    pub(crate) refused_by: Option<Check>,
    /// The page of a list that the operation answered, whether or not the client got it.
    pub(crate) page: Option<AnsweredPage>,
    /// The decision of the last fault that counted the call.
    pub(crate) decision: Option<Arc<Decision>>,
    pub(crate) keys: Arc<Keys>,
    pub(crate) dialect: Arc<Dialect>,
    /// Remarks made while the call was answered.
    pub(crate) notes: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) facts: Facts,
    status: u16,
    /// Whether the body of the request was too large, and discarded.
    is_too_large: bool,
    /// Method, path, query, headers and body of the request, headers of the answer, and its body if that is short.
    packed: Box<[u8]>,
    ends: [u32; 6],
    /// A long body of the answer, shared with the reply that is sent.
    long: Bytes,
    /// Number of bytes of the two bodies that were not kept.
    lost: [usize; 2],
    connection: u64,
    /// Microseconds until the answer was handed over to be sent, plus 1. It is 0 until then.
    duration: AtomicU64,
    /// The same until the exchange ended, and `HUNG_UP` if the client ended it.
    ended: AtomicU64,
}

/// How an exchange ended, with the time since its arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The whole answer was written, or a fault ended the connection.
    Answered(Duration),
    /// The client closed the connection before it had its whole answer.
    HungUp(Duration),
}

/// The bit of `ended` for an exchange that the client ended.
const HUNG_UP: u64 = 1 << 63;

/// An answer body up to this length is copied, which takes less memory than sharing it.
const SHORT: usize = 1024;

impl Facts {
    pub(crate) fn operation(&self) -> Option<Operation> {
        self.operation
    }
}

impl Entry {
    /// Packs a call and its answer. Of each body, at most `limit` bytes are kept.
    pub(crate) fn new(facts: Facts, call: &Call<'_>, reply: &Reply, limit: usize) -> Self {
        let body = call.bytes();
        let body = &body[..body.len().min(limit)];
        // The answer that a fault has lost tells what the operation did.
        let is_kept = facts.answered || facts.effect == Some(Kind::Lost);
        let answer: &[u8] = if is_kept { &reply.body } else { &[] };
        let kept = answer.len().min(limit);
        let copied = if kept <= SHORT || kept < answer.len() { &answer[..kept] } else { &[] };
        let headers: usize = call.headers.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
        let answered: usize = reply.headers.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
        let room = call.method.len() + call.path.len() + call.query.len() + headers + body.len() + answered;
        let mut packed = Vec::with_capacity(room + copied.len());
        let mut ends = [0; 6];
        let mut end =
            |at: usize, packed: &Vec<u8>| ends[at] = u32::try_from(packed.len()).unwrap_or(u32::MAX);
        for (at, text) in [call.method, call.path, call.query].into_iter().enumerate() {
            packed.extend_from_slice(text.as_bytes());
            end(at, &packed);
        }
        for (name, value) in &call.headers {
            pack(&mut packed, name, value);
        }
        end(3, &packed);
        packed.extend_from_slice(body);
        end(4, &packed);
        for (name, value) in &reply.headers {
            pack(&mut packed, name, value.as_bytes());
        }
        end(5, &packed);
        packed.extend_from_slice(copied);
        let long = if copied.is_empty() && kept > 0 { reply.body.clone() } else { Bytes::new() };
        Self {
            status: reply.status,
            is_too_large: matches!(call.body, Body::TooLarge),
            packed: packed.into_boxed_slice(),
            ends,
            long,
            lost: [call.bytes().len() - body.len(), answer.len() - kept],
            connection: call.connection,
            duration: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            facts,
        }
    }

    /// Size in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        size_of::<Self>() + self.packed.len() + self.long.len() + OVERHEAD
    }

    fn part(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let end = self.ends.get(at).map_or(self.packed.len(), |end| *end as usize);
        self.packed.get(start..end).unwrap_or_default()
    }

    fn text(&self, at: usize) -> &str {
        std::str::from_utf8(self.part(at)).unwrap_or_default()
    }

    /// The call as it was received.
    pub(crate) fn call(&self) -> Call<'_> {
        Call {
            method: self.text(0),
            path: self.text(1),
            query: self.text(2),
            headers: unpack(self.part(3)).collect(),
            body: if self.is_too_large { Body::TooLarge } else { Body::Whole(self.part(4)) },
            connection: self.connection,
        }
    }

    /// Number of bytes of the request body that were not kept.
    pub(crate) const fn body_lost(&self) -> usize {
        self.lost[0]
    }

    /// Number of bytes of the answer body that were not kept.
    pub(crate) const fn response_lost(&self) -> usize {
        if self.facts.answered { self.lost[1] } else { 0 }
    }

    /// The status that was decided, also if the client gets no answer.
    pub(crate) const fn decided_status(&self) -> u16 {
        self.status
    }

    /// Number of bytes of the decided answer's body that were not kept.
    pub(crate) const fn decided_response_lost(&self) -> usize {
        self.lost[1]
    }

    /// The status that the client gets. None if it gets no answer.
    pub(crate) fn status(&self) -> Option<u16> {
        self.facts.answered.then_some(self.status)
    }

    pub(crate) fn response_headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        unpack(self.part(5))
    }

    /// The body of the answer that the client got, as far as it was kept.
    pub(crate) fn response(&self) -> &[u8] {
        if self.facts.answered { self.decided_response() } else { &[] }
    }

    /// The body of the answer, also if a fault has lost it.
    pub(crate) fn decided_response(&self) -> &[u8] {
        if self.long.is_empty() { self.part(6) } else { &self.long }
    }

    /// Name of the fault that took effect, else of the last delay.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.facts
            .decision
            .as_ref()
            .filter(|decision| decision.applied)
            .map(|decision| decision.fault.as_str())
    }

    /// Stores that the exchange ends now, unless it has ended.
    pub(crate) fn end(&self, client_hung_up: bool) {
        let flag = if client_hung_up { HUNG_UP } else { 0 };
        let end = (micros(self.facts.arrived.elapsed()) + 1) | flag;
        let _ = self.ended.compare_exchange(0, end, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// How the exchange ended. None until then.
    pub(crate) fn ended(&self) -> Option<End> {
        let ended = self.ended.load(Ordering::Relaxed);
        let after = Duration::from_micros((ended & !HUNG_UP).checked_sub(1)?);
        Some(if ended & HUNG_UP == 0 { End::Answered(after) } else { End::HungUp(after) })
    }

    /// Stores how long it took until the answer was handed over to be sent.
    pub(crate) fn set_duration(&self, duration: Duration) {
        self.duration.store(micros(duration) + 1, Ordering::Relaxed);
    }

    /// Time until the answer was handed over to be sent. None until then.
    pub(crate) fn duration(&self) -> Option<Duration> {
        self.duration.load(Ordering::Relaxed).checked_sub(1).map(Duration::from_micros)
    }
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX).min(HUNG_UP - 2)
}

/// Memory of an entry apart from its bytes: the counters of its `Arc`, the slot in the list, two headers of the allocator.
const OVERHEAD: usize = 64;

/// Appends a header. Name and value end with a byte that neither can contain (RFC 9110, 5.5).
fn pack(packed: &mut Vec<u8>, name: &str, value: &[u8]) {
    packed.extend_from_slice(name.as_bytes());
    packed.push(0);
    packed.extend_from_slice(value);
    packed.push(b'\n');
}

fn unpack(mut packed: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
    std::iter::from_fn(move || {
        let name_end = packed.iter().position(|byte| *byte == 0)?;
        let length = packed[name_end + 1..].iter().position(|byte| *byte == b'\n')?;
        let (name, value) = (&packed[..name_end], &packed[name_end + 1..name_end + 1 + length]);
        packed = &packed[name_end + length + 2..];
        Some((std::str::from_utf8(name).unwrap_or_default(), value))
    })
}
