//! The mirror of a fault: its maps and their keys, as written.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::api::operation::Operation;
use crate::fault::condition::During;
use crate::fault::count::Hit;
use crate::fault::delay::Delay;
use crate::fault::pointer::Pointer;
use crate::scenario::collections::NonNullMap;
use crate::scenario::collections::OneOrMany;
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::body::Drip;
use crate::scenario::fault::count::Exactly;
use crate::scenario::node::Node;
use crate::scenario::read::{Read, Spanned, choice, raw, read_value};
use crate::scenario::report::must_be;
use crate::scenario::scalars::{Id, Integer, NonBlank, Share, Text};

raw! {
    /// A fault: what goes wrong, for whom, how often.
    pub struct Fault "a fault" {
        /// Its name, by which it is listed and can be asked for.
        required "name" name: NonBlank,
        /// The operations it strikes; by default all.
        optional "operation" operation: OneOrMany<Operation>,
        /// What must hold of the request; all of it, and any of a list of values.
        optional "when" when: When,
        /// What is counted together; by default the requests of the world.
        optional "per" per: Per,
        /// Which of the counted are selected, from 1 on: `3`, `1-2`, `4-`, `every 5`, or a list of these; by default all.
        optional "hits" hits: OneOrMany<Hit>,
        /// Chance of each of those to be struck; by default all are.
        optional "chance" chance: Share,
        /// In place of `chance`: exactly so many of each block, in a seeded order: `3 of 10`.
        optional "exactly" exactly: Exactly,
        /// When, by the world's clock since its start: `10s-40s`.
        optional "during" during: During,
        /// Whether it counts at all; by default it does.
        optional "enabled" enabled: bool,
        /// Whether it counts only requests that name it: `Prefer: fault=<name>`; by default it counts all.
        optional "on_request" on_request: bool,
        /// What the client sees.
        required "then" then: Then,
    }

    /// What must hold of a request.
    pub struct When "`when`" {
        /// An API key, by itself or by its name.
        optional "key" key: OneOrMany<NonBlank>,
        /// A business number that the request names anywhere.
        optional "business" business: OneOrMany<Id>,
        /// Headers and their values.
        optional "header" header: NonNullMap<OneOrMany<Text>>,
        /// Query parameters and their values.
        optional "query" query: NonNullMap<OneOrMany<Text>>,
        /// Places in the body (JSON Pointers) and what stands there.
        optional "body" body: Node,
    }

    /// What the client sees: one effect, and beside any of them `delay` and `headers`.
    pub struct Then "`then`" {
        /// An error of the catalogue: its code, or a map that overrides its status or message.
        optional "error" error: ErrorSpec,
        /// Beside `error`: the header `retry-after`.
        optional "retry_after" retry_after: Duration,
        /// A plain HTTP status, with `json` or `text`.
        optional "status" status: FinalStatus,
        /// Beside `status`: the body, as JSON.
        optional "json" json: Node,
        /// Beside `status`: the body, as text.
        optional "text" text: Text,
        /// Changed headers, on this answer or on the real one.
        optional "headers" headers: HeaderChanges,
        /// Latency: `250ms`, `100ms-400ms` or `{median: 120ms, p99: 900ms}`.
        optional "delay" delay: Delay,
        /// No answer: `reset`, `close`, `stall` or `garbage`.
        optional "connection" connection: Connection,
        /// Beside `connection: stall`: how long; by default until the client leaves.
        optional "for" for_: Duration,
        /// Another body.
        optional "body" body: Body,
        /// The operation takes effect, its answer is lost.
        optional "lost" lost: Lost,
    }

    /// An error of the catalogue, and what is different about it.
    pub struct ErrorMap "`error`" {
        /// Its code.
        required "code" code: ErrorCode,
        /// The HTTP status, in place of the catalogue's.
        optional "status" status: FinalStatus,
        /// The message, in place of the catalogue's.
        optional "message" message: Text,
    }

    /// Changed headers.
    pub struct HeaderChanges "`headers`" {
        /// Headers and the values they get.
        optional "set" set: NonNullMap<Text>,
        /// Headers that are taken away.
        optional "remove" remove: OneOrMany<NonBlank>,
    }

    /// What becomes of the body: one of these.
    pub struct Body "`body`" {
        /// Cut off after this share of the bytes, then a reset.
        optional "truncate" truncate: Share,
        /// So many bytes at a time: `64 per 100ms`.
        optional "drip" drip: Drip,
        /// JSON cut at a token, with status 200 and a fitting length.
        optional "malformed" malformed: bool,
        /// JSON Patch (RFC 6902) on the real answer.
        optional "patch" patch: Vec<Spanned<Change>>,
    }

    /// One change of a JSON Patch.
    pub struct Change "a patch entry" {
        /// What is done.
        required "op" op: Op,
        /// Where: a JSON Pointer.
        required "path" path: Pointer,
        /// Beside `move` and `copy`: where it comes from.
        optional "from" from: Pointer,
        /// Beside `add`, `replace` and `test`: the value.
        optional "value" value: Node,
    }

    /// A log-normal latency.
    pub struct LogNormal "`delay`" {
        /// Half of the requests are faster.
        required "median" median: Duration,
        /// One in a hundred is slower.
        required "p99" p99: Duration,
    }
}

choice! {
    /// What is counted together.
    pub enum Per { "world" World, "key" Key, "request" Request }
    /// What becomes of a connection.
    pub enum Connection { "reset" Reset, "close" Close, "stall" Stall, "garbage" Garbage }
    /// How an answer is lost.
    pub enum Lost { "reset" Reset }
    /// What a change of a JSON Patch does.
    pub enum Op {
        "add" Add, "remove" Remove, "replace" Replace, "move" Move, "copy" Copy, "test" Test,
    }
}

/// The HTTP status of a whole answer: those below 200 only announce one.
pub type FinalStatus = Integer<200, 599>;
/// The number in an error body.
pub type ErrorCode = Integer<1, { u32::MAX as u64 }>;

/// An error: its code, or a map.
#[derive(Debug, Default)]
pub struct ErrorSpec(pub ErrorMap);

impl Read for ErrorSpec {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if node.entries().is_some() {
            return ErrorMap::read(findings, node).map(Self);
        }
        let number = node
            .scalar()
            .is_some_and(|scalar| crate::scenario::scalars::parse_digits(&scalar.text).is_some());
        if !number {
            must_be(findings, node, "a code of the catalogue (`89`), or `{code, status, message}`");
            return None;
        }
        let code = read_value(findings, "error", node);
        code.is_some().then_some(Self(ErrorMap { span: node.span, code, ..ErrorMap::default() }))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "anyOf": [ErrorCode::schema(definitions), ErrorMap::schema(definitions)] })
    }
}
