//! What a generated review is: a pure function of (seed, location, index), so that a larger `generate` keeps the
//! earlier reviews (`behaviour.md` 6). The outline is what columns keep; the words are chosen when one is shown.

use crate::api::dates::Day;
use crate::api::ids::ID_LIMIT;
use crate::api::sources::{DIRECT_FEEDBACK, Source};
use crate::dataset::phrases::{Bank, Section, mood};
use crate::dataset::records::{Locale, ReviewPlan};
use crate::draw::{Draw, Seed};

/// What is kept of a generated review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Stars that the words speak of, 1-5.
    pub stars: u8,
    /// Rating as shown: the stars, or what the source makes of them.
    pub rating: u8,
    /// Place in the sources.
    pub source: u16,
    /// Day it was posted.
    pub day: Day,
    /// Published or parked.
    pub published: bool,
    /// Day of the owner's response.
    pub response_day: Option<Day>,
    /// Language.
    pub locale: Locale,
}

/// Keys of the streams that one record has.
const ID: u64 = 1;
const WORDS: u64 = 2;
const PERSON: u64 = 3;

/// The streams of one generated record.
#[derive(Clone, Debug)]
pub struct Record(Draw);

impl Record {
    /// The record of that kind at an index of a location's plan. Plans of one location are told apart by their place
    /// among its entries.
    #[must_use]
    pub fn new(seed: Seed, kind: &str, location: u64, plan: u32, index: u32) -> Self {
        Self::of(&Self::stream(seed, kind, location, plan), index)
    }

    /// What all records of a plan have in common.
    #[must_use]
    pub fn stream(seed: Seed, kind: &str, location: u64, plan: u32) -> Draw {
        Draw::new(seed, kind).with(location).with(plan.into())
    }

    /// The record at an index of a plan's stream.
    #[must_use]
    pub const fn of(stream: &Draw, index: u32) -> Self {
        Self(stream.with(index as u64))
    }

    /// Its id, below 2^53.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.0.with(ID).number() % ID_LIMIT
    }

    /// A record of its own within this one.
    #[must_use]
    pub const fn part(&self, key: u64) -> Self {
        Self(self.0.with(key))
    }

    /// Draws that decide what it is.
    #[must_use]
    pub fn facts(&self) -> Draw {
        self.0.clone()
    }

    /// Draws that choose its words.
    #[must_use]
    pub const fn words(&self) -> Draw {
        self.0.with(WORDS)
    }

    /// Draws that make its author.
    #[must_use]
    pub const fn person(&self) -> Draw {
        self.0.with(PERSON)
    }
}

/// The purpose of a review's draws.
pub const REVIEW: &str = "review";

/// The outline of a record. No response is later than `today`, unless its review is.
#[must_use]
#[inline]
pub fn outline(plan: &ReviewPlan, sources: &[Source], today: Day, record: &Record) -> Outline {
    let mut draw = record.facts();
    let days = u64::from(plan.from.0.abs_diff(plan.to.0)) + 1;
    let day = Day(plan.from.0 + small(draw.below(days)));
    let stars = 1 + weighted(plan.ratings.iter().copied(), &mut draw);
    let source = plan.sources.get(weighted(plan.sources.iter().map(|(_, weight)| *weight), &mut draw));
    let source = source.map_or(0, |(source, _)| *source);
    let published = draw.comes_true(plan.published);
    let responded = draw.comes_true(plan.responded);
    let delay = small(draw.below(7));
    let locale = plan.locales.get(weighted(plan.locales.iter().map(|(_, weight)| *weight), &mut draw));
    let locale = locale.map_or(Locale::En, |(locale, _)| *locale);
    let response_day = responded.then(|| Day((day.0 + delay).min(today.0.max(day.0))));
    let stars = u8::try_from(stars).unwrap_or(5);
    let (stars, rating) = match sources.get(usize::from(source)) {
        Some(source) if source.alias == DIRECT_FEEDBACK => (3, 0),
        Some(source) if source.recommendation && stars >= 4 => (stars, 1),
        Some(source) if source.recommendation => (stars.min(2), 0),
        Some(_) | None => (stars, stars),
    };
    Outline { stars, rating, source, day, published, response_day, locale }
}

fn small(number: u64) -> i32 {
    i32::try_from(number).unwrap_or_default()
}

/// An index, each as often as its weight says; 0 where all weights are 0.
pub fn weighted(weights: impl Iterator<Item = u32> + Clone, draw: &mut Draw) -> usize {
    let total: u64 = weights.clone().map(u64::from).sum();
    let mut left = draw.below(total);
    for (place, weight) in weights.enumerate() {
        match left.checked_sub(u64::from(weight)) {
            Some(rest) => left = rest,
            None => return place,
        }
    }
    0
}

/// No phrase.
pub const NONE: u32 = u32::MAX;

/// The places, in a bank, of the phrases that make a review's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// Sentences of the comment; the third may be [`NONE`].
    pub comments: [u32; 4],
    /// The title, or [`NONE`].
    pub title: u32,
    /// Sentences of the owner's response, whether or not there is one.
    pub response: [u32; 2],
}

/// One review in so many is a short one: three sentences.
const SHORT: u64 = 7;

/// The words that go with a review's stars; where the source gives none, they speak of none.
#[must_use]
#[inline]
pub fn words(bank: &Bank, outline: &Outline, record: &Record) -> Words {
    let mut draw = record.words();
    let stars = outline.stars;
    let mut pick = |section: &Section| {
        let range = if outline.rating == stars { &section.all } else { &section.plain };
        let length = range.end.saturating_sub(range.start);
        range.start + u32::try_from(draw.below(length.into())).unwrap_or_default()
    };
    let (star, mood) = (usize::from(stars.clamp(1, 5)) - 1, mood(stars));
    let [open, close, title] = [&bank.open[star], &bank.close[mood], &bank.title[star]].map(&mut pick);
    let response = [&bank.reply[mood], &bank.follow[mood]].map(&mut pick);
    let good = [pick(&bank.good[0]), pick(&bank.good[1])];
    let bad = [pick(&bank.bad[0]), pick(&bank.bad[1])];
    let first = usize::from(draw.below(2) == 1);
    let second = 1 - first;
    let short = draw.below(SHORT) == 0;
    let titled = draw.below(5) < 2;
    let details = match stars {
        4.. if short => [good[first], NONE],
        4.. => [good[first], good[second]],
        3 => [good[first], bad[second]],
        _ if short => [bad[first], NONE],
        _ => [bad[first], bad[second]],
    };
    let comments = [open, details[0], details[1], close];
    Words { comments, title: if titled { title } else { NONE }, response }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::sources;
    use crate::dataset::phrases::bank;
    use crate::dataset::records::{CATEGORIES, NEUTRAL};
    use std::collections::BTreeMap;

    fn plan() -> ReviewPlan {
        ReviewPlan {
            count: 10_000,
            ratings: [5, 5, 10, 25, 55],
            sources: vec![(0, 60), (1, 25), (24, 10), (25, 5)],
            from: Day(20_000),
            to: Day(20_364),
            published: 900_000,
            responded: 400_000,
            locales: vec![(Locale::En, 1)],
        }
    }

    #[test]
    fn ratings_follow_their_source_and_dates_their_range() {
        let (plan, sources) = (plan(), sources::built_in());
        for index in 0..2_000 {
            let outline = outline(&plan, &sources, Day(20_364), &Record::new(Seed(1), REVIEW, 7, 0, index));
            assert!((plan.from..=plan.to).contains(&outline.day));
            assert!(outline.response_day.is_none_or(|day| (outline.day..=Day(20_364)).contains(&day)));
            match sources[usize::from(outline.source)].alias.as_str() {
                "facebook" => assert_eq!(outline.rating, u8::from(outline.stars >= 4)),
                "direct_feedback" => assert_eq!((outline.rating, outline.stars), (0, 3)),
                _ => assert_eq!(outline.rating, outline.stars),
            }
        }
    }

    #[test]
    fn of_ten_thousand_reviews_nearly_all_are_distinct() {
        let english = CATEGORIES.map(|category| (Locale::En, category));
        let others = Locale::ALL.map(|locale| (locale, NEUTRAL));
        for (locale, category) in english.into_iter().chain(others) {
            for stars in [5, 1] {
                let bank = bank(locale, category);
                let mut seen: BTreeMap<[u32; 4], u32> = BTreeMap::new();
                let outline = Outline {
                    stars,
                    rating: stars,
                    source: 0,
                    day: Day(0),
                    published: true,
                    response_day: None,
                    locale,
                };
                for index in 0..10_000 {
                    let record = Record::new(Seed(3), REVIEW, 7, 0, index);
                    *seen.entry(words(bank, &outline, &record).comments).or_default() += 1;
                }
                assert!(seen.len() >= 9_500, "{locale:?} {category} {stars}: {}", seen.len());
                assert!(seen.values().all(|times| *times <= 5));
            }
        }
    }
}
