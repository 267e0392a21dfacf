//! Reads records that arrive in a world: on the timeline, by a button of the demo, or in the body of an admin call. They have the
//! keys of records in a scenario, and the number of their location.

use std::path::Path;

use serde_json::{Map, Value as Json, json};

use crate::api::dialect::Dialect;
use crate::api::sources::Source;
use crate::clock::Moment;
use crate::dataset::arrival::{Answered, NewQuestion, NewResponse, NewReview, ResponseChange, ReviewChange};
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::subjects::{COMMON_SUBJECTS, TRADES};
use crate::dataset::when::GivenDay;
use crate::scenario::diagnostic::{Diagnostic, Findings};
use crate::scenario::json as json_text;
use crate::scenario::node::{Entry, Node, Value};
use crate::scenario::raw_records as raw;
use crate::scenario::read::{RawMap, Read, Spanned, raw, read_value};
use crate::scenario::references::{BusinessKind, References};
use crate::scenario::report::{unknown_key, unknown_reference, wrong_kind};
use crate::scenario::scalars::{Id, NonBlank, Text, parse_digits};
use crate::scenario::source::{Sources, Span};
use crate::scenario::validate::{RecordContext, questions, reviews, text};

raw! {
    /// The owner's response to a review.
    pub(crate) struct Response "a response" {
        /// Id of the review, or `last` for the review that arrived last.
        required "review" review: NonBlank,
        /// Number of the review's account or location, where several accounts have the id.
        optional "business" business: Id,
        /// Text of the response. Default: generated.
        optional "text" text: Text,
        /// Day of the response. Default: the world's present day.
        optional "date" date: GivenDay,
    }

    /// A change of a review.
    pub(crate) struct Change "a change of a review" {
        /// The owner's response; null takes it away.
        optional "response" response: Text,
        /// Day of the response. Default: of a new response the world's present day.
        optional "responseDate" response_date: GivenDay,
        /// Whether the review is published; if not, it is parked.
        optional "published" published: bool,
    }
}

/// A record that arrives, as written. It is read when it is known what its numbers may refer to.
#[derive(Clone, Debug)]
pub(crate) struct Arriving<R>(pub(crate) Node, std::marker::PhantomData<R>);

/// What an arriving record has beyond the keys of its kind, and which of them it may leave out.
pub(crate) trait Arrives: RawMap {
    /// Name of the map in the JSON Schema.
    const SCHEMA: &'static str;
    /// Keys that have a default when the record arrives.
    const OPTIONAL: &'static [&'static str];
    const HAS_SUBJECTS: bool;
}

impl Arrives for raw::Review {
    const SCHEMA: &'static str = "ArrivingReview";
    const OPTIONAL: &'static [&'static str] = &["date"];
    const HAS_SUBJECTS: bool = true;
}

impl Arrives for raw::Question {
    const SCHEMA: &'static str = "ArrivingQuestion";
    const OPTIONAL: &'static [&'static str] = &["date", "question"];
    const HAS_SUBJECTS: bool = false;
}

impl<R: Arrives> Read for Arriving<R> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if node.entries().is_none() {
            wrong_kind(findings, node, &format!("{} is a map (`business: …`)", R::WHAT));
            return None;
        }
        Some(Self(node.clone(), std::marker::PhantomData))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        R::schema(definitions);
        let mut schema = definitions.get(R::NAME).cloned().unwrap_or_default();
        let number = Id::schema(definitions);
        let describe = |mut schema: Json, text: &str| {
            schema["description"] = text.into();
            schema
        };
        for key in R::OPTIONAL {
            let property = schema["properties"][*key].take();
            let description = property["description"].clone();
            schema["properties"][*key] =
                json!({ "anyOf": [property, { "type": "null" }], "description": description });
        }
        schema["properties"]["business"] = describe(number, "Number of the location.");
        if R::HAS_SUBJECTS {
            let subjects = Vec::<Spanned<NonBlank>>::schema(definitions);
            let subjects = json!({ "anyOf": [subjects, { "type": "null" }] });
            schema["properties"]["about"] =
                describe(subjects, "Subjects of generated words, such as `waiting`.");
        }
        if let Some(required) = schema["required"].as_array_mut() {
            required.retain(|key| !R::OPTIONAL.iter().any(|optional| key == optional));
            required.push("business".into());
        }
        definitions.insert(R::SCHEMA.to_owned(), schema);
        json!({ "$ref": format!("#/$defs/{}", R::SCHEMA) })
    }
}

/// What an arriving record may refer to.
pub(crate) struct Surroundings<'a> {
    records: RecordContext,
    kind: &'a dyn Fn(u64) -> Option<BusinessKind>,
    locations: &'a dyn Fn() -> Vec<u64>,
    /// The keys that may hold the number of the location; messages name the first.
    keys: &'static [&'static str],
    /// Whether that number may be quoted, as in the API's answers.
    may_be_quoted: bool,
}

impl<'a> Surroundings<'a> {
    fn new(
        sources: &[Source],
        kind: &'a dyn Fn(u64) -> Option<BusinessKind>,
        locations: &'a dyn Fn() -> Vec<u64>,
        (keys, may_be_quoted): (&'static [&'static str], bool),
    ) -> Self {
        // When the record arrives is not known, so no date is too late.
        let records = RecordContext::new(None, Moment::LAST, sources.to_vec());
        Self { records, kind, locations, keys, may_be_quoted }
    }
}

/// Calls `read` with what records of a scenario's own sections may refer to.
pub(crate) fn within<T>(references: &References, read: impl FnOnce(&Surroundings<'_>) -> T) -> T {
    let kind = |number| references.numbers.get(&number).copied();
    let locations = || {
        let is_location = |kind: &BusinessKind| matches!(kind, BusinessKind::Location(_));
        references.numbers.iter().filter(|(_, kind)| is_location(kind)).map(|(number, _)| *number).collect()
    };
    let Dialect { sources, .. } = references.dialect;
    read(&Surroundings::new(sources, &kind, &locations, (&["business"], false)))
}

/// Reads a review that arrives.
pub(crate) fn review(
    findings: &mut Findings,
    surroundings: &Surroundings<'_>,
    node: &Node,
) -> Option<NewReview> {
    let mut node = node.clone();
    let location = take_location(findings, surroundings, &mut node);
    reject_unknown_keys::<raw::Review>(findings, surroundings, &mut node);
    let about = take(&mut node, "about");
    let about = about.and_then(|node| read_value::<Vec<Spanned<NonBlank>>>(findings, "about", &node));
    node.set_default("date", "today");
    let record = raw::Review::read(findings, &node)
        .and_then(|raw| reviews::review(findings, &surroundings.records, raw, &mut reviews::new_ids()));
    let about = about.into_iter().flat_map(|list| list.value);
    let about = about.filter_map(|subject| known_subject(findings, subject)).collect();
    Some(NewReview { location: location?, record: record?, about })
}

/// A subject that reviews of some category have.
fn known_subject(findings: &mut Findings, subject: Spanned<NonBlank>) -> Option<String> {
    let Spanned { span, value: NonBlank(subject) } = subject;
    let known = || COMMON_SUBJECTS.into_iter().chain(TRADES.into_iter().flat_map(|(_, subjects)| subjects));
    if known().any(|known| *known == *subject) {
        return Some(subject);
    }
    let message = format!("no review has the subject `{subject}`");
    findings.error("unknown-value", span, message).suggest(&subject, known());
    None
}

/// Reads a question that arrives.
pub(crate) fn question(
    findings: &mut Findings,
    surroundings: &Surroundings<'_>,
    node: &Node,
) -> Option<NewQuestion> {
    let mut node = node.clone();
    let location = take_location(findings, surroundings, &mut node);
    reject_unknown_keys::<raw::Question>(findings, surroundings, &mut node);
    node.set_default("date", "now");
    let has_words = node.get("question").is_some();
    node.set_default("question", "?");
    let ids = &mut questions::Ids::default();
    let record = raw::Question::read(findings, &node)
        .and_then(|raw| questions::question(findings, &surroundings.records, raw, ids));
    let mut record = record?;
    if !has_words {
        record.question.clear();
    }
    Some(NewQuestion { location: location?, record })
}

/// Checks a response that arrives.
pub(crate) fn response(
    findings: &mut Findings,
    surroundings: &Surroundings<'_>,
    raw: &Response,
) -> Option<NewResponse> {
    let business = match raw.business {
        Some(number) if (surroundings.kind)(number.value.0).is_none() => {
            let number = number.value.0.to_string();
            let numbers: Vec<String> = (surroundings.locations)().iter().map(u64::to_string).collect();
            let span = raw.business.map_or_else(Span::default, |business| business.span);
            unknown_reference(findings, span, ("business", &number), numbers.iter().map(String::as_str));
            return None;
        }
        business => business.map(|business| business.value.0),
    };
    let review = match raw.review.as_ref()?.value.0.as_str() {
        "last" => Answered::Last,
        id => Answered::Id { id: id.to_owned(), business },
    };
    let day = raw.date.map_or(GivenDay::TODAY, |date| date.value);
    Some(NewResponse { review, text: raw.text.as_ref().map(|text| text.value.0.clone()), day })
}

/// The keys for the number of the location in an admin call.
const ADMIN_KEYS: &[&str] = &["businessId", "business"];

/// Parses the body of an admin call that adds a review. Returns all that is wrong if there is an error.
pub(crate) fn parse_review(body: &str, dataset: &Dataset) -> Result<NewReview, Vec<Diagnostic>> {
    parse(body, dataset, review)
}

/// Parses the body of an admin call that adds a question. Returns all that is wrong if there is an error.
pub(crate) fn parse_question(body: &str, dataset: &Dataset) -> Result<NewQuestion, Vec<Diagnostic>> {
    parse(body, dataset, question)
}

fn parse<T>(
    body: &str,
    dataset: &Dataset,
    read: impl FnOnce(&mut Findings, &Surroundings<'_>, &Node) -> Option<T>,
) -> Result<T, Vec<Diagnostic>> {
    let kind = |number| match dataset.find(i64::try_from(number).ok()?)? {
        BusinessRef::Account(_) => Some(BusinessKind::Account),
        BusinessRef::Location(location) => {
            Some(BusinessKind::Location(dataset.account(dataset.account_of(location)).number))
        }
    };
    let locations = || {
        let locations = (0..).take(dataset.location_count());
        locations.map(|location| dataset.location(location).number).collect()
    };
    let surroundings = Surroundings::new(&dataset.sources, &kind, &locations, (ADMIN_KEYS, true));
    parse_body(body, |findings, node| read(findings, &surroundings, node))
}

/// Parses the body of an admin call that changes a review. Returns all that is wrong if there is an error.
pub(crate) fn parse_change(body: &str) -> Result<ReviewChange, Vec<Diagnostic>> {
    parse_body(body, |findings, node| {
        let raw = Change::read(findings, node)?;
        let is_null = |entry: &Entry| &*entry.key == "response" && entry.value.is_null();
        let takes_away = node.entries().is_some_and(|entries| entries.iter().any(is_null));
        let given = text(raw.response);
        Some(ReviewChange {
            response: if takes_away {
                ResponseChange::TakeAway
            } else {
                given.map_or(ResponseChange::Keep, ResponseChange::Write)
            },
            response_day: raw.response_date.map(|day| day.value),
            published: raw.published.map(|published| published.value),
        })
    })
}

fn parse_body<T>(
    body: &str,
    read: impl FnOnce(&mut Findings, &Node) -> Option<T>,
) -> Result<T, Vec<Diagnostic>> {
    let (mut sources, mut findings) = (Sources::default(), Findings::default());
    let file = sources.add(Path::new("body"), body.to_owned());
    let node = json_text::value(&mut findings, (file, body));
    match node.and_then(|node| read(&mut findings, &node)) {
        Some(value) if findings.errors() == 0 => Ok(value),
        Some(_) | None => Err(findings.into_diagnostics(&sources)),
    }
}

/// Reports the keys that an arriving record does not have, and removes them.
fn reject_unknown_keys<R: Arrives>(
    findings: &mut Findings,
    surroundings: &Surroundings<'_>,
    node: &mut Node,
) {
    let Value::Map(entries) = &mut node.value else { return };
    let subjects = if R::HAS_SUBJECTS { &["about"][..] } else { &[] };
    let keys = surroundings.keys.iter().chain(subjects).copied().chain(R::keys());
    entries.retain(|entry| {
        let is_known = keys.clone().any(|key| *key == *entry.key);
        if !is_known {
            unknown_key(findings, entry, R::WHAT, keys.clone());
        }
        is_known
    });
}

/// Removes a member of a map.
fn take(node: &mut Node, key: &str) -> Option<Node> {
    let Value::Map(entries) = &mut node.value else { return None };
    let index = entries.iter().position(|entry| &*entry.key == key)?;
    Some(entries.remove(index).value)
}

/// Removes the number of the location from the record.
fn take_location(findings: &mut Findings, surroundings: &Surroundings<'_>, node: &mut Node) -> Option<u64> {
    node.entries()?;
    let key = surroundings.keys.iter().find(|key| node.get(key).is_some()).copied();
    let Some((key, mut value)) = key.and_then(|key| Some((key, take(node, key)?))) else {
        let key = surroundings.keys.first().copied().unwrap_or_default();
        surroundings.keys.iter().for_each(|key| drop(take(node, key)));
        let message = format!("`{key}`, the number of the location, is required");
        findings.error("missing-key", node.span, message).label(format!("`{key}` is missing"));
        return None;
    };
    if let Value::Scalar(scalar) = &mut value.value {
        scalar.plain |= surroundings.may_be_quoted && parse_digits(&scalar.text).is_some();
    }
    let Spanned { span, value: number } = read_value::<Id>(findings, key, &value)?;
    let number = number.0;
    match (surroundings.kind)(number) {
        Some(BusinessKind::Location(_)) => return Some(number),
        Some(BusinessKind::Account) => {
            let message = format!("{number} is an account, but `{key}` must be the number of a location");
            findings.error("wrong-reference", span, message);
        }
        None => {
            let numbers: Vec<String> = (surroundings.locations)().iter().map(u64::to_string).collect();
            let names = numbers.iter().map(String::as_str);
            unknown_reference(findings, span, ("location", &number.to_string()), names);
        }
    }
    None
}
