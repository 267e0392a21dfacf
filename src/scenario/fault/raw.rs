//! The raw mirror of a fault: its maps and keys as written. The doc lines are the descriptions in the JSON Schema.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::fault::condition::{During, Prefix};
use crate::fault::count::Hit;
use crate::fault::delay::Delay;
use crate::fault::matching::Accept;
use crate::fault::pointer::Pointer;
use crate::scenario::collections::{NonNullMap, OneOrMany};
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::body::Drip;
use crate::scenario::fault::count::Exactly;
use crate::scenario::node::Node;
use crate::scenario::read::{Read, Spanned, choice, raw, read_value};
use crate::scenario::report::must_be;
use crate::scenario::scalars::{Id, Integer, NonBlank, OperationName, Share, Text, whole_number};

raw! {
    /// A fault: a condition on requests, how often it applies, and the effect on the response.
    pub(crate) struct Fault "a fault" {
        /// Name of the fault, shown in lists and the journal, and used by `Prefer: fault=<name>`.
        required "name" name: NonBlank,
        /// Operations that the fault applies to; a route is `route:NAME`. Default: all.
        optional "operation" operation: OneOrMany<OperationName>,
        /// Condition on the request. All keys must match; of a list of values, one must match.
        optional "when" when: When,
        /// Which requests share one counter: those of the `world`, of one API `key`, or of one `request` and its retries. Default: `world`.
        optional "per" per: Per,
        /// Which of the counted requests are selected, counting from 1: `3`, `1-2`, `4-`, `every 5`, or a list of these. Default: all.
        optional "hits" hits: OneOrMany<Hit>,
        /// Probability that the fault applies to a selected request: `10%` or `0.1`. Default: it applies to all of them.
        optional "chance" chance: Share,
        /// Instead of `chance`: an exact number of requests out of each block, in an order drawn from the seed: `3 of 10`.
        optional "exactly" exactly: Exactly,
        /// Time range on the world's clock, measured from its start: `10s-40s` or `10s-`. Default: always.
        optional "during" during: During,
        /// Whether the fault is on. A disabled fault counts no requests. Default: true.
        optional "enabled" enabled: bool,
        /// Whether the fault counts only requests that ask for it with `Prefer: fault=<name>`. Default: false.
        optional "on_request" on_request: bool,
        /// Effect of the fault on the response.
        required "then" then: Then,
    }

    /// Condition on a request.
    pub(crate) struct When "`when`" {
        /// API key of the request, given as the key itself or its name.
        optional "key" key: OneOrMany<NonBlank>,
        /// Business number that the request names in its path, query, headers or body.
        optional "business" business: OneOrMany<Id>,
        /// Request headers and the values they must have.
        optional "header" header: NonNullMap<OneOrMany<Accept<String>>>,
        /// Query parameters and the values they must have.
        optional "query" query: NonNullMap<OneOrMany<Accept<String>>>,
        /// JSON Pointers into the request body and the values they must have.
        optional "body" body: Node,
        /// First 6 to 16 digits of the request's fingerprint, as the journal shows it: `3f2a9c`.
        optional "fingerprint" fingerprint: OneOrMany<Prefix>,
    }

    /// Effect of a fault: one of `error`, `status`, `connection`, `body` and `lost`. `delay` and `headers` may accompany any of them or stand alone.
    pub(crate) struct Then "`then`" {
        /// Answers with an API error: a code of the catalogue, or a map that overrides its status or message.
        optional "error" error: ErrorSpec,
        /// With `error`: value of the `retry-after` header, in whole seconds.
        optional "retry_after" retry_after: Duration,
        /// Answers with a plain HTTP status, and a body if `json` or `text` is given.
        optional "status" status: FinalStatus,
        /// With `status`: the body as JSON.
        optional "json" json: Node,
        /// With `status`: the body as text.
        optional "text" text: Text,
        /// Changes the headers of the injected response or of the real one.
        optional "headers" headers: HeaderChanges,
        /// Adds latency: `250ms`, `100ms-400ms` (uniform) or `{median: 120ms, p99: 900ms}` (log-normal).
        optional "delay" delay: Delay,
        /// Breaks the connection instead of answering: `reset`, `close`, `stall` or `garbage`.
        optional "connection" connection: Connection,
        /// With `connection: stall`: how long the connection stalls. Default: until the client disconnects.
        optional "for" for_: Duration,
        /// Changes the body of the real response.
        optional "body" body: Body,
        /// Runs the operation and then loses its response.
        optional "lost" lost: Lost,
    }

    /// An API error, with a different status or message if given.
    pub(crate) struct ErrorMap "`error`" {
        /// Error code. With a code outside the catalogue, `status` and `message` are required.
        required "code" code: ErrorCode,
        /// HTTP status. Default: that of the catalogue.
        optional "status" status: FinalStatus,
        /// Error message. Default: that of the catalogue.
        optional "message" message: Text,
    }

    /// Changes to the headers of a response.
    pub(crate) struct HeaderChanges "`headers`" {
        /// Headers to set, with their values.
        optional "set" set: NonNullMap<Text>,
        /// Headers to remove.
        optional "remove" remove: OneOrMany<NonBlank>,
    }

    /// A change to the body of the response: exactly one of the keys.
    pub(crate) struct Body "`body`" {
        /// Sends only this share of the bytes, then resets the connection.
        optional "truncate" truncate: Share,
        /// Sends the body slowly, a number of bytes per interval: `64 per 100ms`.
        optional "drip" drip: Drip,
        /// Sends JSON that ends too early, with status 200 and a matching `content-length`.
        optional "malformed" malformed: bool,
        /// Applies a JSON Patch (RFC 6902) to the real response.
        optional "patch" patch: Vec<Spanned<Change>>,
    }

    /// One operation of a JSON Patch.
    pub(crate) struct Change "a patch entry" {
        /// Kind of change.
        required "op" op: Op,
        /// JSON Pointer to the value that changes.
        required "path" path: Pointer,
        /// For `move` and `copy`: JSON Pointer to the source value.
        optional "from" from: Pointer,
        /// For `add`, `replace` and `test`: the value.
        optional "value" value: Node,
    }

    /// A log-normal distribution of latency.
    pub(crate) struct LogNormal "`delay`" {
        /// Half of the requests are faster than this.
        required "median" median: Duration,
        /// One request in a hundred is slower than this.
        required "p99" p99: Duration,
    }
}

choice! {
    /// Which requests share one counter.
    pub(crate) enum Per { "world" World, "key" Key, "request" Request }
    /// How a connection breaks.
    pub(crate) enum Connection { "reset" Reset, "close" Close, "stall" Stall, "garbage" Garbage }
    /// How a response is lost.
    pub(crate) enum Lost { "reset" Reset }
    /// Kind of change in a JSON Patch.
    pub(crate) enum Op {
        "add" Add, "remove" Remove, "replace" Replace, "move" Move, "copy" Copy, "test" Test,
    }
}

/// The HTTP status of a final response; statuses below 200 are only informational.
pub(crate) type FinalStatus = Integer<200, 599>;
pub(crate) type ErrorCode = Integer<1, { u32::MAX as u64 }>;

/// An API error, written as its code or as a map.
#[derive(Debug, Default)]
pub(crate) struct ErrorSpec(pub(crate) ErrorMap);

impl Read for ErrorSpec {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if node.entries().is_some() {
            return ErrorMap::read(findings, node).map(Self);
        }
        if whole_number(node).is_none() {
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
