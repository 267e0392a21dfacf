//! One call as it was received and answered. Its texts lie packed in one piece of memory: an entry is made for every
//! call, and read for few.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;

use crate::api::call::{Body, Call, KeyMatch};
use crate::api::dialect::Dialect;
use crate::api::operation::Operation;
use crate::api::reply::Reply;
use crate::auth::Keys;
use crate::clock::Reading;
use crate::fault::decide::Decision;
use crate::operations::spec::Spec;

/// What is known of a call beside its bytes.
#[derive(Clone, Debug)]
pub struct Facts {
    /// When it arrived in its world.
    pub seq: u64,
    /// What the world's clock showed.
    pub reading: Reading,
    /// The definition of its operation; none where nothing is at its path.
    pub spec: Option<&'static Spec>,
    /// Which key it carries.
    pub place: KeyMatch,
    /// Whether its path began with the world's name.
    pub prefixed: bool,
    /// Whether the client gets an answer at all.
    pub answered: bool,
    /// Code of the error that was answered.
    pub code: Option<u32>,
    /// How the faults decided; none where none counted the call.
    pub decision: Option<Arc<Decision>>,
    /// The keys at that time.
    pub keys: Arc<Keys>,
    /// The API's manners at that time.
    pub dialect: Arc<Dialect>,
    /// What was remarked while it was answered.
    pub notes: Vec<String>,
}

/// One call.
#[derive(Debug)]
pub struct Entry {
    /// What is known of it.
    pub facts: Facts,
    status: u16,
    /// The request's method, path, query, headers and body, the answer's headers, and its body if that is short.
    packed: Box<[u8]>,
    ends: [u32; 6],
    /// The answer's headers that are the same texts in every answer; they come first.
    fixed: [Option<(&'static str, &'static str)>; FIXED],
    /// A long body of the answer, shared with what is sent.
    long: Bytes,
    lost: [usize; 2],
    /// Microseconds until the answer was handed over to be sent, and one more; 0 while it is not.
    took: AtomicU64,
}

/// Most answers have as many headers whose texts are part of the program, and no other.
const FIXED: usize = 3;

/// A body of an answer up to this length is copied, for that is less than to share it.
const SHORT: usize = 1024;

impl Facts {
    pub fn operation(&self) -> Option<Operation> {
        self.spec.map(|spec| spec.operation)
    }
}

impl Entry {
    /// Packs a call and its answer; of a body at most so many bytes are kept.
    #[must_use]
    pub fn new(facts: Facts, call: &Call<'_>, reply: &Reply, most: usize) -> Self {
        let body = call.bytes();
        let body = &body[..body.len().min(most)];
        let answer: &[u8] = if facts.answered { &reply.body } else { &[] };
        let kept = answer.len().min(most);
        let copied = if kept <= SHORT || kept < answer.len() { &answer[..kept] } else { &[] };
        let headers: usize = call.headers.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
        let mut fixed = [None; FIXED];
        let mut others = reply.headers.iter();
        for (place, header) in fixed.iter_mut().zip(&reply.headers) {
            let (Cow::Borrowed(name), Cow::Borrowed(value)) = header else { break };
            *place = Some((*name, *value));
            others.next();
        }
        let answered: usize = others.clone().map(|(name, value)| name.len() + value.len() + 2).sum();
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
        for (name, value) in others {
            pack(&mut packed, name, value.as_bytes());
        }
        end(5, &packed);
        packed.extend_from_slice(copied);
        let long = if copied.is_empty() && kept > 0 { reply.body.clone() } else { Bytes::new() };
        Self {
            status: reply.status,
            packed: packed.into_boxed_slice(),
            ends,
            fixed,
            long,
            lost: [call.bytes().len() - body.len(), answer.len() - kept],
            took: AtomicU64::new(0),
            facts,
        }
    }

    /// How much memory it takes, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.packed.len() + self.long.len() + KEPT
    }

    fn part(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let end = self.ends.get(at).map_or(self.packed.len(), |end| *end as usize);
        self.packed.get(start..end).unwrap_or_default()
    }

    fn text(&self, at: usize) -> &str {
        std::str::from_utf8(self.part(at)).unwrap_or_default()
    }

    /// The call again.
    #[must_use]
    pub fn call(&self) -> Call<'_> {
        Call {
            method: self.text(0),
            path: self.text(1),
            query: self.text(2),
            headers: unpacked(self.part(3)).collect(),
            body: Body::Whole(self.part(4)),
        }
    }

    /// How many bytes of the call's body were not kept.
    #[must_use]
    pub const fn body_lost(&self) -> usize {
        self.lost[0]
    }

    /// How many bytes of the answer's body were not kept.
    #[must_use]
    pub const fn response_lost(&self) -> usize {
        self.lost[1]
    }

    /// The status that the client sees; none where it gets no answer.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.facts.answered.then_some(self.status)
    }

    /// The headers of the answer.
    pub fn response_headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let fixed = self.fixed.iter().flatten().map(|(name, value)| (*name, value.as_bytes()));
        fixed.chain(unpacked(self.part(5)))
    }

    /// The body of the answer, as much of it as was kept.
    #[must_use]
    pub fn response(&self) -> &[u8] {
        if self.long.is_empty() { self.part(6) } else { &self.long }
    }

    /// The fault that took effect, else the last delay.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        self.facts
            .decision
            .as_ref()
            .filter(|decision| decision.applied)
            .map(|decision| decision.fault.as_str())
    }

    /// The answer was handed over to be sent.
    pub fn done(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX - 1);
        self.took.store(micros + 1, Ordering::Relaxed);
    }

    /// How long that took; none while it is not done.
    #[must_use]
    pub fn took(&self) -> Option<Duration> {
        self.took.load(Ordering::Relaxed).checked_sub(1).map(Duration::from_micros)
    }
}

/// What the allocator and the list take for an entry beside its bytes: the counts of its `Arc`, the place in the list,
/// two headers of the allocator.
const KEPT: usize = 64;

/// A header, name and value each with a byte behind it that none can contain (RFC 9110, 5.5).
#[inline]
fn pack(packed: &mut Vec<u8>, name: &str, value: &[u8]) {
    packed.extend_from_slice(name.as_bytes());
    packed.push(0);
    packed.extend_from_slice(value);
    packed.push(b'\n');
}

fn unpacked(mut packed: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
    std::iter::from_fn(move || {
        let name_end = packed.iter().position(|byte| *byte == 0)?;
        let length = packed[name_end + 1..].iter().position(|byte| *byte == b'\n')?;
        let (name, value) = (&packed[..name_end], &packed[name_end + 1..name_end + 1 + length]);
        packed = &packed[name_end + length + 2..];
        Some((std::str::from_utf8(name).unwrap_or_default(), value))
    })
}
