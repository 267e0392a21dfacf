//! All reviews of a dataset in columns: only the values that are filtered, sorted or summed. Rows stand in the order of
//! the review list (day, then id, both descending), so a page is a walk from the front.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::api::dates::Day;
use crate::api::ids;
use crate::api::sources::{DIRECT_FEEDBACK, Source};
use crate::dataset::bits::Bits;
use crate::dataset::calendar::Calendar;
use crate::dataset::classes::Classes;
use crate::dataset::generated::{KINDS, REVIEW, Record, generated_facts, point, response_day};
use crate::dataset::groups::Groups;
use crate::dataset::insight::Score;
use crate::dataset::records::{self, Location};
use crate::dataset::update_blocks::UpdateBlocks;
use crate::draw::Seed;

/// Where a row comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Index among the location's entries; an entry is a list of given records, or a plan for generated ones.
    pub(crate) entry: u32,
    /// Index within the entry.
    pub(crate) index: u32,
}

/// The columns. Row `r` is the same review in each of them.
#[derive(Debug, Default)]
pub(crate) struct Reviews {
    /// Day posted, descending.
    pub(crate) day: Vec<Day>,
    /// The later of the days of review and response.
    pub(crate) updated: Vec<Day>,
    /// Index among the dataset's locations.
    pub(crate) location: Vec<u32>,
    pub(crate) origin: Vec<Origin>,
    /// Of a generated review: its number among those of its block and kind.
    pub(crate) number: Vec<u32>,
    /// Sentiment in tenths.
    pub(crate) sentiment: Vec<u16>,
    pub(crate) mentions: Vec<u32>,
    /// Rows of each rating, 0-5.
    pub(crate) by_rating: [Bits; 6],
    /// Rows of each source.
    pub(crate) by_source: Vec<Bits>,
    /// Rows that are published.
    pub(crate) published: Bits,
    /// Rows of each source, rating and state of publication together.
    pub(crate) by_class: Classes,
    /// Rows of each location.
    pub(crate) by_location: Groups,
    pub(crate) update_blocks: UpdateBlocks,
    /// Running sums over the rows of each location, so that the score of a range is a difference of two. A location with
    /// `n` rows has `n + 1` sums, so those of location `l` begin `l` positions after its rows in `by_location`.
    sums: Vec<Score>,
}

/// A row while the columns are being built.
struct Row {
    day: Day,
    updated: Day,
    location: u32,
    origin: Origin,
    number: u32,
    /// The id, if it is a number of 64 bits; else the largest such number.
    id: u64,
    mentions: u32,
    sentiment: u16,
    source: u16,
    rating: u8,
    published: bool,
}

/// The sentiment in tenths of a review for which the scenario gives none (`docs/api.md` 3).
fn default_sentiment(rating: u8, source: &Source) -> u16 {
    match rating {
        1 if source.recommendation => 900,
        0 if source.recommendation => 150,
        5 => 950,
        4 => 800,
        3 => 550,
        2 => 300,
        1 if source.alias != DIRECT_FEEDBACK => 100,
        _ => 500,
    }
}

impl Reviews {
    /// Builds the columns over all reviews of those locations, each with its category. `done` is updated with the number of rows built so far.
    pub(crate) fn build(
        seed: Seed,
        today: Day,
        locations: &[(&Location, &str)],
        sources: &[Source],
        done: &AtomicU64,
    ) -> Self {
        let mut rows = Vec::with_capacity(locations.iter().map(|(location, _)| review_count(location)).sum());
        for (place, (location, category)) in (0..).zip(locations) {
            done.store(rows.len() as u64, Relaxed);
            for (entry, reviews) in (0..).zip(&location.reviews) {
                match reviews {
                    records::Reviews::Given(given) => {
                        let stream = Record::stream(seed, REVIEW, location.number, entry);
                        rows.extend((0..).zip(given).map(|(index, review)| {
                            let drawn = Record::of(&stream, index).id();
                            given_row(place, Origin { entry, index }, review, drawn, (today, sources))
                        }));
                    }
                    records::Reviews::Generated(plan) => {
                        let stream = Record::stream(seed, REVIEW, location.number, entry);
                        let calendar = Calendar::new(plan, today, category, &stream);
                        let mut numbers = [0; KINDS];
                        rows.extend((0..plan.count).map(|index| {
                            let record = Record::of(&stream, index);
                            let facts = generated_facts(plan, sources, &record);
                            let source = sources.get(usize::from(facts.source));
                            let kind = source.map_or(0, |source| facts.kind(source));
                            let next = &mut numbers[kind];
                            let number = std::mem::replace(next, *next + 1);
                            let point = point(&stream, kind, number);
                            let day = calendar.day(point);
                            Row {
                                day,
                                updated: if facts.responded {
                                    response_day(day, today, &record)
                                } else {
                                    day
                                },
                                location: place,
                                origin: Origin { entry, index },
                                number,
                                id: record.id_at(point),
                                mentions: 1,
                                sentiment: source
                                    .map_or(500, |source| default_sentiment(facts.rating, source)),
                                source: facts.source,
                                rating: facts.rating,
                                published: facts.published,
                            }
                        }));
                    }
                }
            }
        }
        rows.sort_unstable_by(|left, right| order(locations, right, left));
        Self::from_rows(rows, locations.len(), sources.len())
    }

    fn from_rows(rows: Vec<Row>, locations: usize, sources: usize) -> Self {
        let empty = || Bits::new(rows.len());
        let mut used = vec![false; sources];
        for row in &rows {
            if let Some(used) = used.get_mut(usize::from(row.source)) {
                *used = true;
            }
        }
        let mut columns = Self {
            day: rows.iter().map(|row| row.day).collect(),
            updated: rows.iter().map(|row| row.updated).collect(),
            location: rows.iter().map(|row| row.location).collect(),
            origin: rows.iter().map(|row| row.origin).collect(),
            number: rows.iter().map(|row| row.number).collect(),
            sentiment: rows.iter().map(|row| row.sentiment).collect(),
            mentions: rows.iter().map(|row| row.mentions).collect(),
            by_rating: std::array::from_fn(|_| empty()),
            by_source: used.into_iter().map(|used| if used { empty() } else { Bits::default() }).collect(),
            published: empty(),
            ..Self::default()
        };
        for (at, row) in (0..).zip(&rows) {
            columns.by_rating[usize::from(row.rating.min(5))].insert(at);
            if let Some(bits) = columns.by_source.get_mut(usize::from(row.source)) {
                bits.insert(at);
            }
            if row.published {
                columns.published.insert(at);
            }
        }
        columns.by_class =
            Classes::new(rows.iter().map(|row| (row.source, row.rating.min(5), row.published)));
        drop(rows);
        columns.update_blocks = UpdateBlocks::new(&columns.updated);
        columns.by_location = Groups::new(locations, &columns.location);
        columns.sums = columns.running_sums();
        columns
    }

    fn running_sums(&self) -> Vec<Score> {
        let locations = self.by_location.count();
        let mut sums = Vec::with_capacity(self.len() + locations);
        for location in (0..).take(locations) {
            let mut sum = Score::default();
            sums.push(sum);
            for row in self.of(location) {
                sum.add(self.sentiment[*row as usize], self.mentions[*row as usize]);
                sums.push(sum);
            }
        }
        sums
    }

    pub(crate) fn len(&self) -> usize {
        self.day.len()
    }

    /// The rows posted from one day to another, both included. An absent day is no bound.
    pub(crate) fn between(&self, from: Option<Day>, to: Option<Day>) -> Range<u32> {
        let start = to.map_or(0, |to| self.day.partition_point(|day| *day > to));
        let end = from.map_or(self.len(), |from| self.day.partition_point(|day| *day >= from));
        let row = |at| u32::try_from(at).unwrap_or(u32::MAX);
        row(start)..row(end.max(start))
    }

    /// The rows of a location, newest first.
    pub(crate) fn of(&self, location: u32) -> &[u32] {
        self.by_location.of(location)
    }

    /// What one row adds to a score.
    pub(crate) fn score_of(&self, row: u32) -> Score {
        let mut score = Score::default();
        score.add(self.sentiment[row as usize], self.mentions[row as usize]);
        score
    }

    /// The score of a location over a range of rows.
    pub(crate) fn score(&self, location: u32, rows: &Range<u32>) -> Score {
        let (span, own) = (self.by_location.span(location), self.of(location));
        let before = |row: u32| {
            let at = own.partition_point(|own| *own < row);
            self.sums.get(span.start + location as usize + at).copied().unwrap_or_default()
        };
        before(rows.end).minus(before(rows.start))
    }
}

fn review_count(location: &Location) -> usize {
    let count = |reviews: &records::Reviews| match reviews {
        records::Reviews::Given(given) => given.len(),
        records::Reviews::Generated(plan) => plan.count as usize,
    };
    location.reviews.iter().map(count).sum()
}

fn given_row(
    location: u32,
    origin: Origin,
    review: &records::Review,
    drawn: u64,
    (today, sources): (Day, &[Source]),
) -> Row {
    Row {
        day: review.day.resolve(today),
        updated: last_update(review, today),
        location,
        origin,
        number: 0,
        id: review.id.as_deref().map_or(drawn, id_number),
        mentions: review.mentions,
        sentiment: given_sentiment(review, sources),
        source: review.source,
        rating: review.rating,
        published: review.published,
    }
}

/// The later of the days of a review and its response.
pub(crate) fn last_update(review: &records::Review, today: Day) -> Day {
    let day = review.day.resolve(today);
    review.response_day.map_or(day, |response| response.resolve(today).max(day))
}

/// The sentiment in tenths of a given review.
pub(crate) fn given_sentiment(review: &records::Review, sources: &[Source]) -> u16 {
    let source = sources.get(usize::from(review.source));
    let default = source.map_or(500, |source| default_sentiment(review.rating, source));
    review.sentiment.unwrap_or(default)
}

fn id_number(id: &str) -> u64 {
    if id.bytes().all(|byte| byte.is_ascii_digit()) { id.parse().unwrap_or(u64::MAX) } else { u64::MAX }
}

/// Compares by day, then by id (`docs/api.md` 3).
fn order(locations: &[(&Location, &str)], left: &Row, right: &Row) -> Ordering {
    let id = |row: &Row| match locations[row.location as usize].0.reviews.get(row.origin.entry as usize) {
        Some(records::Reviews::Given(given)) => {
            given.get(row.origin.index as usize).and_then(|review| review.id.clone())
        }
        Some(records::Reviews::Generated(_)) | None => None,
    };
    let id = |row: &Row| id(row).unwrap_or_else(|| row.id.to_string());
    left.day
        .cmp(&right.day)
        .then_with(|| left.id.cmp(&right.id))
        .then_with(|| ids::compare(&id(left), &id(right)))
}
