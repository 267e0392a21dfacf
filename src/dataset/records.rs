//! The records of a scenario: businesses with their locations, reviews, questions and contacts, as checked values.
//! `docs/scenarios.md` ("Record keys") describes what each may contain.

use std::collections::BTreeMap;

use crate::api::dates::Day;
use crate::clock::Moment;

/// An account, or a reseller above accounts.
#[derive(Clone, Debug)]
pub struct Business {
    /// Business number, unique among businesses and locations.
    pub number: u64,
    pub name: String,
    pub kind: Kind,
    /// The number of the reseller above it.
    pub parent: Option<u64>,
    /// The category of the phrase bank for its generated texts.
    pub category: String,
    /// Sentiment score of its industry, 0-100.
    pub industry_score: Option<f64>,
    /// Whether `smsPreferences` are accepted.
    pub text_categorisation: bool,
    /// Email addresses of its users, as written.
    pub users: Vec<String>,
    /// Names of its hierarchy's levels, highest first.
    pub levels: Vec<String>,
    /// Numbers of its competitors.
    pub competitors: Vec<u64>,
    pub locations: Vec<Location>,
    pub contacts: Vec<Contact>,
    /// Contacts to generate.
    pub contact_plans: Vec<ContactPlan>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An enterprise, with locations.
    Enterprise,
    /// A reseller, which represents its enterprises.
    Reseller,
}

/// A location of an account.
#[derive(Clone, Debug)]
pub struct Location {
    pub number: u64,
    pub name: String,
    /// Level to the location's name at that level.
    pub levels: BTreeMap<String, String>,
    /// Its reviews, in the order given.
    pub reviews: Vec<Reviews>,
    /// Its questions, in the order given.
    pub questions: Vec<Questions>,
}

#[derive(Clone, Debug)]
pub enum Reviews {
    /// Written out, in the scenario or in a seed-data file.
    Given(Vec<Review>),
    Generated(ReviewPlan),
}

#[derive(Clone, Debug)]
pub enum Questions {
    /// Written out, in the scenario or in a seed-data file.
    Given(Vec<Question>),
    Generated(QuestionPlan),
}

/// How to generate reviews. Weights are relative; shares are parts in a million.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewPlan {
    pub count: u32,
    /// Weight of 1, 2, 3, 4 and 5 stars, in this order.
    pub ratings: [u32; 5],
    /// Index among the dialect's sources, and weight.
    pub sources: Vec<(u16, u32)>,
    /// First day.
    pub from: Day,
    /// Last day.
    pub to: Day,
    /// Share that is published.
    pub published: u32,
    /// Share that the owner responded to.
    pub responded: u32,
    /// Languages and their weights.
    pub locales: Vec<(Locale, u32)>,
}

/// How to generate questions, none of which the owner has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionPlan {
    pub count: u32,
    /// First day.
    pub from: Day,
    /// Last day.
    pub to: Day,
    /// Languages and their weights.
    pub locales: Vec<(Locale, u32)>,
}

/// How to generate contacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactPlan {
    pub count: u32,
    /// Languages of the names, and their weights.
    pub locales: Vec<(Locale, u32)>,
}

/// A language that texts can be generated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Locale {
    /// English.
    En,
    /// French.
    Fr,
    /// German.
    De,
    /// Spanish.
    Es,
    /// Portuguese, of Brazil.
    Pt,
    /// Japanese.
    Ja,
    /// Arabic.
    Ar,
}

impl Locale {
    pub const ALL: [Self; 7] = [Self::En, Self::Fr, Self::De, Self::Es, Self::Pt, Self::Ja, Self::Ar];

    /// The two letters of ISO 639-1, as scenarios write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Fr => "fr",
            Self::De => "de",
            Self::Es => "es",
            Self::Pt => "pt",
            Self::Ja => "ja",
            Self::Ar => "ar",
        }
    }
}

/// The categories that have a phrase bank in English. Other languages have `neutral` only.
pub const CATEGORIES: [&str; 9] = [
    NEUTRAL,
    "dentist",
    "veterinarian",
    "hotel",
    "restaurant",
    "automotive",
    "retail",
    "health",
    "home-services",
];

/// The category of a business without one.
pub const NEUTRAL: &str = "neutral";

/// A review as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// Drawn if absent.
    pub id: Option<String>,
    /// 0-5.
    pub rating: u8,
    /// Day it was posted.
    pub day: Day,
    /// Index among the dialect's sources.
    pub source: u16,
    pub comments: Option<String>,
    pub title: Option<String>,
    /// Published (featured 1) or parked (featured 0).
    pub published: bool,
    pub response: Option<String>,
    /// Day of the response.
    pub response_day: Option<Day>,
    /// Sentiment in tenths, 0-1000; from the rating if absent.
    pub sentiment: Option<u16>,
    /// How many mentions it counts for.
    pub mentions: u32,
    pub reviewer: Reviewer,
    /// The address at the source; generated if absent.
    pub review_url: Option<String>,
    /// Address at the platform; generated if absent.
    pub unique_review_url: Option<String>,
    /// Whether it can be replied to; by source if absent.
    pub enable_reply: Option<bool>,
    /// The contact it is attributed to.
    pub customer_id: Option<u64>,
    /// Custom fields of that contact.
    pub extra: BTreeMap<String, String>,
}

/// Who wrote a review; every field may be absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reviewer {
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub nick_name: Option<String>,
    pub thumbnail_url: Option<String>,
    pub email_id: Option<String>,
    pub facebook_id: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
}

/// A question as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Drawn if absent.
    pub id: Option<u64>,
    pub question: String,
    /// Who asked.
    pub by: Option<String>,
    /// Kind of user, as shown.
    pub category: String,
    pub at: Moment,
    /// Asked by the owner.
    pub owner: bool,
    /// Address of the asker's picture; generated if absent.
    pub logo: Option<String>,
    /// Its answers, in the order given.
    pub answers: Vec<Answer>,
}

/// An answer as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Drawn if absent.
    pub id: Option<u64>,
    pub answer: String,
    /// Who answered; generated if absent, the business's name for the owner.
    pub by: Option<String>,
    /// Kind of user, as shown.
    pub category: String,
    pub at: Moment,
    /// Answered by the owner.
    pub owner: bool,
    /// Address of the answerer's picture; generated if absent.
    pub logo: Option<String>,
}

/// A contact, with the fields of `docs/api.md` 4.3.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contact {
    pub id: u64,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub country_code: Option<String>,
    pub sms_optin: Option<bool>,
    pub blocked: Option<bool>,
    pub business_ids: Vec<u64>,
    pub tags: Vec<String>,
    pub custom_fields: Vec<CustomField>,
    pub external_id: Option<String>,
    pub email_preferences: Option<Preferences>,
    pub sms_preferences: Option<Preferences>,
}

/// A custom field of a contact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomField {
    /// `fieldName`.
    pub name: String,
    /// `type`, as sent; `text` if absent.
    pub kind: String,
    /// `fieldValue`.
    pub value: String,
}

/// Preference flags of one channel; an absent flag was never given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    pub marketing_optin: Option<bool>,
    pub feedback_optin: Option<bool>,
    pub service_optin: Option<bool>,
}
