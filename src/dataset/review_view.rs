//! A review with all the fields that an answer shows. The words of a generated review are chosen here.

use std::collections::BTreeMap;

use crate::api::dates::Day;
use crate::api::sources::{DIRECT_FEEDBACK, OUR_WEBSITE, Source};
use crate::dataset::added::{AddedReview, ListedReview};
use crate::dataset::facts::Dataset;
use crate::dataset::generated::{Facts, REVIEW, Record, author, generated_facts, point};
use crate::dataset::nasty;
use crate::dataset::people::elsewhere;
use crate::dataset::phrases::bank;
use crate::dataset::records::{self, Contact, Location};
use crate::dataset::text::{Id, Said, Text};
use crate::dataset::words::{Form, Words, WordsOf};

/// A review, as the API names its fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReviewView<'a> {
    pub(crate) id: Id<'a>,
    pub(crate) rating: u8,
    pub(crate) comments: Said<'a>,
    pub(crate) title: Option<Said<'a>>,
    pub(crate) reviewer: Reviewer<'a>,
    pub(crate) review_url: Text<'a>,
    pub(crate) source: &'a Source,
    pub(crate) day: Day,
    pub(crate) response: Option<Said<'a>>,
    pub(crate) response_day: Option<Day>,
    pub(crate) published: bool,
    pub(crate) location: &'a Location,
    pub(crate) unique_review_url: Text<'a>,
    pub(crate) enable_reply: bool,
    pub(crate) customer_id: Option<u64>,
    pub(crate) extra: Option<&'a BTreeMap<String, String>>,
}

/// The author of a review.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reviewer<'a> {
    pub(crate) first_name: Option<Text<'a>>,
    pub(crate) last_name: Option<Text<'a>>,
    pub(crate) nick_name: Option<Text<'a>>,
    pub(crate) thumbnail_url: Option<Text<'a>>,
    pub(crate) email_id: Option<Text<'a>>,
    pub(crate) facebook_id: Option<Text<'a>>,
    pub(crate) city: Option<Text<'a>>,
    pub(crate) state: Option<Text<'a>>,
}

impl Dataset {
    pub(crate) fn listed_review<'a>(&'a self, review: ListedReview<'a>) -> Option<ReviewView<'a>> {
        match review {
            ListedReview::Seeded(row) => self.review(row),
            ListedReview::Added(review) => self.added_review(review),
        }
    }

    pub(crate) fn added_review<'a>(&'a self, review: &'a AddedReview) -> Option<ReviewView<'a>> {
        let location = self.location(review.values.location);
        self.given_view(location, &review.record, Id::Given(&review.id))
    }

    /// The id of the review of a row.
    pub(crate) fn review_id(&self, row: u32) -> Option<Id<'_>> {
        let location = self.location(self.reviews.location[row as usize]);
        let origin = self.reviews.origin[row as usize];
        let block = Record::stream(self.seed, REVIEW, location.number, origin.entry);
        let record = Record::of(&block, origin.index);
        Some(match location.reviews.get(origin.entry as usize)? {
            records::Reviews::Given(given) => {
                let id = given.get(origin.index as usize)?.id.as_deref();
                id.map_or_else(|| Id::Number(record.id()), Id::Given)
            }
            records::Reviews::Generated(plan) => {
                let facts = generated_facts(plan, &self.sources, &record);
                let source = self.sources.get(usize::from(facts.source))?;
                let number = self.reviews.number[row as usize];
                Id::Number(record.id_at(point(&block, facts.kind(source), number)))
            }
        })
    }

    /// The review of a row. Every row of the columns has one.
    pub(crate) fn review(&self, row: u32) -> Option<ReviewView<'_>> {
        let index = self.reviews.location[row as usize];
        let location = self.location(index);
        let origin = self.reviews.origin[row as usize];
        let record = Record::new(self.seed, REVIEW, location.number, origin.entry, origin.index);
        match location.reviews.get(origin.entry as usize)? {
            records::Reviews::Given(given) => {
                let review = given.get(origin.index as usize)?;
                let id = review.id.as_deref().map_or_else(|| Id::Number(record.id()), Id::Given);
                self.given_view(location, review, id)
            }
            records::Reviews::Generated(_) => {
                let words = self.words(row)?;
                let response_day = words.facts.responded.then(|| self.reviews.updated[row as usize]);
                Some(Self::generated_view(words, self.reviews.day[row as usize], response_day))
            }
        }
    }

    /// The words of a row; none if it is given.
    pub(crate) fn words(&self, row: u32) -> Option<Words<'_>> {
        let index = self.reviews.location[row as usize];
        let location = self.location(index);
        let origin = self.reviews.origin[row as usize];
        let records::Reviews::Generated(plan) = location.reviews.get(origin.entry as usize)? else {
            return None;
        };
        let block = Record::stream(self.seed, REVIEW, location.number, origin.entry);
        let record = Record::of(&block, origin.index);
        let facts = generated_facts(plan, &self.sources, &record);
        let source = self.sources.get(usize::from(facts.source))?;
        let account = self.account(self.account_of(index));
        let contact = self.contact_reviews.author(index, origin.entry, origin.index);
        let contact = contact.and_then(|contact| account.contacts.get(contact as usize));
        let words = Words {
            bank: bank(facts.locale, &account.category),
            about: plan.about,
            locals: plan.locals,
            nasty: plan.nasty,
            location,
            facts,
            record,
            author: author(&block, origin.index),
            contact,
            name: contact.map(Contact::person),
            point: point(&block, facts.kind(source), self.reviews.number[row as usize]),
            number: self.reviews.number[row as usize],
            entry: origin.entry,
            source,
            form: Form::default(),
        };
        Some(words.with_form())
    }

    fn given_view<'a>(
        &'a self,
        location: &'a Location,
        review: &'a records::Review,
        id: Id<'a>,
    ) -> Option<ReviewView<'a>> {
        let source = self.sources.get(usize::from(review.source))?;
        let text = |field: &'a Option<String>| field.as_deref().map(Text::Given);
        let said = |field: &'a Option<String>| field.as_deref().map(Said::Given);
        let reviewer = &review.reviewer;
        Some(ReviewView {
            id,
            rating: review.rating,
            comments: Said::Given(review.comments.as_deref().unwrap_or_default()),
            title: said(&review.title),
            reviewer: Reviewer {
                first_name: text(&reviewer.first_name),
                last_name: text(&reviewer.last_name),
                nick_name: text(&reviewer.nick_name),
                thumbnail_url: text(&reviewer.thumbnail_url),
                email_id: text(&reviewer.email_id),
                facebook_id: text(&reviewer.facebook_id),
                city: text(&reviewer.city),
                state: text(&reviewer.state),
            },
            review_url: text(&review.review_url).unwrap_or(Text::Page(location.number, id)),
            source,
            day: review.day.resolve(self.today),
            response: said(&review.response),
            response_day: review
                .response
                .is_some()
                .then(|| review.response_day.unwrap_or(review.day).resolve(self.today)),
            published: review.published,
            location,
            unique_review_url: text(&review.unique_review_url).unwrap_or(Text::Page(location.number, id)),
            enable_reply: review.enable_reply.unwrap_or(source.reply),
            customer_id: review.customer_id,
            extra: (!review.extra.is_empty()).then_some(&review.extra),
        })
    }

    /// A generated review of that day, and with a response of the other if there is one.
    pub(super) fn generated_view(words: Words<'_>, day: Day, response_day: Option<Day>) -> ReviewView<'_> {
        let Words { facts, record, source, location, .. } = words;
        let id = Id::Number(record.id_at(words.point));
        ReviewView {
            id,
            rating: facts.rating,
            comments: Said::Words(words, WordsOf::Comments),
            title: words.has_title().then_some(Said::Words(words, WordsOf::Title)),
            reviewer: reviewer(&words),
            review_url: Text::Page(location.number, id),
            source,
            day,
            response: response_day.map(|_| Said::Words(words, WordsOf::Response)),
            response_day,
            published: facts.published,
            location,
            unique_review_url: Text::Page(location.number, id),
            enable_reply: source.reply,
            customer_id: words.contact.map(|contact| contact.id),
            extra: None,
        }
    }
}

/// The author of a generated review: a contact, or a person that is drawn. The platform's own sources have an email address, Facebook has an id, and other
/// sources have little more than a name.
fn reviewer<'a>(words: &Words<'a>) -> Reviewer<'a> {
    let Words { facts: Facts { locale, .. }, author: mut draw, source, .. } = *words;
    let person = words.author(&mut draw);
    let number = 1 + draw.below(9_999);
    let is_own_source = matches!(source.alias.as_str(), OUR_WEBSITE | DIRECT_FEEDBACK);
    let (has_picture, has_nickname, has_city) = (draw.below(3) > 0, draw.below(4) == 0, draw.below(2) == 0);
    let has_last_name = is_own_source || draw.below(8) > 0 || words.contact.is_some();
    let home =
        if draw.chance(words.locals) { words.location.home(locale) } else { elsewhere(locale, &mut draw) };
    // Google and Facebook tell no places.
    let home = Some(home).filter(|_| has_city && !words.source.is_google_or_facebook());
    let is_hostile = words.is_nasty() && words.contact.is_none();
    let first = if is_hostile { nasty::name(&mut draw) } else { person.first };
    let email = match words.contact {
        Some(contact) => contact.email.as_deref().map(Text::Given),
        None => Some(Text::Address(person.first, person.last, number)),
    };
    Reviewer {
        first_name: Some(Text::Given(first)),
        last_name: has_last_name.then_some(Text::Given(person.last)),
        nick_name: has_nickname.then_some(Text::Nickname(person.first, number)),
        thumbnail_url: (has_picture && !is_own_source)
            .then_some(Text::Avatar([first, if has_last_name { person.last } else { "" }], number)),
        email_id: email.filter(|_| is_own_source),
        facebook_id: (source.alias == "facebook")
            .then(|| Text::Id(Id::Number(100_000_000_000_000 + draw.below(900_000_000_000_000)))),
        city: home.map(|home| Text::Given(home.city)),
        state: home.and_then(|home| home.state).map(Text::Given),
    }
}
