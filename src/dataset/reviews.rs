//! All reviews of a dataset in columns, newest first: only what is filtered, sorted and summed. Rows stand in the order
//! of the review list (day, then id, both descending), so a page is a walk from the front.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::api::dates::Day;
use crate::api::ids;
use crate::api::sources::{DIRECT_FEEDBACK, Source};
use crate::dataset::bits::Bits;
use crate::dataset::classes::Classes;
use crate::dataset::generated::{REVIEW, Record, outline};
use crate::dataset::groups::Groups;
use crate::dataset::insight::Score;
use crate::dataset::records::{self, Location};
use crate::dataset::zones::Zones;
use crate::draw::Seed;

/// Where a row comes from: an entry of a location's list of reviews, and an index within that entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Place among the entries of the location.
    pub entry: u32,
    /// Index in the entry.
    pub index: u32,
}

/// The columns. Row `r` is the same review in all of them.
#[derive(Debug, Default)]
pub struct Reviews {
    /// Day posted, descending.
    pub day: Vec<Day>,
    /// The later of the days of review and response.
    pub updated: Vec<Day>,
    /// Place among the dataset's locations.
    pub location: Vec<u32>,
    /// Where the rest of it is found.
    pub origin: Vec<Origin>,
    /// Sentiment in tenths.
    pub sentiment: Vec<u16>,
    /// Mentions.
    pub mentions: Vec<u32>,
    /// Rows of each rating, 0-5.
    pub by_rating: [Bits; 6],
    /// Rows of each source.
    pub by_source: Vec<Bits>,
    /// Rows that are published.
    pub published: Bits,
    /// Rows of each source, rating and state of publication together.
    pub by_class: Classes,
    /// Rows of each location.
    pub by_location: Groups,
    /// Where which days of update are.
    pub zones: Zones,
    /// Sums over the rows of location `l` before each, beginning `l` places after where its rows begin in
    /// `by_location`: a range's score is a difference of two.
    sums: Vec<Score>,
}

/// A row before it has its place.
struct Row {
    day: Day,
    updated: Day,
    location: u32,
    origin: Origin,
    /// The id, where it is a number of 64 bits; else the largest of them.
    id: u64,
    mentions: u32,
    sentiment: u16,
    source: u16,
    rating: u8,
    published: bool,
}

/// A review's sentiment in tenths, where its scenario gives none (`behaviour.md` 4).
#[must_use]
pub fn default_sentiment(rating: u8, source: &Source) -> u16 {
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
    /// The columns over all reviews of those locations; `done` tells meanwhile how many are made.
    #[must_use]
    pub fn build(
        seed: Seed,
        today: Day,
        locations: &[&Location],
        sources: &[Source],
        done: &AtomicU64,
    ) -> Self {
        let mut rows = Vec::with_capacity(locations.iter().map(|location| total(location)).sum());
        for (place, location) in (0..).zip(locations) {
            done.store(rows.len() as u64, Relaxed);
            for (entry, reviews) in (0..).zip(&location.reviews) {
                match reviews {
                    records::Reviews::Given(given) => {
                        let stream = Record::stream(seed, REVIEW, location.number, entry);
                        rows.extend((0..).zip(given).map(|(index, review)| {
                            let drawn = Record::of(&stream, index).id();
                            given_row(place, Origin { entry, index }, review, drawn, sources)
                        }));
                    }
                    records::Reviews::Generated(plan) => {
                        let stream = Record::stream(seed, REVIEW, location.number, entry);
                        rows.extend((0..plan.count).map(|index| {
                            let record = Record::of(&stream, index);
                            let outline = outline(plan, sources, today, &record);
                            let source = sources.get(usize::from(outline.source));
                            Row {
                                day: outline.day,
                                updated: outline.response_day.map_or(outline.day, |day| day.max(outline.day)),
                                location: place,
                                origin: Origin { entry, index },
                                id: record.id(),
                                mentions: 1,
                                sentiment: source
                                    .map_or(500, |source| default_sentiment(outline.rating, source)),
                                source: outline.source,
                                rating: outline.rating,
                                published: outline.published,
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
        let none = || Bits::none(rows.len());
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
            sentiment: rows.iter().map(|row| row.sentiment).collect(),
            mentions: rows.iter().map(|row| row.mentions).collect(),
            by_rating: std::array::from_fn(|_| none()),
            by_source: used.into_iter().map(|used| if used { none() } else { Bits::none(0) }).collect(),
            published: none(),
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
        columns.zones = Zones::new(&columns.updated);
        columns.by_location = Groups::new(locations, &columns.location);
        columns.sums = columns.summed();
        columns
    }

    fn summed(&self) -> Vec<Score> {
        let locations = self.by_location.count();
        let mut sums = Vec::with_capacity(self.len() + locations);
        for place in (0..).take(locations) {
            let mut sum = Score::default();
            sums.push(sum);
            for row in self.of(place) {
                sum.add(self.sentiment[*row as usize], self.mentions[*row as usize]);
                sums.push(sum);
            }
        }
        sums
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.day.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.day.is_empty()
    }

    /// The rows posted from one day to another, both included; absent means no bound.
    #[must_use]
    pub fn between(&self, from: Option<Day>, to: Option<Day>) -> Range<u32> {
        let start = to.map_or(0, |to| self.day.partition_point(|day| *day > to));
        let end = from.map_or(self.len(), |from| self.day.partition_point(|day| *day >= from));
        let row = |at| u32::try_from(at).unwrap_or(u32::MAX);
        row(start)..row(end.max(start))
    }

    /// The rows of a location, newest first.
    #[must_use]
    pub fn of(&self, location: u32) -> &[u32] {
        self.by_location.of(location)
    }

    /// The score of a location over a range of rows.
    #[must_use]
    pub fn score(&self, location: u32, rows: &Range<u32>) -> Score {
        let (span, own) = (self.by_location.span(location), self.of(location));
        let before = |row: u32| {
            let at = own.partition_point(|own| *own < row);
            self.sums.get(span.start + location as usize + at).copied().unwrap_or_default()
        };
        before(rows.end).less(before(rows.start))
    }
}

fn total(location: &Location) -> usize {
    let count = |reviews: &records::Reviews| match reviews {
        records::Reviews::Given(given) => given.len(),
        records::Reviews::Generated(plan) => plan.count as usize,
    };
    location.reviews.iter().map(count).sum()
}

fn given_row(place: u32, origin: Origin, review: &records::Review, drawn: u64, sources: &[Source]) -> Row {
    let source = sources.get(usize::from(review.source));
    let default = source.map_or(500, |source| default_sentiment(review.rating, source));
    Row {
        day: review.day,
        updated: review.response_day.map_or(review.day, |day| day.max(review.day)),
        location: place,
        origin,
        id: review.id.as_deref().map_or(drawn, numeric),
        mentions: review.mentions,
        sentiment: review.sentiment.unwrap_or(default),
        source: review.source,
        rating: review.rating,
        published: review.published,
    }
}

fn numeric(id: &str) -> u64 {
    if id.bytes().all(|byte| byte.is_ascii_digit()) { id.parse().unwrap_or(u64::MAX) } else { u64::MAX }
}

/// Ascending by day, then by id (`behaviour.md` 3).
fn order(locations: &[&Location], left: &Row, right: &Row) -> Ordering {
    let id = |row: &Row| match locations[row.location as usize].reviews.get(row.origin.entry as usize) {
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
