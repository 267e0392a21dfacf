//! What a generated review is: a pure function of (seed, location, index), so that a larger `generate` keeps the
//! earlier reviews (`docs/api.md` 6). Columns keep its facts; its words are chosen when it is shown.

use crate::api::dates::Day;
use crate::api::ids::ID_LIMIT;
use crate::api::sources::{DIRECT_FEEDBACK, Source};
use crate::dataset::phrases::{Bank, Section, mood};
use crate::dataset::records::{Locale, ReviewPlan};
use crate::draw::{Draw, Seed};

/// A generated review without its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The stars that the words express, 1-5.
    pub(crate) stars: u8,
    /// The rating as shown: the stars, or 0 or 1 where the source has no stars.
    pub(crate) rating: u8,
    /// Index among the sources.
    pub(crate) source: u16,
    pub(crate) day: Day,
    pub(crate) published: bool,
    /// The day of the owner's response, if there is one.
    pub(crate) response_day: Option<Day>,
    pub(crate) locale: Locale,
}

/// Keys of the streams of one record.
const ID: u64 = 1;
const WORDS: u64 = 2;
const PERSON: u64 = 3;

/// The streams of draws that belong to one generated record.
#[derive(Clone, Debug)]
pub(crate) struct Record(Draw);

impl Record {
    /// The record of a kind at an index of a location's plan; `plan` is the plan's index among the location's entries.
    pub(crate) fn new(seed: Seed, kind: &str, location: u64, plan: u32, index: u32) -> Self {
        Self::of(&Self::stream(seed, kind, location, plan), index)
    }

    /// The stream that all records of a plan derive from.
    pub(crate) fn stream(seed: Seed, kind: &str, location: u64, plan: u32) -> Draw {
        Draw::new(seed, kind).with(location).with(plan.into())
    }

    /// The record at an index, from the stream of its plan.
    pub(crate) const fn of(stream: &Draw, index: u32) -> Self {
        Self(stream.with(index as u64))
    }

    /// The record's id, below 2^53.
    pub(crate) const fn id(&self) -> u64 {
        self.0.with(ID).number() % ID_LIMIT
    }

    /// A nested record, such as an answer of a question.
    pub(crate) const fn part(&self, key: u64) -> Self {
        Self(self.0.with(key))
    }

    /// The draws for its facts.
    pub(crate) fn facts(&self) -> Draw {
        self.0.clone()
    }

    /// The draws for its words.
    pub(crate) const fn words(&self) -> Draw {
        self.0.with(WORDS)
    }

    /// The draws for its author.
    pub(crate) const fn person(&self) -> Draw {
        self.0.with(PERSON)
    }
}

/// The purpose under which reviews are drawn.
pub(crate) const REVIEW: &str = "review";

/// Draws the facts of a review. No response is later than `today`, unless its review is.
#[inline]
pub(crate) fn generated_facts(plan: &ReviewPlan, sources: &[Source], today: Day, record: &Record) -> Facts {
    let mut draw = record.facts();
    let (first, last) = plan.dates.resolve(today);
    let days = u64::from(first.0.abs_diff(last.0)) + 1;
    let day = Day(first.0 + to_i32(draw.below(days)));
    let stars = 1 + pick_weighted(plan.ratings.iter().copied(), &mut draw);
    let source = plan.sources.get(pick_weighted(plan.sources.iter().map(|(_, weight)| *weight), &mut draw));
    let source = source.map_or(0, |(source, _)| *source);
    let published = draw.chance(plan.published);
    let responded = draw.chance(plan.responded);
    let delay = to_i32(draw.below(7));
    let locale = plan.locales.get(pick_weighted(plan.locales.iter().map(|(_, weight)| *weight), &mut draw));
    let locale = locale.map_or(Locale::En, |(locale, _)| *locale);
    let response_day = responded.then(|| Day((day.0 + delay).min(today.0.max(day.0))));
    let stars = u8::try_from(stars).unwrap_or(5);
    let (stars, rating) = match sources.get(usize::from(source)) {
        Some(source) if source.alias == DIRECT_FEEDBACK => (3, 0),
        Some(source) if source.recommendation && stars >= 4 => (stars, 1),
        Some(source) if source.recommendation => (stars.min(2), 0),
        Some(_) | None => (stars, stars),
    };
    Facts { stars, rating, source, day, published, response_day, locale }
}

fn to_i32(number: u64) -> i32 {
    i32::try_from(number).unwrap_or_default()
}

/// Draws an index with a probability in proportion to its weight; 0 if all weights are 0.
pub(crate) fn pick_weighted(weights: impl Iterator<Item = u32> + Clone, draw: &mut Draw) -> usize {
    let total: u64 = weights.clone().map(u64::from).sum();
    let mut left = draw.below(total);
    for (index, weight) in weights.enumerate() {
        match left.checked_sub(u64::from(weight)) {
            Some(rest) => left = rest,
            None => return index,
        }
    }
    0
}

/// Stands for an absent phrase.
pub(crate) const NONE: u32 = u32::MAX;

/// The phrases of a review's words, as indexes into its bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PhraseChoice {
    /// Sentences of the comment; the third may be [`NONE`].
    pub(crate) comments: [u32; 4],
    /// The title, or [`NONE`].
    pub(crate) title: u32,
    /// Sentences of the owner's response; chosen even if there is none.
    pub(crate) response: [u32; 2],
}

/// One review in this many is short: three sentences instead of four.
const SHORT: u64 = 7;

/// Chooses the phrases that fit a review's stars. Where the source shows no stars, no phrase mentions stars.
#[inline]
pub(crate) fn choose_phrases(bank: &Bank, facts: &Facts, record: &Record) -> PhraseChoice {
    let mut draw = record.words();
    let stars = facts.stars;
    let mut pick = |section: &Section| {
        let range = if facts.rating == stars { &section.all } else { &section.plain };
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
    PhraseChoice { comments, title: if titled { title } else { NONE }, response }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::sources;
    use crate::dataset::phrases::bank;
    use crate::dataset::records::{CATEGORIES, NEUTRAL};
    use crate::dataset::when::DayRange;
    use std::collections::BTreeMap;

    fn plan() -> ReviewPlan {
        ReviewPlan {
            count: 10_000,
            ratings: [5, 5, 10, 25, 55],
            sources: vec![(0, 60), (1, 25), (24, 10), (25, 5)],
            dates: DayRange { from: Some(Day(20_000).into()), to: Day(20_364).into() },
            published: 900_000,
            responded: 400_000,
            locales: vec![(Locale::En, 1)],
        }
    }

    #[test]
    fn ratings_follow_their_source_and_dates_their_range() {
        let (plan, sources) = (plan(), sources::built_in());
        for index in 0..2_000 {
            let facts =
                generated_facts(&plan, &sources, Day(20_364), &Record::new(Seed(1), REVIEW, 7, 0, index));
            assert!((Day(20_000)..=Day(20_364)).contains(&facts.day));
            assert!(facts.response_day.is_none_or(|day| (facts.day..=Day(20_364)).contains(&day)));
            match sources[usize::from(facts.source)].alias.as_str() {
                "facebook" => assert_eq!(facts.rating, u8::from(facts.stars >= 4)),
                "direct_feedback" => assert_eq!((facts.rating, facts.stars), (0, 3)),
                _ => assert_eq!(facts.rating, facts.stars),
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
                let facts = Facts {
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
                    *seen.entry(choose_phrases(bank, &facts, &record).comments).or_default() += 1;
                }
                assert!(seen.len() >= 9_500, "{locale:?} {category} {stars}: {}", seen.len());
                assert!(seen.values().all(|times| *times <= 5));
            }
        }
    }
}
