//! The mirror of a scenario file: its maps and their keys, as written. What they mean together is checked in `validate`.

use serde_json::{Map, Value as Json, json};

use crate::auth::RateLimit;
use crate::clock::Moment;
use crate::scenario::collections::Dictionary;
use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Node, Value};
use crate::scenario::raw_records::{ContactEntry, QuestionEntry, ReviewEntry};
use crate::scenario::read::{Read, Spanned, choice, raw, read_value};
use crate::scenario::report::must_be;
use crate::scenario::scalars::{
    Id, Integer, MAX_SAFE_INTEGER, NonBlank, Tenths, Text, WorldName, parse_digits,
};

/// A list whose entries have their places.
pub type List<T> = Vec<Spanned<T>>;

raw! {
    /// A scenario: what the fake backend is.
    pub struct ScenarioFile "a scenario" {
        /// Version of the format: 1.
        required "standin" standin: Text,
        /// Its name; by default that of the file.
        optional "name" name: WorldName,
        /// One line about it, shown in listings and the console.
        optional "summary" summary: Text,
        /// This file is there only to be included.
        optional "part" part: bool,
        /// Files merged before this one, in order; the later wins.
        optional "include" include: List<NonBlank>,
        /// From what all chance is drawn: a number, or `random`; by default 1.
        optional "seed" seed: Seed,
        /// The clock; by default the system's time, running.
        optional "clock" clock: Clock,
        /// API keys; with none given, any non-empty key is taken and covers everything.
        optional "keys" keys: List<Key>,
        /// Accounts and their locations.
        optional "businesses" businesses: List<Business>,
        /// What goes wrong, and when.
        optional "faults" faults: List<Node>,
        /// Events and their delivery.
        optional "webhooks" webhooks: Node,
        /// What a well-behaved client does.
        optional "expect" expect: List<Node>,
        /// Plain stubs of operations that the interface document does not show.
        optional "routes" routes: List<Node>,
        /// What differs in the API's manners.
        optional "dialect" dialect: Dialect,
    }

    /// The clock.
    pub struct Clock "`clock`" {
        /// Where it starts; by default the system's time.
        optional "start" start: Moment,
        /// How it goes; by default it runs.
        optional "mode" mode: Mode,
    }

    /// An API key.
    pub struct Key "an API key" {
        /// The key itself.
        required "key" key: NonBlank,
        /// Its name in logs and the journal.
        optional "name" name: NonBlank,
        /// Numbers of the accounts it covers; by default all.
        optional "accounts" accounts: List<Id>,
        /// How many requests it may make: `600 per 1m`.
        optional "rate_limit" rate_limit: RateLimit,
        /// Whether it is refused.
        optional "revoked" revoked: bool,
        /// `own`: it lives in a world of its own, called by its name.
        optional "world" world: KeyWorld,
    }

    /// An account, or a reseller above accounts.
    pub struct Business "a business" {
        /// Its number, unique among businesses and locations.
        required "number" number: Id,
        /// Its name.
        required "name" name: NonBlank,
        /// What it is; by default an enterprise.
        optional "type" kind: Kind,
        /// Number of the reseller above it.
        optional "parent" parent: Id,
        /// Phrase bank of its generated texts.
        optional "category" category: NonBlank,
        /// Sentiment score of its industry, 0-100.
        optional "industry_score" industry_score: Score,
        /// Whether `smsPreferences` are taken; by default not.
        optional "text_categorisation" text_categorisation: bool,
        /// Email addresses of its users.
        optional "users" users: List<NonBlank>,
        /// Names of its hierarchy's levels, highest first.
        optional "levels" levels: List<NonBlank>,
        /// Numbers of its competitors.
        optional "competitors" competitors: List<Id>,
        /// Its locations.
        optional "locations" locations: List<Location>,
        /// Its contacts: given, from a file, or generated.
        optional "contacts" contacts: List<ContactEntry>,
    }

    /// A location of an account.
    pub struct Location "a location" {
        /// Its number, unique among businesses and locations.
        required "number" number: Id,
        /// Its name.
        required "name" name: NonBlank,
        /// Level to the location's name at that level.
        optional "levels" levels: Dictionary<NonBlank>,
        /// Its reviews: given, from a file, or generated.
        optional "reviews" reviews: List<ReviewEntry>,
        /// Its questions: given, from a file, or generated.
        optional "questions" questions: List<QuestionEntry>,
    }

    /// What differs in the API's manners where the interface document is silent.
    pub struct Dialect "`dialect`" {
        /// Names of query parameters.
        optional "names" names: Names,
        /// Catalogue number to HTTP status, or to a map of operation to status.
        optional "statuses" statuses: Dictionary<Statuses>,
        /// Whether `toDate` of the review list belongs to its range.
        optional "to_date" to_date: ToDate,
        /// Whether the retired query parameter `api_key` is taken.
        optional "query_api_key" query_api_key: QueryApiKey,
        /// Where a contact update must have its email or phone: stored or in the request.
        optional "contact_identity" contact_identity: ContactIdentity,
        /// Whether a rate-limit refusal carries `Retry-After`.
        optional "retry_after" retry_after: bool,
        /// Origins that may call from a browser: `any`, `none` or a list.
        optional "cors" cors: Cors,
        /// More review sources, or others in place of the known ones.
        optional "sources" sources: Dictionary<Source>,
    }

    /// Names of the query parameters that the interface document does not show.
    pub struct Names "`names`" {
        /// First review of the list; by default `sindex`.
        optional "start_index" start_index: NonBlank,
        /// Number of reviews; by default `count`.
        optional "count" count: NonBlank,
        /// True for a competitor's reviews; by default `isCompetitor`.
        optional "competitor" competitor: NonBlank,
        /// The business of the Q&A list; by default `businessId`.
        optional "business" business: NonBlank,
    }

    /// A review source.
    pub struct Source "a source" {
        /// The name in answers; by default the alias.
        optional "name" name: NonBlank,
        /// Whether its reviews recommend or not in place of giving stars; by default not.
        optional "recommendation" recommendation: bool,
        /// Whether its reviews can be replied to; by default not.
        optional "reply" reply: bool,
    }
}

choice! {
    /// How a clock goes.
    pub enum Mode { "frozen" Frozen, "running" Running }
    /// The world of a key.
    pub enum KeyWorld { "own" Own }
    /// The two kinds of account.
    pub enum Kind { "enterprise" Enterprise, "reseller" Reseller }
    /// Whether `toDate` belongs to its range.
    pub enum ToDate { "inclusive" Inclusive, "exclusive" Exclusive }
    /// What becomes of the retired query parameter.
    pub enum QueryApiKey { "refuse" Refuse, "accept" Accept }
    /// Where a contact update must have its email or phone.
    pub enum ContactIdentity { "stored" Stored, "request" Request }
}

/// From what all chance is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seed {
    /// A number.
    Fixed(u64),
    /// One picked anew by each process.
    Random,
}

impl Read for Seed {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let text = node.scalar().map_or("", |scalar| &scalar.text);
        let number = parse_digits(text).filter(|number| *number <= MAX_SAFE_INTEGER);
        match number {
            Some(number) => Some(Self::Fixed(number)),
            None if text == "random" => Some(Self::Random),
            None => {
                must_be(findings, node, "a whole number from 0, below 2^53, or `random`");
                None
            }
        }
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "anyOf": [{ "type": "integer", "minimum": 0, "maximum": MAX_SAFE_INTEGER }, { "const": "random" }] })
    }
}

/// A score from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score(pub f64);

impl Read for Score {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        Tenths::read(findings, node).map(|tenths| Self(f64::from(tenths.0) / 10.0))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        Tenths::schema(definitions)
    }
}

/// Which origins may call from a browser.
#[derive(Clone, Debug)]
pub enum Cors {
    /// Every one.
    Any,
    /// None.
    None,
    /// These.
    Origins(List<NonBlank>),
}

impl Read for Cors {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        match &node.value {
            Value::List(_) => Read::read(findings, node).map(Self::Origins),
            Value::Scalar(scalar) if &*scalar.text == "any" => Some(Self::Any),
            Value::Scalar(scalar) if &*scalar.text == "none" => Some(Self::None),
            Value::Null | Value::Map(_) | Value::Scalar(_) => {
                must_be(findings, node, "`any`, `none` or a list of origins");
                None
            }
        }
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        json!({ "anyOf": [{ "enum": ["any", "none"] }, List::<NonBlank>::schema(definitions)] })
    }
}

/// An HTTP status.
pub type Status = Integer<200, 599>;

/// The status of a code, for all operations or by operation.
#[derive(Clone, Debug)]
pub enum Statuses {
    /// For all.
    All(Status),
    /// By operation.
    By(Dictionary<Status>),
}

impl Read for Statuses {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if node.entries().is_some() {
            return Read::read(findings, node).map(Self::By);
        }
        read_value::<Status>(findings, "statuses", node).map(|status| Self::All(status.value))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        let (one, by) = (Status::schema(definitions), Dictionary::<Status>::schema(definitions));
        json!({ "anyOf": [one, by] })
    }
}
