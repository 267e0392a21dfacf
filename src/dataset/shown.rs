//! A review as answers show it: what columns and records say, with the words of a generated one chosen now.

use std::collections::BTreeMap;

use crate::api::dates::Day;
use crate::api::sources::{DIRECT_FEEDBACK, OUR_WEBSITE, Source};
use crate::dataset::facts::Dataset;
use crate::dataset::generated::{NONE, Outline, REVIEW, Record, outline, words};
use crate::dataset::people::{city, person, state};
use crate::dataset::phrases::{Bank, bank};
use crate::dataset::records::{self, Business, Location, ReviewPlan};
use crate::dataset::text::{Id, Text};

/// A review, with borrowed parts.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "named like the fields of the API, or like those of a record")]
pub struct Shown<'a> {
    pub id: Id<'a>,
    pub rating: u8,
    pub comments: Text<'a>,
    pub title: Option<Text<'a>>,
    pub reviewer: Reviewer<'a>,
    pub review_url: Text<'a>,
    pub source: &'a Source,
    pub day: Day,
    pub response: Option<Text<'a>>,
    pub response_day: Option<Day>,
    pub published: bool,
    pub location: &'a Location,
    pub unique_review_url: Text<'a>,
    pub enable_reply: bool,
    pub customer_id: Option<u64>,
    pub extra: Option<&'a BTreeMap<String, String>>,
}

/// Who wrote it.
#[derive(Clone, Copy, Debug, Default)]
#[expect(missing_docs, reason = "named like the fields of the API")]
pub struct Reviewer<'a> {
    pub first_name: Option<Text<'a>>,
    pub last_name: Option<Text<'a>>,
    pub nick_name: Option<Text<'a>>,
    pub thumbnail_url: Option<Text<'a>>,
    pub email_id: Option<Text<'a>>,
    pub facebook_id: Option<Text<'a>>,
    pub city: Option<Text<'a>>,
    pub state: Option<Text<'a>>,
}

/// What a row stands for.
#[derive(Debug)]
pub enum Kind<'a> {
    /// A review as given.
    Given(&'a records::Review),
    /// A generated one.
    Generated(&'a ReviewPlan),
}

impl Dataset {
    /// What a row stands for, and its record's draws.
    #[must_use]
    pub fn kind(&self, row: u32) -> Option<(Kind<'_>, Record)> {
        let location = self.location(self.reviews.location[row as usize]);
        let origin = self.reviews.origin[row as usize];
        let record = Record::new(self.seed, REVIEW, location.number, origin.entry, origin.index);
        let kind = match location.reviews.get(origin.entry as usize)? {
            records::Reviews::Given(given) => Kind::Given(given.get(origin.index as usize)?),
            records::Reviews::Generated(plan) => Kind::Generated(plan),
        };
        Some((kind, record))
    }

    /// The bank from which a generated review of a row has its words.
    #[must_use]
    pub fn bank_of(&self, row: u32, outline: &Outline) -> &'static Bank {
        bank(outline.locale, &self.business_of(row).category)
    }

    fn business_of(&self, row: u32) -> &Business {
        self.account(self.account_of(self.reviews.location[row as usize]))
    }

    /// The review of a row. Every row of the columns has one.
    #[must_use]
    pub fn show(&self, row: u32) -> Option<Shown<'_>> {
        let location = self.location(self.reviews.location[row as usize]);
        let (kind, record) = self.kind(row)?;
        match kind {
            Kind::Given(review) => self.show_given(location, review, &record),
            Kind::Generated(plan) => {
                let outline = outline(plan, &self.sources, self.today, &record);
                self.show_generated(location, self.bank_of(row, &outline), &outline, &record)
            }
        }
    }

    fn show_given<'a>(
        &'a self,
        location: &'a Location,
        review: &'a records::Review,
        record: &Record,
    ) -> Option<Shown<'a>> {
        let source = self.sources.get(usize::from(review.source))?;
        let id = review.id.as_deref().map_or(Id::Number(record.id()), Id::Given);
        let text = |field: &'a Option<String>| field.as_deref().map(Text::Given);
        let who = &review.reviewer;
        Some(Shown {
            id,
            rating: review.rating,
            comments: Text::Given(review.comments.as_deref().unwrap_or_default()),
            title: text(&review.title),
            reviewer: Reviewer {
                first_name: text(&who.first_name),
                last_name: text(&who.last_name),
                nick_name: text(&who.nick_name),
                thumbnail_url: text(&who.thumbnail_url),
                email_id: text(&who.email_id),
                facebook_id: text(&who.facebook_id),
                city: text(&who.city),
                state: text(&who.state),
            },
            review_url: text(&review.review_url).unwrap_or(Text::SourcePage(&source.alias, id)),
            source,
            day: review.day,
            response: text(&review.response),
            response_day: review.response.is_some().then_some(review.response_day.unwrap_or(review.day)),
            published: review.published,
            location,
            unique_review_url: text(&review.unique_review_url).unwrap_or(Text::Page(id)),
            enable_reply: review.enable_reply.unwrap_or(source.reply),
            customer_id: review.customer_id,
            extra: (!review.extra.is_empty()).then_some(&review.extra),
        })
    }

    fn show_generated<'a>(
        &'a self,
        location: &'a Location,
        bank: &'static Bank,
        outline: &Outline,
        record: &Record,
    ) -> Option<Shown<'a>> {
        let source = self.sources.get(usize::from(outline.source))?;
        let id = Id::Number(record.id());
        let words = words(bank, outline, record);
        let phrase = |at| if at == NONE { "" } else { bank.phrase(at) };
        let [first, second] = words.response;
        Some(Shown {
            id,
            rating: outline.rating,
            comments: Text::Sentences(words.comments.map(phrase), bank.join),
            title: (words.title != NONE).then(|| Text::Given(phrase(words.title))),
            reviewer: author(outline, source, record),
            review_url: Text::SourcePage(&source.alias, id),
            source,
            day: outline.day,
            response: outline
                .response_day
                .map(|_| Text::Sentences([phrase(first), phrase(second), "", ""], bank.join)),
            response_day: outline.response_day,
            published: outline.published,
            location,
            unique_review_url: Text::Page(id),
            enable_reply: source.reply,
            customer_id: None,
            extra: None,
        })
    }
}

/// The author of a generated review: the platform's own sources know an address, Facebook its id, others little more
/// than a name.
fn author(outline: &Outline, source: &Source, record: &Record) -> Reviewer<'static> {
    let mut draw = record.person();
    let person = person(outline.locale, &mut draw);
    let number = 1 + draw.below(9_999);
    let own = matches!(source.alias.as_str(), OUR_WEBSITE | DIRECT_FEEDBACK);
    let (pictured, nicknamed, located) = (draw.below(3) > 0, draw.below(4) == 0, draw.below(2) == 0);
    let full = own || draw.below(8) > 0;
    Reviewer {
        first_name: Some(Text::Given(person.first)),
        last_name: full.then_some(Text::Given(person.last)),
        nick_name: nicknamed.then_some(Text::Nickname(person.first, number)),
        thumbnail_url: (pictured && !own).then_some(Text::Picture("avatars", number)),
        email_id: own.then_some(Text::Address(person.first, person.last, number)),
        facebook_id: (source.alias == "facebook")
            .then(|| Text::Id(Id::Number(100_000_000_000_000 + draw.below(900_000_000_000_000)))),
        city: located.then(|| Text::Given(city(outline.locale, &mut draw))),
        state: if located { state(outline.locale, &mut draw).map(Text::Given) } else { None },
    }
}
