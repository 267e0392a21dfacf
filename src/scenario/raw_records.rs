//! The raw form of records: reviews, questions, answers and contacts, and plans to generate them. Seed data has the same
//! keys as columns.

use serde_json::{Map, Value as Json, json};

use crate::api::phone::COUNTRIES;
use crate::dataset::custom_field::KINDS;
use crate::dataset::records::Locale;
use crate::dataset::when::{GivenDay, GivenMoment};
use crate::scenario::collections::{Dictionary, Member};
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::node::{Entry, Node, Scalar, Value};
use crate::scenario::raw::Shape;
use crate::scenario::read::{Field, RawMap, Read, Spanned, raw, read_word};
use crate::scenario::report::{must_be, wrong_kind, wrong_value};
use crate::scenario::scalars::{Count, Email, Id, Integer, NonBlank, Share, Tenths, Text, whole_number};
use crate::scenario::times::{DAY, RELATIVE_DAY};

raw! {
    /// A review.
    pub(crate) struct Review "a review" {
        /// Id of the review. Default: generated.
        optional "id" id: NonBlank,
        /// Stars from 1 to 5; 0 for direct feedback; 1 (recommended) or 0 for a source that recommends.
        required "rating" rating: Integer<0, 5>,
        /// Day on which the review was posted.
        required "date" date: GivenDay,
        /// Source of the review, by its alias or name. Default: google.
        optional "source" source: NonBlank,
        /// Text of the review.
        optional "comments" comments: Text,
        /// Title of the review.
        optional "title" title: Text,
        /// Whether the review is published; if not, it is parked. Default: true.
        optional "published" published: bool,
        /// The owner's response.
        optional "response" response: Text,
        /// Day of the response. Default: the day of the review.
        optional "responseDate" response_date: GivenDay,
        /// Sentiment score from 0 to 100, with at most one decimal. Default: computed from the rating.
        optional "sentiment" sentiment: Tenths,
        /// Number of mentions that the review counts for. Default: 1.
        optional "mentions" mentions: Count,
        /// First name of the reviewer.
        optional "firstName" first_name: Text,
        /// Last name of the reviewer.
        optional "lastName" last_name: Text,
        /// Nickname of the reviewer.
        optional "nickName" nick_name: Text,
        /// URL of the reviewer's picture.
        optional "thumbnailUrl" thumbnail_url: Text,
        /// Email address of the reviewer.
        optional "emailId" email_id: Text,
        /// Facebook id of the reviewer.
        optional "facebookId" facebook_id: Text,
        /// City of the reviewer.
        optional "city" city: Text,
        /// State of the reviewer.
        optional "state" state: Text,
        /// URL of the review at its source. Default: generated.
        optional "reviewUrl" review_url: Text,
        /// URL of the review at the platform. Default: generated.
        optional "uniqueReviewUrl" unique_review_url: Text,
        /// Whether the owner can reply to the review. Default: as for its source.
        optional "enableReply" enable_reply: bool,
        /// Id of the contact who wrote the review.
        optional "customerId" customer_id: Id,
        /// Custom fields of that contact. In CSV, each is a column `extra.NAME`.
        optional "extraParams" extra_params: Dictionary<Text>,
    }

    /// A question about a location.
    pub(crate) struct Question "a question" {
        /// Id of the question. Default: generated.
        optional "id" id: Id,
        /// Text of the question.
        required "question" question: NonBlank,
        /// Name of the person who asked.
        optional "by" by: Text,
        /// Category of that user. Default: `REGULAR_USER`.
        optional "category" category: NonBlank,
        /// Time of the question: an instant or a day.
        required "date" date: GivenMoment,
        /// Whether the owner asked the question. Default: false.
        optional "owner" owner: bool,
        /// URL of that user's picture. Default: generated.
        optional "logo" logo: Text,
        /// Answers to the question. Not available in CSV.
        optional "answers" answers: Vec<Spanned<Answer>>,
    }

    /// An answer to a question.
    pub(crate) struct Answer "an answer" {
        /// Id of the answer. Default: generated.
        optional "id" id: Id,
        /// Text of the answer.
        required "answer" answer: NonBlank,
        /// Name of the person who answered. Default for the owner: the name of the business.
        optional "by" by: Text,
        /// Category of that user. Default: `REGULAR_USER`.
        optional "category" category: NonBlank,
        /// Time of the answer: an instant or a day. Default: the time of the question.
        optional "date" date: GivenMoment,
        /// Whether the owner wrote the answer. Default: false.
        optional "owner" owner: bool,
        /// URL of that user's picture. Default: generated.
        optional "logo" logo: Text,
    }

    /// A contact.
    pub(crate) struct Contact "a contact" {
        /// Id of the contact.
        required "id" id: Id,
        /// First name.
        optional "firstName" first_name: Text,
        /// Last name.
        optional "lastName" last_name: Text,
        /// Email address.
        optional "email" email: Email,
        /// Phone number, kept as written.
        optional "phone" phone: Text,
        /// Country of the phone number: US, AU, CA, MX, PR or VI.
        optional "countryCode" country_code: Country,
        /// Whether the contact agreed to receive SMS.
        optional "smsOptin" sms_optin: bool,
        /// Whether the contact is blocked.
        optional "blocked" blocked: bool,
        /// Numbers of the contact's locations, or the number of the account.
        optional "businessIds" business_ids: Vec<Spanned<Id>>,
        /// Tags of the contact.
        optional "tags" tags: Vec<Spanned<Text>>,
        /// Custom fields of the contact.
        optional "customFields" custom_fields: Vec<Spanned<CustomField>>,
        /// Id of the contact in another system.
        optional "externalId" external_id: Text,
        /// Preferences for email.
        optional "emailPreferences" email_preferences: Preferences,
        /// Preferences for SMS.
        optional "smsPreferences" sms_preferences: Preferences,
    }

    /// A custom field of a contact.
    pub(crate) struct CustomField "a custom field" {
        /// Name of the field.
        required "fieldName" name: NonBlank,
        /// Type of the field: text, number, currency, date, or yesno (also yes/no or boolean). Default: text.
        optional "type" kind: FieldKind,
        /// Value of the field.
        required "fieldValue" value: Text,
    }

    /// The messages of one channel that a contact agreed to receive.
    pub(crate) struct Preferences "a map of preferences" {
        /// Marketing messages.
        optional "marketingOptin" marketing_optin: bool,
        /// Feedback requests.
        optional "feedbackOptin" feedback_optin: bool,
        /// Service messages.
        optional "serviceOptin" service_optin: bool,
    }

    /// Reviews to generate.
    pub(crate) struct ReviewPlan "a block of generated reviews" {
        /// Number of records to generate.
        required "generate" generate: Count,
        /// Weights of 1 to 5 stars. Default: `{5: 60, 4: 18, 3: 8, 2: 4, 1: 10}`, for a bomb `{5: 6, 4: 2, 3: 2, 2: 6, 1: 84}`.
        optional "ratings" ratings: RatingWeights,
        /// Weights of sources. Default: those that are usual in the category.
        optional "sources" sources: Weights,
        /// Range of days of the reviews. Default: the 365 days up to the clock's start.
        optional "dates" dates: Dates,
        /// Share of the reviews that are published. Default: 90%.
        optional "published" published: Share,
        /// Share of the reviews that the owner responded to. Default: 40%.
        optional "responded" responded: Share,
        /// Language of the texts, or weights of several languages. Default: en.
        optional "locale" locale: Locales,
        /// Subjects that the texts are mainly about, such as `waiting`.
        optional "about" about: Vec<Spanned<NonBlank>>,
        /// How the reviews are spread over their days. Default: steady.
        optional "shape" shape: Shape,
        /// Share of the reviewers who live in the location's city. Default: 90%.
        optional "locals" locals: Share,
        /// Share of the reviews that carry hostile values. Default: 0%.
        optional "nasty" nasty: Share,
    }

    /// Questions to generate. The owner has answered none of them.
    pub(crate) struct QuestionPlan "a block of generated questions" {
        /// Number of records to generate.
        required "generate" generate: Count,
        /// Range of days of the questions. Default: the 365 days up to the clock's start.
        optional "dates" dates: Dates,
        /// Language of the texts, or weights of several languages. Default: en.
        optional "locale" locale: Locales,
    }

    /// Contacts to generate.
    pub(crate) struct ContactPlan "a block of generated contacts" {
        /// Number of records to generate.
        required "generate" generate: Count,
        /// Language of the names, or weights of several languages. Default: en.
        optional "locale" locale: Locales,
    }

    /// The records of a seed-data file.
    pub(crate) struct SeedData "a file entry" {
        /// Path of the file, relative to this file: .csv, .json, .jsonl, .yaml or .yml.
        required "file" file: NonBlank,
    }

    /// A range of days, as a map.
    pub(crate) struct DatesMap "`dates`" {
        /// First day. Default: 364 days before the last day.
        optional "from" from: GivenDay,
        /// Last day. Default: the day of the clock's start.
        optional "to" to: GivenDay,
    }
}

pub(crate) type ReviewEntry = Records<Review, ReviewPlan>;
pub(crate) type QuestionEntry = Records<Question, QuestionPlan>;
pub(crate) type ContactEntry = Records<Contact, ContactPlan>;

/// An entry of a list of records.
#[derive(Debug)]
pub(crate) enum Records<R, P> {
    /// A single record with its values.
    Given(R),
    File(SeedData),
    Generated(P),
}

impl<R: RawMap, P: RawMap> Read for Records<R, P> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(entries) = node.entries() else {
            let message = format!("{} is a map: with its own keys, `file: …` or `generate: …`", R::WHAT);
            wrong_kind(findings, node, &message);
            return None;
        };
        let find = |key: &str| entries.iter().find(|entry| *entry.key == *key);
        if let Some(generate) = find("generate") {
            if has_stray_key(findings, entries, (generate, P::FIELDS), &[R::FIELDS, SeedData::FIELDS]) {
                return None;
            }
            return P::read(findings, node).map(Self::Generated);
        }
        if let Some(file) = find("file") {
            if has_stray_key(findings, entries, (file, SeedData::FIELDS), &[R::FIELDS, P::FIELDS]) {
                return None;
            }
            return SeedData::read(findings, node).map(Self::File);
        }
        let belongs_to_plan = |entry: &&Entry| {
            P::keys().any(|key| *key == *entry.key) && !R::keys().any(|key| *key == *entry.key)
        };
        if let Some(stray) = entries.iter().find(belongs_to_plan) {
            let message = format!("`{}` belongs beside `generate`, which is missing", stray.key);
            findings
                .error("mixed-entry", stray.key_span, message)
                .help(format!("an entry is {} with its keys, or `file: …`, or `generate: …`", R::WHAT));
            return None;
        }
        R::read(findings, node).map(Self::Given)
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        let (given, file, plan) =
            (R::schema(definitions), SeedData::schema(definitions), P::schema(definitions));
        json!({ "anyOf": [given, file, plan] })
    }
}

/// Whether an entry has a key of another kind of entry. `kind` is the entry's key that tells its kind, and the keys that
/// go with it; `others` are the keys of the other kinds. Reports the first stray key.
fn has_stray_key(
    findings: &mut Findings,
    entries: &[Entry],
    (kind, own): (&Entry, &[Field]),
    others: &[&[Field]],
) -> bool {
    let within = |fields: &[Field], key: &str| fields.iter().any(|field| field.key == key);
    let is_stray =
        |entry: &&Entry| !within(own, &entry.key) && others.iter().any(|fields| within(fields, &entry.key));
    let Some(stray) = entries.iter().find(is_stray) else { return false };
    let allowed = own.iter().map(|field| field.key).filter(|key| **key != *kind.key);
    findings
        .error(
            "mixed-entry",
            stray.key_span,
            format!("`{}` and `{}` do not go together in one entry", kind.key, stray.key),
        )
        .related(kind.key_span, "the entry is of this kind")
        .help(format!("beside `{}` an entry takes {}", kind.key, join_or(allowed)));
    true
}

/// A range of days: a map, or in one word (`-90d..-1d`).
#[derive(Debug)]
pub(crate) struct Dates {
    pub(crate) from: Option<Spanned<GivenDay>>,
    pub(crate) to: Option<Spanned<GivenDay>>,
}

impl Read for Dates {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(scalar) = node.scalar() else {
            let DatesMap { from, to, .. } = DatesMap::read(findings, node)?;
            return Some(Self { from, to });
        };
        let days = scalar.text.split_once("..").and_then(|(from, to)| {
            let day =
                |text: &str| Some(Spanned { span: node.span, value: GivenDay::from_scenario(text.trim())? });
            Some(Self { from: Some(day(from)?), to: Some(day(to)?) })
        });
        if days.is_none() {
            must_be(findings, node, "a range of days: `-90d..-1d`, or `{from: 2026-01-01, to: 2026-06-30}`");
            findings.help_last("a day is `2026-06-30`, `06/30/2026`, or relative to the clock's start: `today`, `-2d`, `-3w`, `-6mo` or `-1y`");
        }
        days
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        let range = format!("^ *({DAY}|{RELATIVE_DAY}) *\\.\\. *({DAY}|{RELATIVE_DAY}) *$");
        json!({ "anyOf": [DatesMap::schema(definitions), { "type": "string", "pattern": range }] })
    }
}

/// The country of a phone number.
#[derive(Clone, Debug)]
pub(crate) struct Country(&'static str);

impl Read for Country {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        read_word(findings, node, &COUNTRIES).map(Self)
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "enum": COUNTRIES })
    }
}

impl From<Country> for String {
    fn from(Country(code): Country) -> Self {
        code.to_owned()
    }
}

/// A country: two letters of ISO 3166.
#[derive(Clone, Debug)]
pub(crate) struct CountryCode(pub(crate) String);

impl Read for CountryCode {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let written = node.scalar().map(|scalar| &*scalar.text);
        let is_code = |text: &&str| text.len() == 2 && text.bytes().all(|letter| letter.is_ascii_uppercase());
        let Some(code) = written.filter(is_code) else {
            must_be(findings, node, "the two letters of a country in upper case, such as `US`");
            return None;
        };
        Some(Self(code.to_owned()))
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        json!({ "type": "string", "pattern": "^[A-Z]{2}$" })
    }
}

/// The type of a custom field, in upper or lower case.
#[derive(Clone, Debug)]
pub(crate) struct FieldKind(pub(crate) String);

impl Read for FieldKind {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let written = node.scalar().map(|scalar| &*scalar.text);
        match written.filter(|written| KINDS.contains(&written.to_ascii_lowercase().as_str())) {
            Some(written) => Some(Self(written.to_owned())),
            None => read_word(findings, node, &KINDS).map(|kind| Self(kind.to_owned())),
        }
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        let either = |letter: char| match letter {
            'a'..='z' => format!("[{letter}{}]", letter.to_ascii_uppercase()),
            _ => letter.to_string(),
        };
        let kinds = KINDS.map(|kind| kind.chars().map(either).collect::<String>());
        json!({ "type": "string", "pattern": format!("^({})$", kinds.join("|")) })
    }
}

/// Weights by name: how often each occurs in relation to the others.
#[derive(Clone, Debug)]
pub(crate) struct Weights(pub(crate) Vec<Member<u32>>);

const MAX_WEIGHT: u64 = 1_000_000;

impl Read for Weights {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let Some(entries) = node.entries() else {
            must_be(findings, node, "a map of weights");
            return None;
        };
        let mut weights = Vec::with_capacity(entries.len());
        let present = || entries.iter().filter(|entry| !entry.value.is_null());
        for Entry { key, key_span, value } in present() {
            if let Some(weight) = weight(findings, key, value) {
                let (key_span, key) = (*key_span, key.to_string());
                weights.push(Member { key_span, key, span: value.span, value: weight });
            }
        }
        if weights.len() == present().count() && weights.iter().all(|weight| weight.value == 0) {
            findings.error("no-weight", node.span, "at least one of these weights must be more than 0");
        }
        Some(Self(weights))
    }

    fn schema(_: &mut Map<String, Json>) -> Json {
        let weight = json!({ "type": ["integer", "null"], "minimum": 0, "maximum": MAX_WEIGHT });
        json!({ "type": "object", "additionalProperties": weight, "minProperties": 1 })
    }
}

fn weight(findings: &mut Findings, name: &str, node: &Node) -> Option<u32> {
    let weight = whole_number(node).filter(|weight| *weight <= MAX_WEIGHT);
    if weight.is_none() {
        let what = format!("the weight of `{name}` must be a whole number from 0 to {MAX_WEIGHT}");
        wrong_value(findings, node, &what);
        if node.scalar().is_some_and(|scalar| scalar.text.ends_with('%')) {
            findings.help_last(
                "a weight is in relation to the other weights, so it is no share: leave out the `%`",
            );
        }
    }
    weight.and_then(|weight| u32::try_from(weight).ok())
}

/// Weights by number of stars.
#[derive(Clone, Debug)]
pub(crate) struct RatingWeights(pub(crate) Weights);

/// The numbers of stars.
pub(crate) const STARS: [&str; 5] = ["1", "2", "3", "4", "5"];

impl Read for RatingWeights {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        Weights::read(findings, node).map(Self)
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        let mut schema = Weights::schema(definitions);
        schema["propertyNames"] = json!({ "enum": STARS });
        schema
    }
}

/// A language, or several languages with weights.
#[derive(Clone, Debug)]
pub(crate) struct Locales(pub(crate) Vec<(Locale, u32)>);

impl Read for Locales {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if node.entries().is_none() {
            return Some(Self(vec![(locale(findings, node)?, 1)]));
        }
        let mut locales = Vec::new();
        for Member { key, key_span, value, .. } in Weights::read(findings, node)?.0 {
            let key = Node::new(key_span, Value::Scalar(Scalar { text: key.into(), plain: true }));
            locales.extend(locale(findings, &key).map(|locale| (locale, value)));
        }
        Some(Self(locales))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        let names = Locale::ALL.map(Locale::name);
        let mut weights = Weights::schema(definitions);
        weights["propertyNames"] = json!({ "enum": names });
        json!({ "anyOf": [{ "enum": names }, weights] })
    }
}

fn locale(findings: &mut Findings, node: &Node) -> Option<Locale> {
    let name = read_word(findings, node, &Locale::ALL.map(Locale::name))?;
    Locale::ALL.into_iter().find(|locale| locale.name() == name)
}
