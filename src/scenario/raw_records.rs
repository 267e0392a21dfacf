//! The mirror of records: reviews, questions, answers and contacts, given, from a file, or to be generated. The same
//! keys are the columns of seed data.

use serde_json::{Map, Value as Json, json};

use crate::api::dates::Day;
use crate::clock::Moment;
use crate::dataset::records::Locale;
use crate::scenario::collections::{Dictionary, Member};
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::node::{Node, Value};
use crate::scenario::read::{Field, RawMap, Read, Spanned, raw, read_word};
use crate::scenario::report::wrong_kind;
use crate::scenario::scalars::{Count, Id, Integer, NonBlank, Share, Tenths, Text};
use crate::scenario::source::Span;

raw! {
    /// A review.
    pub struct Review "a review" {
        /// Its id; drawn where absent.
        optional "id" id: NonBlank,
        /// 0-5: stars; 0 for direct feedback; 1 or 0 where the source recommends.
        required "rating" rating: Integer<0, 5>,
        /// Day it was posted.
        required "date" date: Day,
        /// Its source, by alias or shown name; by default google.
        optional "source" source: NonBlank,
        /// What the reviewer wrote.
        optional "comments" comments: Text,
        /// Its title.
        optional "title" title: Text,
        /// Published or parked; by default published.
        optional "published" published: bool,
        /// The owner's response.
        optional "response" response: Text,
        /// Day of the response; by default the review's.
        optional "responseDate" response_date: Day,
        /// Sentiment, 0-100 with one decimal; by default from the rating.
        optional "sentiment" sentiment: Tenths,
        /// How many mentions it counts for; by default 1.
        optional "mentions" mentions: Count,
        /// Reviewer's first name.
        optional "firstName" first_name: Text,
        /// Reviewer's last name.
        optional "lastName" last_name: Text,
        /// Reviewer's nickname.
        optional "nickName" nick_name: Text,
        /// Address of the reviewer's picture.
        optional "thumbnailUrl" thumbnail_url: Text,
        /// Reviewer's email address.
        optional "emailId" email_id: Text,
        /// Reviewer's Facebook id.
        optional "facebookId" facebook_id: Text,
        /// Reviewer's city.
        optional "city" city: Text,
        /// Reviewer's state.
        optional "state" state: Text,
        /// Address at the source; made where absent.
        optional "reviewUrl" review_url: Text,
        /// Address at the platform; made where absent.
        optional "uniqueReviewUrl" unique_review_url: Text,
        /// Whether it can be replied to; by default as its source.
        optional "enableReply" enable_reply: bool,
        /// The contact it is attributed to.
        optional "customerId" customer_id: Id,
        /// Custom fields of that contact; in CSV, columns `extra.NAME`.
        optional "extraParams" extra_params: Dictionary<Text>,
    }

    /// A question.
    pub struct Question "a question" {
        /// Its id; drawn where absent.
        optional "id" id: Id,
        /// The question.
        required "question" question: NonBlank,
        /// Who asked.
        optional "by" by: Text,
        /// Kind of user; by default `REGULAR_USER`.
        optional "category" category: NonBlank,
        /// When: an instant or a day.
        required "date" date: Moment,
        /// Whether the owner asked; by default not.
        optional "owner" owner: bool,
        /// Address of the asker's picture; made where absent.
        optional "logo" logo: Text,
        /// Its answers; not in CSV.
        optional "answers" answers: Vec<Spanned<Answer>>,
    }

    /// An answer.
    pub struct Answer "an answer" {
        /// Its id; drawn where absent.
        optional "id" id: Id,
        /// The answer.
        required "answer" answer: NonBlank,
        /// Who answered; for the owner, by default the business.
        optional "by" by: Text,
        /// Kind of user; by default `REGULAR_USER`.
        optional "category" category: NonBlank,
        /// When; by default with the question.
        optional "date" date: Moment,
        /// Whether the owner answered; by default not.
        optional "owner" owner: bool,
        /// Address of the answerer's picture; made where absent.
        optional "logo" logo: Text,
    }

    /// A contact.
    pub struct Contact "a contact" {
        /// Its id.
        required "id" id: Id,
        /// First name.
        optional "firstName" first_name: Text,
        /// Last name.
        optional "lastName" last_name: Text,
        /// Email address.
        optional "email" email: Text,
        /// Phone number, as written.
        optional "phone" phone: Text,
        /// Country of the phone number: US, AU, CA, MX, PR or VI.
        optional "countryCode" country_code: NonBlank,
        /// SMS opt-in flag.
        optional "smsOptin" sms_optin: bool,
        /// Whether it is blocked.
        optional "blocked" blocked: bool,
        /// Numbers of locations of the account, or its own.
        optional "businessIds" business_ids: Vec<Spanned<Id>>,
        /// Tags.
        optional "tags" tags: Vec<Spanned<Text>>,
        /// Custom fields.
        optional "customFields" custom_fields: Vec<Spanned<CustomField>>,
        /// Its id in another system.
        optional "externalId" external_id: Text,
        /// Email flags.
        optional "emailPreferences" email_preferences: Preferences,
        /// SMS flags.
        optional "smsPreferences" sms_preferences: Preferences,
    }

    /// A custom field.
    pub struct CustomField "a custom field" {
        /// Its name.
        required "fieldName" name: NonBlank,
        /// text, number, currency, date, or yesno (also yes/no, boolean); by default text.
        optional "type" kind: NonBlank,
        /// Its value.
        required "fieldValue" value: Text,
    }

    /// Preference flags of one channel.
    pub struct Preferences "a map of preferences" {
        /// Marketing messages.
        optional "marketingOptin" marketing_optin: bool,
        /// Feedback requests.
        optional "feedbackOptin" feedback_optin: bool,
        /// Service messages.
        optional "serviceOptin" service_optin: bool,
    }

    /// Reviews to be generated.
    pub struct ReviewPlan "a block of generated reviews" {
        /// How many.
        required "generate" generate: Count,
        /// Weights of 1 to 5 stars; by default `{5: 55, 4: 25, 3: 10, 2: 5, 1: 5}`.
        optional "ratings" ratings: Dictionary<Count>,
        /// Weights of sources; by default `{google: 60, facebook: 25, our_website: 10, direct_feedback: 5}`.
        optional "sources" sources: Dictionary<Count>,
        /// Days of the reviews; by default the 365 days up to the clock's start.
        optional "dates" dates: Dates,
        /// Share that is published; by default 90%.
        optional "published" published: Share,
        /// Share that the owner responded to; by default 40%.
        optional "responded" responded: Share,
        /// Language, or weights of several; by default en.
        optional "locale" locale: Locales,
    }

    /// Questions to be generated, none of which the owner has answered.
    pub struct QuestionPlan "a block of generated questions" {
        /// How many.
        required "generate" generate: Count,
        /// Days of the questions; by default the 365 days up to the clock's start.
        optional "dates" dates: Dates,
        /// Language, or weights of several; by default en.
        optional "locale" locale: Locales,
    }

    /// Contacts to be generated.
    pub struct ContactPlan "a block of generated contacts" {
        /// How many.
        required "generate" generate: Count,
        /// Language of the names, or weights of several; by default en.
        optional "locale" locale: Locales,
    }

    /// Records from a file.
    pub struct SeedData "a file entry" {
        /// Its path, relative to this file: .csv, .json, .jsonl, .yaml or .yml.
        required "file" file: NonBlank,
    }

    /// A range of days.
    pub struct Dates "`dates`" {
        /// First day; by default 364 days before the last.
        optional "from" from: Day,
        /// Last day; by default the clock's start.
        optional "to" to: Day,
    }
}

/// Some reviews of a location.
pub type ReviewEntry = Records<Review, ReviewPlan>;
/// Some questions of a location.
pub type QuestionEntry = Records<Question, QuestionPlan>;
/// Some contacts of an account.
pub type ContactEntry = Records<Contact, ContactPlan>;

/// An entry of a list of records: one given, a file of them, or so many generated ones.
#[derive(Debug)]
pub enum Records<R, P> {
    /// One.
    Given(R),
    /// Those of a file.
    File(SeedData),
    /// Generated ones.
    Generated(P),
}

impl<R: RawMap, P: RawMap> Read for Records<R, P> {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        if node.entries().is_none() {
            wrong_kind(
                findings,
                node,
                &format!("{} is a map: given with its keys, `file: …` or `generate: …`", R::WHAT),
            );
            return None;
        }
        let has = |key: &str| node.entries().is_some_and(|all| all.iter().any(|entry| *entry.key == *key));
        if has("generate") {
            if mixed(findings, node, ("generate", P::FIELDS), &[R::FIELDS, SeedData::FIELDS]) {
                return None;
            }
            return P::read(findings, node).map(Self::Generated);
        }
        if has("file") {
            if mixed(findings, node, ("file", SeedData::FIELDS), &[R::FIELDS, P::FIELDS]) {
                return None;
            }
            return SeedData::read(findings, node).map(Self::File);
        }
        let own = |key: &str| R::keys().any(|own| own == key);
        let entries = node.entries().unwrap_or_default();
        if let Some(stray) =
            entries.iter().find(|entry| !own(&entry.key) && P::keys().any(|key| *key == *entry.key))
        {
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

/// Whether an entry has keys of another shape than that which `key` makes it, and says so.
fn mixed(findings: &mut Findings, node: &Node, (key, own): (&str, &[Field]), others: &[&[Field]]) -> bool {
    let within = |fields: &[Field], key: &str| fields.iter().any(|field| field.key == key);
    let entries = node.entries().unwrap_or_default();
    let by = entries.iter().find(|entry| *entry.key == *key).map(|entry| entry.key_span).unwrap_or_default();
    let stray = entries
        .iter()
        .find(|entry| !within(own, &entry.key) && others.iter().any(|fields| within(fields, &entry.key)));
    if let Some(stray) = stray {
        let message = format!("`{key}` and `{}` do not go together in one entry", stray.key);
        findings.error("mixed-entry", stray.key_span, message).related(by, "the entry is of this kind").help(
            format!(
                "beside `{key}` an entry takes {}",
                join_or(own.iter().map(|f| f.key).filter(|k| *k != key))
            ),
        );
    }
    stray.is_some()
}

/// A language, or weights of several.
#[derive(Clone, Debug)]
pub struct Locales(pub Vec<Member<(Locale, u32)>>);

impl Read for Locales {
    fn read(findings: &mut Findings, node: &Node) -> Option<Self> {
        let names = Locale::ALL.map(Locale::name);
        let find = |name: &str| Locale::ALL.into_iter().find(|locale| locale.name() == name);
        let one = |locale, key_span: Span, weight, span| Member {
            key_span,
            key: String::new(),
            span,
            value: (locale, weight),
        };
        if let Value::Map(entries) = &node.value {
            let mut members = Vec::new();
            for entry in entries {
                let key =
                    Value::Scalar(crate::scenario::node::Scalar { text: entry.key.clone(), plain: true });
                let locale = read_word(findings, &Node::new(entry.key_span, key), &names).and_then(find);
                let weight =
                    Count::read(findings, &entry.value).and_then(|weight| u32::try_from(weight.0).ok());
                if let (Some(locale), Some(weight)) = (locale, weight) {
                    members.push(one(locale, entry.key_span, weight, entry.value.span));
                }
            }
            return Some(Self(members));
        }
        let locale = read_word(findings, node, &names).and_then(find)?;
        Some(Self(vec![one(locale, node.span, 1, node.span)]))
    }

    fn schema(definitions: &mut Map<String, Json>) -> Json {
        let names = Locale::ALL.map(Locale::name);
        let weight = Count::schema(definitions);
        json!({ "anyOf": [
            { "enum": names },
            { "type": "object", "propertyNames": { "enum": names }, "additionalProperties": weight },
        ] })
    }
}
