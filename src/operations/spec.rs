//! What the definition of an operation holds. Everything that is true of one operation is said in its own file; routing,
//! the fault injector, the scenario checks, the journal and the OpenAPI document read it from here.

use std::fmt;
use std::sync::{LazyLock, Mutex};

use bytes::Bytes;
use serde_json::Value;

use crate::api::call::Call;
use crate::api::dialect::{Dialect, Names};
use crate::api::error::{ApiError, Code};
use crate::api::operation::Operation;
use crate::api::query::AnsweredPage;
use crate::auth::Caller;
use crate::clock::Moment;
use crate::dataset::added::Additions;
use crate::dataset::facts::Dataset;
use crate::ledger::{Full, Ledger};

/// The definition of one operation. Every operation is a POST with a JSON body and a JSON answer.
pub(crate) struct Spec {
    pub(crate) operation: Operation,
    /// One line for the OpenAPI document.
    pub(crate) summary: &'static str,
    /// Path under the base URL. A parameter in braces may only be its last segment.
    pub(crate) path: &'static str,
    pub(crate) key: KeyIn,
    pub(crate) query: &'static [Parameter],
    /// Schema of the body, built from the `Request` of the operation when it is first needed.
    pub(crate) request: LazyLock<Value>,
    /// Whether a call without a body is always refused.
    pub(crate) needs_body: bool,
    /// Schema of the answer, built from the `Response` of the operation when it is first needed.
    pub(crate) response: LazyLock<Value>,
    /// Codes that it answers beside those of every operation (`COMMON_CODES`).
    pub(crate) own_codes: &'static [Code],
    /// Message of the 2003 that a fault injects, and of the example in the OpenAPI document.
    pub(crate) injected_2003: &'static str,
    /// Where a page begins and how long the whole list is, if it answers pages.
    pub(crate) paging: Option<Paging>,
    /// The field of the body whose text is searched for, if there is one.
    pub(crate) searches: Option<&'static str>,
    pub(crate) run: Run,
}

/// Codes that every operation answers.
pub(crate) const COMMON_CODES: [Code; 10] = [
    Code::KeyMissing,
    Code::KeyInvalid,
    Code::RateLimited,
    Code::Validation,
    Code::NotJson,
    Code::Internal,
    Code::NotFound,
    Code::Method,
    Code::TooLarge,
    Code::MediaType,
];

/// Where a call carries its API key.
#[derive(Clone, Copy)]
pub(crate) enum KeyIn {
    /// In the header `x-api-key`.
    Header,
    /// In the body, read by this function. It fails with 2466 where the body is not a JSON object.
    Body(fn(&Call<'_>) -> Result<Option<String>, ApiError>),
}

/// A query parameter.
pub(crate) struct Parameter {
    pub(crate) name: ParameterName,
    pub(crate) kind: ParameterKind,
    pub(crate) required: bool,
}

/// The name of a query parameter: fixed, or one that the dialect can change.
#[derive(Clone, Copy)]
pub(crate) enum ParameterName {
    Fixed(&'static str),
    Dialect(fn(&Names) -> &str),
}

impl ParameterName {
    pub(crate) fn get(self, dialect: &Dialect) -> &str {
        match self {
            Self::Fixed(name) => name,
            Self::Dialect(name) => name(&dialect.names),
        }
    }
}

/// What a query parameter takes.
#[derive(Clone, Copy)]
pub(crate) enum ParameterKind {
    /// An integer of at least `min` and, where there is one, at most `max`.
    Integer { min: u64, max: Option<u64>, default: u64 },
    /// One of these words, the first unless given.
    Word(&'static [&'static str]),
    /// One of these numbers, the first unless given.
    Number(&'static [u64]),
    /// True or false, false unless given.
    Boolean,
    /// The number of a business.
    Business,
}

/// Reads the length of a page from a body.
pub(crate) type ReadCount = fn(&[u8]) -> Option<u64>;

/// How the pages of a list are asked for and answered.
pub(crate) struct Paging {
    pub(crate) start: StartIndex,
    /// The query parameter with the length of a page, where there is one.
    pub(crate) count: Option<ParameterName>,
    /// The field of the body with the length of a page, where it has one, and what reads it.
    pub(crate) body_count: Option<(&'static str, ReadCount)>,
    /// The member of the answer with the length of the list. None if the answer is only the page.
    pub(crate) total: Option<&'static str>,
    /// What an element of the list is.
    pub(crate) element: &'static str,
}

impl Paging {
    /// The length of the page that a call asks for, if it says one.
    pub(crate) fn asked(&self, call: &Call<'_>, dialect: &Dialect) -> Option<u64> {
        if let Some(name) = self.count {
            return call.parameter(name.get(dialect))?.trim().parse().ok();
        }
        self.body_count.and_then(|(_, count)| count(call.bytes()))
    }

    /// Whether a query parameter says which page of the list is wanted.
    pub(crate) fn is_in_query(&self, name: &str, dialect: &Dialect) -> bool {
        let start = match self.start {
            StartIndex::Query(start) => Some(start),
            StartIndex::Body(_) => None,
        };
        start.into_iter().chain(self.count).any(|known| known.get(dialect) == name)
    }

    /// The fields of the body that say which page of the list is wanted.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static str> {
        let start = match self.start {
            StartIndex::Query(_) => None,
            StartIndex::Body(start) => Some(start),
        };
        start.into_iter().chain(self.body_count.map(|(count, _)| count))
    }
}

/// Where a call says at which index a page starts.
pub(crate) enum StartIndex {
    Query(ParameterName),
    Body(&'static str),
}

/// The computation of an operation, by what it needs settled first.
pub(crate) enum Run {
    /// The call names an account in `x-business-number`. Where it does not, the code answers.
    ForAccount(Code, fn(&Context<'_>, &Authorized<'_>, account: u32) -> Result<Done, ApiError>),
    ForKey(fn(&Context<'_>, &Authorized<'_>) -> Result<Done, ApiError>),
}

/// What an operation works with: the scenario's facts and dialect, and what was written to the world.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) dialect: &'a Dialect,
    /// Names of webhook events that the scenario adds.
    pub(crate) events: &'a [String],
    pub(crate) dataset: &'a Dataset,
    /// Reviews and questions added to the world at runtime.
    pub(crate) added: Option<&'a Additions>,
    pub(crate) ledger: &'a Mutex<Ledger>,
    /// The time by the world's clock.
    pub(crate) now: Moment,
}

/// A call whose key and rate limit are settled.
#[derive(Clone, Copy)]
pub(crate) struct Authorized<'a> {
    pub(crate) call: &'a Call<'a>,
    pub(crate) caller: Caller<'a>,
    /// The path parameter, decoded; empty where the path has none.
    pub(crate) parameter: &'a str,
}

/// What an operation did: its 200 answer, and what the rest of the program wants to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// JSON.
    pub(crate) body: Bytes,
    /// Number of the account that the call was about.
    pub(crate) account: u64,
    /// The contact that was created or updated.
    pub(crate) contact: Option<u64>,
    /// A remark for the journal.
    pub(crate) note: Option<String>,
    /// The page of a list that it answered.
    pub(crate) page: Option<AnsweredPage>,
}

impl Done {
    /// An operation that answers this value and was about this account.
    pub(crate) fn new(account: u64, response: &impl serde::Serialize) -> Self {
        Self { body: json(response), account, contact: None, note: None, page: None }
    }
}

/// The error of a call for whose data the world has no room.
pub(crate) fn full(full: Full) -> ApiError {
    ApiError { message: "The world is full".into(), ..ApiError::new(Code::TooLarge, full.to_string()) }
}

/// The JSON of an answer.
pub(crate) fn json(response: &impl serde::Serialize) -> Bytes {
    let mut body = Vec::with_capacity(256);
    let written = serde_json::to_writer(&mut body, response);
    debug_assert!(written.is_ok(), "a response type that is not JSON: {written:?}");
    body.into()
}

impl Spec {
    /// The path parameter of a call to this operation, still percent-encoded and empty where the path has none. None
    /// where the path is that of something else.
    pub(crate) fn matches<'a>(&self, path: &'a str) -> Option<&'a str> {
        let Some((prefix, _)) = self.path.split_once('{') else { return (path == self.path).then_some("") };
        // The path without its last segment counts as a parameter that is missing.
        let parameter =
            path.strip_prefix(prefix).or_else(|| (prefix.strip_suffix('/') == Some(path)).then_some(""))?;
        (!parameter.contains('/')).then_some(parameter)
    }

    /// The name of the path parameter.
    pub(crate) fn path_parameter(&self) -> Option<&'static str> {
        Some(self.path.split_once('{')?.1.trim_end_matches('}'))
    }

    /// All codes that it answers, in the catalogue's order.
    pub(crate) fn codes(&self) -> Vec<Code> {
        let mut codes = [&COMMON_CODES, self.own_codes].concat();
        codes.sort_unstable();
        codes
    }

    /// Names of the query parameters.
    pub(crate) fn parameters<'a>(&'a self, dialect: &'a Dialect) -> impl Iterator<Item = &'a str> {
        self.query.iter().map(|parameter| parameter.name.get(dialect))
    }

    /// Names of the fields of the body.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.request["properties"]
            .as_object()
            .into_iter()
            .flat_map(|fields| fields.keys().map(String::as_str))
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Spec").field(&self.operation).finish()
    }
}

impl PartialEq for Spec {
    fn eq(&self, other: &Self) -> bool {
        self.operation == other.operation
    }
}

impl Eq for Spec {}
