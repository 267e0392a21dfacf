//! The words of records that arrive without any, as those of generated records of the same location.

use std::fmt::Display;

use crate::api::sources::{DIRECT_FEEDBACK, Source};
use crate::dataset::added::AddedReview;
use crate::dataset::facts::Dataset;
use crate::dataset::generated::{Facts, Length, REVIEW, Record, pick_weighted, point};
use crate::dataset::people::Person;
use crate::dataset::phrases::bank;
use crate::dataset::records::{Locale, Review, Reviewer, Reviews};
use crate::dataset::review_view::{self, ReviewView};
use crate::dataset::subjects::subjects;
use crate::dataset::words::{Form, Words};
use crate::draw::{Draw, Seed};

impl Dataset {
    /// Writes the comments of a review that arrives, its title, and its author unless a name is given. `index` is the number of
    /// reviews that arrived at the location before it.
    pub(crate) fn write_review(&self, location: u32, review: &mut Review, about: &[String], index: u32) {
        let given = &review.reviewer;
        let name = given.name();
        let view = self.arrived_view(
            location,
            (review.rating, review.source),
            (about, Length::Sentences),
            name,
            index,
        );
        let Some(view) = view else { return };
        let (comments, title, drawn) =
            (view.comments.to_string(), text(view.title), reviewer(&view.reviewer));
        if name.is_none() {
            review.reviewer = Reviewer {
                first_name: drawn.first_name,
                last_name: drawn.last_name,
                nick_name: drawn.nick_name,
                thumbnail_url: given.thumbnail_url.clone().or(drawn.thumbnail_url),
                email_id: given.email_id.clone().or(drawn.email_id),
                facebook_id: given.facebook_id.clone().or(drawn.facebook_id),
                city: given.city.clone().or(drawn.city),
                state: given.state.clone().or(drawn.state),
            };
        }
        review.comments = Some(comments);
        review.title = review.title.take().or(title);
    }

    /// The words of the owner's response to a review, which fit whatever it says.
    pub(crate) fn response_words(&self, review: &AddedReview) -> String {
        let mut draw = Draw::new(self.seed, "arrival response").with_text(&review.id);
        let index = u32::try_from(draw.below(u32::MAX.into())).unwrap_or_default();
        let Review { rating, source, ref reviewer, .. } = review.record;
        let (location, name) = (review.values.location, reviewer.name());
        let view = self.arrived_view(location, (rating, source), (&[], Length::Short), name, index);
        view.and_then(|view| text(view.response)).unwrap_or_default()
    }

    /// The words of a question that arrives. No question comes again before all others have come.
    pub(crate) fn question_words(&self, location: u32, index: u32) -> String {
        let category = &self.account(self.account_of(location)).category;
        let questions = &bank(self.usual_locale(location, index), category).questions;
        let length = questions.len() as u64;
        let stream = Record::stream(self.arrival_seed(), "question-order", self.location(location).number, 0);
        let index = u64::from(index);
        let chosen = stream.with(index / length.max(1)).permuted(index % length.max(1), length.max(1));
        let words = questions.get(usize::try_from(chosen).unwrap_or_default());
        words.map(|(question, _)| (*question).to_owned()).unwrap_or_default()
    }

    /// A review of the dataset as if it had been written out.
    pub(crate) fn written_out(&self, row: u32) -> Option<Review> {
        let view = self.review(row)?;
        let source = self.sources.iter().position(|source| std::ptr::eq(source, view.source))?;
        Some(Review {
            id: Some(view.id.to_string()),
            rating: view.rating,
            day: view.day.into(),
            source: u16::try_from(source).ok()?,
            comments: Some(view.comments.to_string()),
            title: text(view.title),
            published: view.published,
            response: text(view.response),
            response_day: view.response_day.map(Into::into),
            sentiment: Some(self.reviews.sentiment[row as usize]),
            mentions: self.reviews.mentions[row as usize],
            reviewer: reviewer(&view.reviewer),
            review_url: Some(view.review_url.to_string()),
            unique_review_url: Some(view.unique_review_url.to_string()),
            enable_reply: Some(view.enable_reply),
            customer_id: view.customer_id,
            extra: view.extra.cloned().unwrap_or_default(),
        })
    }

    /// A generated review of that rating and source, with a response, by an author of that name if one is given. It is drawn under a seed of its own, so that it is none of
    /// the location's generated reviews.
    fn arrived_view<'a>(
        &'a self,
        location: u32,
        (rating, source): (u8, u16),
        (about, length): (&[String], Length),
        name: Option<Person<'a>>,
        index: u32,
    ) -> Option<ReviewView<'a>> {
        let category = &self.account(self.account_of(location)).category;
        let subjects = (0..).zip(subjects(category));
        let wanted = subjects.filter(|(_, subject)| about.iter().any(|wanted| wanted == subject));
        let locale = self.usual_locale(location, index);
        let origin = self.sources.get(usize::from(source))?;
        let stars = stars(rating, origin);
        let facts = Facts { stars, rating, source, published: true, responded: true, locale, length };
        let place = self.location(location);
        let block = Record::stream(self.arrival_seed(), REVIEW, place.number, 0);
        let record = Record::of(&block, index);
        let words = Words {
            bank: bank(locale, category),
            about: wanted.fold(0, |bits, (bit, _): (u32, _)| bits | 1 << bit),
            locals: 1_000_000,
            nasty: 0,
            location: place,
            facts,
            record,
            author: record.person(),
            contact: None,
            name,
            point: point(&block, facts.kind(origin), index),
            number: index,
            entry: 0,
            source: origin,
            form: Form::default(),
        }
        .with_form();
        Some(Self::generated_view(words, self.today, Some(self.today)))
    }

    fn arrival_seed(&self) -> Seed {
        Seed(Draw::new(self.seed, "arrival").number())
    }

    /// A language of the location's generated reviews, English if it has none.
    fn usual_locale(&self, location: u32, index: u32) -> Locale {
        let generated = self.location(location).reviews.iter().find_map(|reviews| match reviews {
            Reviews::Generated(plan) => Some(&plan.locales),
            Reviews::Given(_) => None,
        });
        let Some(locales) = generated else { return Locale::En };
        let mut draw = Draw::new(self.seed, "arrival language").with(location.into()).with(index.into());
        let chosen = pick_weighted(locales.iter().map(|(_, weight)| *weight), &mut draw);
        locales.get(chosen).map_or(Locale::En, |(locale, _)| *locale)
    }
}

/// The stars that the words of a review express.
fn stars(rating: u8, source: &Source) -> u8 {
    match rating {
        _ if source.alias == DIRECT_FEEDBACK => 3,
        1 if source.recommendation => 5,
        0 => 1,
        stars => stars,
    }
}

impl Reviewer {
    /// The name that it gives. The author is addressed by the nickname, where there is no first name.
    fn name(&self) -> Option<Person<'_>> {
        let Self { first_name, last_name, nick_name, .. } = self;
        let names = [first_name.as_deref(), last_name.as_deref(), nick_name.as_deref()];
        let [first, last, nick] = names;
        names.iter().any(Option::is_some).then(|| Person {
            first: first.or(nick).or(last).unwrap_or_default(),
            last: last.unwrap_or_default(),
        })
    }
}

fn text(text: Option<impl Display>) -> Option<String> {
    text.map(|text| text.to_string())
}

fn reviewer(view: &review_view::Reviewer<'_>) -> Reviewer {
    Reviewer {
        first_name: text(view.first_name),
        last_name: text(view.last_name),
        nick_name: text(view.nick_name),
        thumbnail_url: text(view.thumbnail_url),
        email_id: text(view.email_id),
        facebook_id: text(view.facebook_id),
        city: text(view.city),
        state: text(view.state),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::facts::fixture;

    #[test]
    fn a_review_that_is_written_out_is_shown_as_before() {
        let dataset = fixture::generated(300);
        for row in 0..300 {
            let location = dataset.reviews.location[row as usize];
            let review = dataset.written_out(row).unwrap();
            let id = review.id.clone().unwrap();
            let added = AddedReview::new(&dataset, location, id, review, None);
            // The types of their texts differ, the texts must not.
            let (left, right) = (dataset.added_review(&added).unwrap(), dataset.review(row).unwrap());
            let texts = |view: &ReviewView<'_>| {
                let reviewer = reviewer(&view.reviewer);
                let urls = [view.review_url.to_string(), view.unique_review_url.to_string()];
                let words = [Some(view.comments), view.title, view.response].map(text);
                format!("{} {words:?} {reviewer:?} {urls:?} {:?} {:?}", view.id, view.day, view.response_day)
            };
            assert_eq!(texts(&left), texts(&right));
            assert_eq!(
                (left.rating, left.published, left.enable_reply),
                (right.rating, right.published, right.enable_reply)
            );
            assert_eq!(left.source, right.source);
            assert_eq!(added.sentiment, dataset.reviews.sentiment[row as usize]);
        }
    }

    #[test]
    fn a_response_to_a_review_that_arrived_names_its_author_and_no_other() {
        let dataset = fixture::generated(300);
        let answered = |first: &str| -> Vec<String> {
            let response = |row: u32| {
                let location = dataset.reviews.location[row as usize];
                let mut review = dataset.written_out(row).unwrap();
                review.reviewer.first_name = Some(first.to_owned());
                let id = review.id.clone().unwrap();
                dataset.response_words(&AddedReview::new(&dataset, location, id, review, None))
            };
            (0..300).map(response).collect()
        };
        let (one, other) = (answered("Zebedee"), answered("Ermintrude"));
        assert!(one.iter().any(|words| words.contains("Zebedee")));
        assert_eq!(one, other.iter().map(|words| words.replace("Ermintrude", "Zebedee")).collect::<Vec<_>>());
    }
}
