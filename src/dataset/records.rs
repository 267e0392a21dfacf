//! The records of a scenario: businesses with their locations, reviews, questions and contacts, as checked values.
//! `docs/scenarios.md` ("Record keys") describes what each may contain.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::dataset::insight::Tenths;
use crate::dataset::when::{DayRange, GivenDay, GivenMoment};

/// An account, or a reseller above accounts.
#[derive(Clone, Debug)]
pub(crate) struct Business {
    /// Business number, unique among businesses and locations.
    pub(crate) number: u64,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The number of the reseller above it.
    pub(crate) parent: Option<u64>,
    /// The category of the phrase bank for its generated texts.
    pub(crate) category: String,
    /// Sentiment score of its industry, for an enterprise. That of a reseller is the mean of its enterprises'.
    pub(crate) industry_score: Option<Tenths>,
    pub(crate) city: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) country: Option<String>,
    /// Whether `smsPreferences` are accepted.
    pub(crate) text_categorisation: bool,
    /// Email addresses of its users, as written.
    pub(crate) users: Vec<String>,
    /// Names of its hierarchy's levels, highest first.
    pub(crate) levels: Vec<String>,
    /// Numbers of its competitors.
    pub(crate) competitors: Vec<u64>,
    pub(crate) locations: Vec<Location>,
    pub(crate) contacts: Vec<Contact>,
    /// Contacts to generate.
    pub(crate) contact_plans: Vec<ContactPlan>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An enterprise, with locations.
    Enterprise,
    /// A reseller, which represents its enterprises.
    Reseller,
}

/// A location of an account.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub(crate) number: u64,
    pub(crate) name: String,
    /// Level to the location's name at that level.
    pub(crate) levels: BTreeMap<String, String>,
    /// Where it is, as far as the scenario says so: city, state, and the two letters of its country.
    pub(crate) city: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) country: Option<String>,
    /// Its reviews, in the order given.
    pub(crate) reviews: Vec<Reviews>,
    /// Its questions, in the order given.
    pub(crate) questions: Vec<Questions>,
}

#[derive(Clone, Debug)]
pub(crate) enum Reviews {
    /// Written out, in the scenario or in a seed-data file.
    Given(Vec<Review>),
    Generated(ReviewPlan),
}

#[derive(Clone, Debug)]
pub(crate) enum Questions {
    /// Written out, in the scenario or in a seed-data file.
    Given(Vec<Question>),
    Generated(QuestionPlan),
}

/// How to generate reviews. Weights are relative; shares are parts in a million.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReviewPlan {
    pub(crate) count: u32,
    /// Weight of 1, 2, 3, 4 and 5 stars, in this order.
    pub(crate) ratings: [u32; 5],
    /// Index among the dialect's sources, and weight.
    pub(crate) sources: Vec<(u16, u32)>,
    pub(crate) dates: DayRange,
    /// Share that is published.
    pub(crate) published: u32,
    /// Share that the owner responded to.
    pub(crate) responded: u32,
    /// Languages and their weights.
    pub(crate) locales: Vec<(Locale, u32)>,
    /// What its texts are mainly about: a bit for each index among the category's subjects.
    pub(crate) about: u32,
    pub(crate) shape: Shape,
    /// Share of the reviewers that live where the location is.
    pub(crate) locals: u32,
    /// Share that carries hostile values.
    pub(crate) nasty: u32,
}

/// How the reviews of a block are spread over its days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    #[default]
    Steady,
    /// More and more, up to the last day.
    Ramp,
    /// A burst on the first days that decays.
    Spike,
    /// Most of it within three days.
    Bomb,
}

/// How to generate questions, none of which the owner has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QuestionPlan {
    pub(crate) count: u32,
    pub(crate) dates: DayRange,
    /// Languages and their weights.
    pub(crate) locales: Vec<(Locale, u32)>,
}

/// How to generate contacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContactPlan {
    pub(crate) count: u32,
    /// Languages of the names, and their weights.
    pub(crate) locales: Vec<(Locale, u32)>,
}

/// A language that texts can be generated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Locale {
    /// English.
    En,
    /// French.
    Fr,
    /// German.
    De,
    /// Spanish.
    Es,
    /// Spanish of Mexico, which a scenario writes as `es` where the country is `MX`.
    EsMx,
    /// Portuguese, of Brazil.
    Pt,
    /// Japanese.
    Ja,
    /// Arabic.
    Ar,
}

impl Locale {
    /// Those that a scenario names.
    pub(crate) const ALL: [Self; 7] = [Self::En, Self::Fr, Self::De, Self::Es, Self::Pt, Self::Ja, Self::Ar];

    /// The variety of the language that is spoken in a country.
    pub(crate) fn of_country(self, country: Option<&str>) -> Self {
        if self == Self::Es && country == Some("MX") { Self::EsMx } else { self }
    }

    /// The two letters of ISO 639-1, as scenarios write it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Fr => "fr",
            Self::De => "de",
            Self::Es | Self::EsMx => "es",
            Self::Pt => "pt",
            Self::Ja => "ja",
            Self::Ar => "ar",
        }
    }
}

/// The categories that have a phrase bank in English. Other languages have `neutral` only.
pub(crate) const CATEGORIES: [&str; 9] = [
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
pub(crate) const NEUTRAL: &str = "neutral";

/// A review as given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Review {
    /// Drawn if absent.
    pub(crate) id: Option<String>,
    /// 0-5.
    pub(crate) rating: u8,
    /// Day it was posted.
    pub(crate) day: GivenDay,
    /// Index among the dialect's sources. A stored review has the alias beside it.
    #[serde(skip)]
    pub(crate) source: u16,
    pub(crate) comments: Option<String>,
    pub(crate) title: Option<String>,
    /// Published (featured 1) or parked (featured 0).
    pub(crate) published: bool,
    pub(crate) response: Option<String>,
    /// Day of the response.
    pub(crate) response_day: Option<GivenDay>,
    /// Sentiment in tenths, 0-1000; from the rating if absent.
    pub(crate) sentiment: Option<u16>,
    /// How many mentions it counts for.
    pub(crate) mentions: u32,
    pub(crate) reviewer: Reviewer,
    /// The address at the source; generated if absent.
    pub(crate) review_url: Option<String>,
    /// Address at the platform; generated if absent.
    pub(crate) unique_review_url: Option<String>,
    /// Whether it can be replied to; by source if absent.
    pub(crate) enable_reply: Option<bool>,
    /// The contact it is attributed to.
    pub(crate) customer_id: Option<u64>,
    /// Custom fields of that contact.
    pub(crate) extra: BTreeMap<String, String>,
}

/// Who wrote a review; every field may be absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Reviewer {
    pub(crate) first_name: Option<String>,
    pub(crate) last_name: Option<String>,
    pub(crate) nick_name: Option<String>,
    pub(crate) thumbnail_url: Option<String>,
    pub(crate) email_id: Option<String>,
    pub(crate) facebook_id: Option<String>,
    pub(crate) city: Option<String>,
    pub(crate) state: Option<String>,
}

/// A question as given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Question {
    /// Drawn if absent.
    pub(crate) id: Option<u64>,
    pub(crate) question: String,
    /// Who asked.
    pub(crate) by: Option<String>,
    /// Kind of user, as shown.
    pub(crate) category: String,
    pub(crate) at: GivenMoment,
    /// Asked by the owner.
    pub(crate) owner: bool,
    /// Address of the asker's picture; generated if absent.
    pub(crate) logo: Option<String>,
    /// Its answers, in the order given.
    pub(crate) answers: Vec<Answer>,
}

/// An answer as given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Answer {
    /// Drawn if absent.
    pub(crate) id: Option<u64>,
    pub(crate) answer: String,
    /// Who answered; generated if absent, the business's name for the owner.
    pub(crate) by: Option<String>,
    /// Kind of user, as shown.
    pub(crate) category: String,
    pub(crate) at: GivenMoment,
    /// Answered by the owner.
    pub(crate) owner: bool,
    /// Address of the answerer's picture; generated if absent.
    pub(crate) logo: Option<String>,
}

/// A contact, with the fields of `docs/api.md` 4.3.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Contact {
    pub(crate) id: u64,
    pub(crate) first_name: Option<String>,
    pub(crate) last_name: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    pub(crate) country_code: Option<String>,
    pub(crate) sms_optin: Option<bool>,
    pub(crate) blocked: Option<bool>,
    pub(crate) business_ids: Vec<u64>,
    pub(crate) tags: Vec<String>,
    pub(crate) custom_fields: Vec<CustomField>,
    pub(crate) external_id: Option<String>,
    pub(crate) email_preferences: Option<Preferences>,
    pub(crate) sms_preferences: Option<Preferences>,
}

/// A custom field of a contact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CustomField {
    /// `fieldName`.
    pub(crate) name: String,
    /// `type`, as sent; `text` if absent.
    pub(crate) kind: String,
    /// `fieldValue`.
    pub(crate) value: String,
}

/// Preference flags of one channel; an absent flag was never given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Preferences {
    pub(crate) marketing_optin: Option<bool>,
    pub(crate) feedback_optin: Option<bool>,
    pub(crate) service_optin: Option<bool>,
}
