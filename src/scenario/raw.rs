//! The raw form of a scenario file: its maps and keys as written. `validate` checks how they fit together. The doc lines of
//! maps and keys become descriptions in the JSON Schema.

use serde_json::{Map, Value as Json, json};

use crate::auth::RateLimit;
use crate::expect::scorecard::settings::Settings;
use crate::scenario::collections::Dictionary;
use crate::scenario::diagnostic::Findings;
use crate::scenario::node::{Node, Value};
use crate::scenario::raw_records::{ContactEntry, CountryCode, QuestionEntry, ReviewEntry};
use crate::scenario::read::{Read, Spanned, choice, raw, read_value};
use crate::scenario::report::must_be;
use crate::scenario::scalars::{
    ApiKey, Email, Id, Integer, MAX_SAFE_INTEGER, NonBlank, Tenths, Text, WorldName, whole_number,
};
use crate::scenario::times::ClockStart;

/// A list whose entries have spans.
pub(crate) type List<T> = Vec<Spanned<T>>;

raw! {
    /// A scenario file, which describes the whole fake backend.
    pub(crate) struct ScenarioFile "a scenario" {
        /// Version of the scenario format; always 1.
        required "standin" standin: Text,
        /// Name of the scenario and of its world. Default: the file name without its extension.
        optional "name" name: WorldName,
        /// One line about the scenario, shown in listings and the console.
        optional "summary" summary: Text,
        /// True for a file that only exists to be included by others.
        optional "part" part: bool,
        /// Files to merge, in order. Later files override earlier ones, and this file overrides them all.
        optional "include" include: List<NonBlank>,
        /// Seed of all random data and decisions: a number, or `random` for a new seed at each start. Default: 1.
        optional "seed" seed: Seed,
        /// The virtual clock. By default it starts at the system time and runs.
        optional "clock" clock: Clock,
        /// API keys. If there are none, any non-empty key is accepted and covers all accounts.
        optional "keys" keys: List<Key>,
        /// Accounts and their locations.
        optional "businesses" businesses: List<Business>,
        /// Faults to inject, in the order in which they are considered.
        optional "faults" faults: List<Node>,
        /// Webhook events and how they are delivered.
        optional "webhooks" webhooks: Node,
        /// Expectations about the client's behaviour.
        optional "expect" expect: List<Node>,
        /// Thresholds of the scorecard's rules, or `off` for a rule.
        optional "scorecard" scorecard: Settings,
        /// Stubs of operations that the simulated API does not have.
        optional "routes" routes: List<Node>,
        /// Variations of the API's behaviour where its document is silent.
        optional "dialect" dialect: Dialect,
        /// Buttons for a demonstration.
        optional "demo" demo: List<Node>,
    }

    /// The virtual clock.
    pub(crate) struct Clock "`clock`" {
        /// The instant at which the clock starts; `now` is that of the load. Default: the system time when the world starts.
        optional "start" start: ClockStart,
        /// Whether the clock runs or stands still. Default: running.
        optional "mode" mode: Mode,
    }

    /// An API key.
    pub(crate) struct Key "an API key" {
        /// The key itself, as clients send it.
        required "key" key: ApiKey,
        /// Name of the key in logs and in the journal.
        optional "name" name: NonBlank,
        /// Numbers of the accounts that the key covers. Default: all accounts.
        optional "accounts" accounts: List<Id>,
        /// Maximum number of requests in a time window: `600 per 1m`. Default: no limit.
        optional "rate_limit" rate_limit: RateLimit,
        /// Whether the key is revoked, so that its requests are rejected. Default: false.
        optional "revoked" revoked: bool,
        /// `own`: requests with this key use a separate world, named like the key.
        optional "world" world: KeyWorld,
    }

    /// An account: an enterprise, or a reseller above enterprises.
    pub(crate) struct Business "a business" {
        /// Number of the account, unique among accounts and locations.
        required "number" number: Id,
        /// Name of the account.
        required "name" name: NonBlank,
        /// Type of the account. Default: enterprise.
        optional "type" kind: Kind,
        /// Number of the reseller above the account.
        optional "parent" parent: Id,
        /// Line of business, which selects the phrases of generated texts. Default: neutral.
        optional "category" category: NonBlank,
        /// City of its locations. Default: generated.
        optional "city" city: NonBlank,
        /// State or region of its locations.
        optional "state" state: NonBlank,
        /// Country of its locations, two letters of ISO 3166: `US`.
        optional "country" country: CountryCode,
        /// Sentiment score of the industry, from 0 to 100. Default: computed from the competitors' reviews.
        optional "industry_score" industry_score: Tenths,
        /// Whether contacts may have `smsPreferences`. Default: false.
        optional "text_categorisation" text_categorisation: bool,
        /// Email addresses of the account's users. Default: any valid address.
        optional "users" users: List<Email>,
        /// Names of the levels of the location hierarchy, highest first.
        optional "levels" levels: List<NonBlank>,
        /// Numbers of the accounts that are competitors.
        optional "competitors" competitors: List<Id>,
        /// Locations of the account.
        optional "locations" locations: List<Location>,
        /// Contacts of the account: single records, records from files, or generated records.
        optional "contacts" contacts: List<ContactEntry>,
    }

    /// A location of an account.
    pub(crate) struct Location "a location" {
        /// Number of the location, unique among accounts and locations.
        required "number" number: Id,
        /// Name of the location.
        required "name" name: NonBlank,
        /// Names of the location's groups in the hierarchy, by level: `{Region: West}`.
        optional "levels" levels: Dictionary<NonBlank>,
        /// City of the location. Default: the account's.
        optional "city" city: NonBlank,
        /// State or region of the location. Default: the account's.
        optional "state" state: NonBlank,
        /// Country of the location, two letters of ISO 3166: `US`. Default: the account's.
        optional "country" country: CountryCode,
        /// Reviews of the location: single records, records from files, or generated records.
        optional "reviews" reviews: List<ReviewEntry>,
        /// Questions about the location: single records, records from files, or generated records.
        optional "questions" questions: List<QuestionEntry>,
    }

    /// Variations of the API's behaviour where its document is silent.
    pub(crate) struct Dialect "`dialect`" {
        /// A set of options: `interface` (the API's document, the default), `published` (as the platform's public documentation has it) or `legacy` (published, for clients of before 2026). The other keys override it.
        optional "preset" preset: Preset,
        /// Names of query parameters that the API's document does not give.
        optional "names" names: Names,
        /// HTTP statuses by error code: a status for all operations, or a map of operation to status.
        optional "statuses" statuses: Dictionary<Statuses>,
        /// Whether the range of the review list includes its `toDate`.
        optional "to_date" to_date: ToDate,
        /// Whether the deprecated query parameter `api_key` is accepted.
        optional "query_api_key" query_api_key: QueryApiKey,
        /// Where a contact update must have an email address or phone number: in the stored contact or in the request.
        optional "contact_identity" contact_identity: ContactIdentity,
        /// Whether a response to a request beyond the rate limit has the header `Retry-After`.
        optional "retry_after" retry_after: bool,
        /// Whether the W3C header `baggage` can name the world of a request: `standin.world=NAME`. Default: true.
        optional "baggage" baggage: bool,
        /// Origins that may send requests from a browser (CORS): `any`, `none` or a list.
        optional "cors" cors: Cors,
        /// Review sources by alias, in addition to the built-in ones or in place of them.
        optional "sources" sources: Dictionary<Source>,
    }

    /// Names of query parameters that the API's document does not give.
    pub(crate) struct Names "`names`" {
        /// Index of the first review in a page. Default: `sindex`.
        optional "start_index" start_index: NonBlank,
        /// Number of reviews in a page. Default: `count`.
        optional "count" count: NonBlank,
        /// True to list a competitor's reviews. Default: `isCompetitor`.
        optional "competitor" competitor: NonBlank,
        /// Business of the list of questions. Default: `businessId`.
        optional "business" business: NonBlank,
    }

    /// A review source.
    pub(crate) struct Source "a source" {
        /// Name of the source in responses. Default: the alias.
        optional "name" name: NonBlank,
        /// Whether its reviews say "recommended" or "not recommended" in place of stars. Default: false.
        optional "recommendation" recommendation: bool,
        /// Whether the owner can reply to its reviews. Default: false.
        optional "reply" reply: bool,
    }
}

choice! {
    /// A set of dialect options.
    pub(crate) enum Preset { "interface" Interface, "published" Published, "legacy" Legacy }
    /// Whether the clock runs or stands still.
    pub(crate) enum Mode { "frozen" Frozen, "running" Running }
    /// The world of a key.
    pub(crate) enum KeyWorld { "own" Own }
    /// The type of an account.
    pub(crate) enum Kind { "enterprise" Enterprise, "reseller" Reseller }
    /// How generated reviews are spread over their days.
    pub(crate) enum Shape { "steady" Steady, "ramp" Ramp, "spike" Spike, "bomb" Bomb }
    /// Whether a range of days includes its last day.
    pub(crate) enum ToDate { "inclusive" Inclusive, "exclusive" Exclusive }
    /// Whether the deprecated query parameter is accepted.
    pub(crate) enum QueryApiKey { "refuse" Refuse, "accept" Accept }
    /// Where a contact update must have an email address or phone number.
    pub(crate) enum ContactIdentity { "stored" Stored, "request" Request }
}

/// The seed of all draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seed {
    Fixed(u64),
    /// Each process picks a new seed.
    Random,
}

impl Read for Seed {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let is_random = node.scalar().is_some_and(|scalar| &*scalar.text == "random");
        match whole_number(node).filter(|number| *number <= MAX_SAFE_INTEGER) {
            Some(number) => Some(Self::Fixed(number)),
            None if is_random => Some(Self::Random),
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

/// The origins that may send requests from a browser.
#[derive(Clone, Debug)]
pub(crate) enum Cors {
    Any,
    None,
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
pub(crate) type Status = Integer<200, 599>;

/// The HTTP status of an error code.
#[derive(Clone, Debug)]
pub(crate) enum Statuses {
    /// The status for all operations.
    All(Status),
    /// Statuses by operation.
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
