//! What a generated review is: a pure function of (seed, location, index), so that a larger `generate` keeps the
//! earlier reviews (`docs/api.md` 6). Columns keep its facts; its words are chosen when it is shown.

use crate::api::dates::Day;
use crate::api::ids::ID_LIMIT;
use crate::api::sources::{DIRECT_FEEDBACK, Source};
use crate::dataset::places::Point;
use crate::dataset::records::{Locale, ReviewPlan};
use crate::draw::{Draw, Seed};

/// A generated review without its words and days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The stars that the words express, 1-5.
    pub(crate) stars: u8,
    /// The rating as shown: the stars, or 0 or 1 where the source has no stars.
    pub(crate) rating: u8,
    /// Index among the sources.
    pub(crate) source: u16,
    pub(crate) published: bool,
    /// Whether the owner responded.
    pub(crate) responded: bool,
    pub(crate) locale: Locale,
    pub(crate) length: Length,
}

/// How much a review says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// Stars alone.
    Silent,
    /// At most six words.
    Short,
    /// Whole sentences.
    Sentences,
}

/// Percent of the reviews without words: on Google and Facebook, and elsewhere.
const SILENT: (u64, u64) = (30, 3);
/// Percent of the others that have at most six words.
const SHORT: u64 = 20;

/// Keys of the streams of one record.
const ID: u64 = 1;
const WORDS: u64 = 2;
const PERSON: u64 = 3;
const DELAY: u64 = 4;

/// The streams of draws that belong to one generated record.
#[derive(Clone, Copy, Debug)]
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

    /// The id of a record that comes at a point in time: ids ascend with time, as those of a platform do.
    pub(crate) fn id_at(&self, point: Point) -> u64 {
        (u64::from(point.0) << 21 | self.0.with(ID).number() >> 43).max(1)
    }

    /// A nested record, such as an answer of a question.
    pub(crate) const fn part(&self, key: u64) -> Self {
        Self(self.0.with(key))
    }

    /// The draws for its facts.
    pub(crate) const fn facts(&self) -> Draw {
        self.0
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

/// The key of the points of a block's reviews of one kind; the keys of its records are below it.
const POINTS: u64 = 1 << 40;

/// The point in time of a block's review by its kind and its number among the block's reviews of that kind.
pub(crate) fn point(block: &Draw, kind: usize, number: u32) -> Point {
    Point::new(&block.with(POINTS + kind as u64), number)
}

/// Kinds of reviews.
pub(crate) const KINDS: usize = 14;

impl Facts {
    /// The kind by which reviews are spread in time: the stars, or whether they recommend, and whether they say more than a
    /// few words. A list of a rating has whole kinds in it.
    pub(crate) const fn kind(&self, source: &Source) -> usize {
        let stars = match (source.recommendation, self.stars) {
            (true, 5) => 5,
            (true, _) => 6,
            (false, 1..=5) => self.stars as usize - 1,
            (false, _) => 0,
        };
        stars * 2 + !matches!(self.length, Length::Sentences) as usize
    }
}

/// Percent of the reviews of odd indexes whose author has written another one at the same location. They are of half the index, so
/// that nobody writes a third.
const AGAIN: u64 = 8;

/// The draws for the author of a block's review at an index: its own, or those of an earlier one.
pub(crate) fn author(block: &Draw, index: u32) -> Draw {
    let own = Record::of(block, index);
    let is_again = !index.is_multiple_of(2) && own.part(PERSON).part(AGAIN).facts().below(100) < AGAIN;
    if is_again { Record::of(block, index / 2).person() } else { own.person() }
}

/// How much more often than on average an owner responds to 1-5 stars, in percent.
const RESPONDS: [u32; 5] = [115, 95, 75, 80, 107];

/// Draws the facts of a review.
#[inline]
pub(crate) fn generated_facts(plan: &ReviewPlan, sources: &[Source], record: &Record) -> Facts {
    let mut draw = record.facts();
    let stars = 1 + pick_weighted(plan.ratings.iter().copied(), &mut draw);
    let source = plan.sources.get(pick_weighted(plan.sources.iter().map(|(_, weight)| *weight), &mut draw));
    let source = source.map_or(0, |(source, _)| *source);
    let published = draw.chance(plan.published);
    let responded = draw.chance(plan.response_shares()[stars - 1]);
    let locale = plan.locales.get(pick_weighted(plan.locales.iter().map(|(_, weight)| *weight), &mut draw));
    let locale = locale.map_or(Locale::En, |(locale, _)| *locale);
    let stars = u8::try_from(stars).unwrap_or(5);
    let (stars, rating) = match sources.get(usize::from(source)) {
        Some(source) if source.alias == DIRECT_FEEDBACK => (3, 0),
        Some(source) if source.recommendation && stars >= 4 => (5, 1),
        Some(source) if source.recommendation => (1, 0),
        Some(_) | None => (stars, stars),
    };
    let length =
        sources.get(usize::from(source)).map_or(Length::Sentences, |source| length(source, &mut draw));
    Facts { stars, rating, source, published, responded, locale, length }
}

fn length(source: &Source, draw: &mut Draw) -> Length {
    let (often, seldom) = SILENT;
    if draw.below(100) < if source.is_google_or_facebook() { often } else { seldom } {
        Length::Silent
    } else if draw.below(100) < SHORT {
        Length::Short
    } else {
        Length::Sentences
    }
}

impl ReviewPlan {
    /// The share of each number of stars that the owner responds to, in millionths: more of the extremes, and on average
    /// what the plan says.
    fn response_shares(&self) -> [u32; 5] {
        let weighted = |shares: [u32; 5]| -> u64 {
            shares.iter().zip(self.ratings).map(|(share, weight)| u64::from(*share) * u64::from(weight)).sum()
        };
        let (all, inclined) = (weighted([100; 5]), weighted(RESPONDS).max(1));
        RESPONDS.map(|inclination| {
            // All or none stays all or none.
            let share = u64::from(self.responded) * u64::from(inclination) * all / (100 * inclined);
            if self.responded >= 1_000_000 {
                1_000_000
            } else {
                u32::try_from(share.min(1_000_000)).unwrap_or_default()
            }
        })
    }
}

/// The median of the days until a response, and the spread of their logarithms.
const RESPONSE_DAYS: (f64, f64) = (1.6, 1.1);

/// The day of the owner's response to a review. It is not later than `today`, unless the review is.
pub(crate) fn response_day(day: Day, today: Day, record: &Record) -> Day {
    let mut draw = record.part(DELAY).facts();
    let (median, spread) = RESPONSE_DAYS;
    let days = libm::floor(median * libm::exp(spread * draw.normal())).clamp(0.0, 400.0);
    #[expect(clippy::cast_possible_truncation, reason = "clamped above")]
    let days = days as i32;
    // One that would be later comes on any of the days that are left.
    let left = today.0.saturating_sub(day.0).max(0);
    Day(day.0 + if days > left { days % left.saturating_add(1) } else { days })
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
