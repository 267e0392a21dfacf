//! Which reviews a request asks for, as a walk over the rows, 64 at a time.

use std::ops::Range;

use crate::api::dates::Day;
use crate::dataset::bits::{Bits, Ones};
use crate::dataset::classes::Class;
use crate::dataset::reviews::Reviews;
use crate::dataset::zones::ZONE;

/// What a review must be; all of it must hold, and what is absent lets every review pass.
#[derive(Clone, Debug, Default)]
pub struct Filter<'a> {
    /// At one of these places, each named once.
    pub locations: Option<&'a [u32]>,
    /// Posted on this day or later.
    pub from: Option<Day>,
    /// Posted on this day or earlier.
    pub to: Option<Day>,
    /// Posted or responded to on this day or later.
    pub updated_from: Option<Day>,
    /// Posted and responded to on this day or earlier.
    pub updated_to: Option<Day>,
    /// Of one of these ratings.
    pub ratings: Option<[bool; 6]>,
    /// Of one of these sources.
    pub sources: Option<Vec<u16>>,
    /// Published, or parked.
    pub published: Option<bool>,
}

impl Filter<'_> {
    /// Whether it asks for days alone, locations aside.
    #[must_use]
    pub const fn is_days_only(&self) -> bool {
        self.updated_from.is_none()
            && self.updated_to.is_none()
            && self.ratings.is_none()
            && self.sources.is_none()
            && self.published.is_none()
    }

    /// Whether it lets that source, rating and state of publication pass.
    fn takes(&self, (source, rating, published): Class) -> bool {
        self.ratings.is_none_or(|ratings| ratings[usize::from(rating)])
            && self.sources.as_ref().is_none_or(|sources| sources.contains(&source))
            && self.published.is_none_or(|wanted| wanted == published)
    }
}

/// The rows that pass a filter, newest first: a walk from zone to zone, in each from word to word, in each from bit to
/// bit.
#[derive(Debug)]
pub struct Selected<'a> {
    reviews: &'a Reviews,
    filter: &'a Filter<'a>,
    rows: Range<u32>,
    /// The bits of the ratings that pass, and those of the sources.
    any_of: [Option<Vec<&'a Bits>>; 2],
    /// Where the walk keeps to some rows.
    few: Option<Few<'a>>,
    /// The locations that pass, where the walk does not keep to their rows.
    places: Option<Bits>,
    zone: u32,
    /// Words of the zone that are still to be looked at.
    words: Ones,
    word: u32,
    ones: Ones,
}

/// Some rows, zone by zone. They are put in as the walk comes to a zone, so that a page costs what it passes over, not
/// what the lists have.
#[derive(Debug)]
struct Few<'a> {
    /// What is left of each list of rows.
    left: Vec<&'a [u32]>,
    words: [u64; 64],
    /// The words that are not 0.
    touched: u64,
}

impl<'a> Few<'a> {
    /// The rows of some lists, from a row on.
    fn new(lists: Vec<&'a [u32]>, from: u32) -> Self {
        let mut left = lists;
        for rows in &mut left {
            *rows = &rows[rows.partition_point(|row| *row < from)..];
        }
        Self { left, words: [0; 64], touched: 0 }
    }

    /// Puts in the rows of a zone, and tells which of its words have any.
    fn enter(&mut self, zone: u32) -> u64 {
        Ones(std::mem::take(&mut self.touched)).for_each(|word| self.words[word as usize] = 0);
        for left in &mut self.left {
            while let Some((row, rest)) = left.split_first().filter(|(row, _)| **row / ZONE <= zone) {
                *left = rest;
                if row / ZONE == zone {
                    let word = row % ZONE / 64;
                    self.words[word as usize] |= 1 << (row % 64);
                    self.touched |= 1 << word;
                }
            }
        }
        self.touched
    }
}

/// A class of reviews is rare where it and its like are less than one row in so many.
const RARE: usize = 16;

impl Reviews {
    /// How many locations its rows belong to.
    #[must_use]
    pub fn locations(&self) -> usize {
        self.by_location.count()
    }

    /// The rows that pass a filter, newest first. The walk keeps to the shortest lists that have them all: those of the
    /// locations, or those of rare classes; with neither it goes over the bits of all rows.
    #[must_use]
    pub fn select<'a>(&'a self, filter: &'a Filter<'a>) -> Selected<'a> {
        let rows = self.between(filter.from, filter.to);
        let ratings = filter.ratings.as_ref().map(|ratings| {
            self.by_rating.iter().zip(ratings).filter(|(_, wanted)| **wanted).map(|(bits, _)| bits).collect()
        });
        let sources = filter.sources.as_ref().map(|sources| {
            sources.iter().filter_map(|source| self.by_source.get(usize::from(*source))).collect()
        });
        let length = |lists: &[&[u32]]| lists.iter().map(|rows| rows.len()).sum::<usize>();
        let of_places = filter.locations.map(|places| places.iter().map(|place| self.of(*place)).collect());
        let of_places = of_places.filter(|lists: &Vec<&[u32]>| length(lists) < self.len());
        let of_classes: Vec<&[u32]> = self.by_class.rows_of(|class| filter.takes(class)).collect();
        let most = of_places.as_ref().map_or(self.len(), |lists| length(lists)).min(self.len() / RARE);
        let (few, places) = if length(&of_classes) < most {
            let places = filter.locations.filter(|_| of_places.is_some());
            (Some(of_classes), places.map(|places| Bits::of(self.locations(), places)))
        } else {
            (of_places, None)
        };
        let mut selected = Selected {
            reviews: self,
            filter,
            any_of: [ratings, sources],
            few: few.map(|lists| Few::new(lists, rows.start)),
            places,
            zone: rows.start / ZONE,
            rows,
            words: Ones(0),
            word: 0,
            ones: Ones(0),
        };
        selected.enter();
        selected
    }
}

impl Selected<'_> {
    /// Goes into the present zone, as far as anything can be found there.
    fn enter(&mut self) {
        let Filter { updated_from, updated_to, .. } = self.filter;
        if self.reviews.zones.may_hold(self.zone, *updated_from, *updated_to) {
            self.words = Ones(self.few.as_mut().map_or(u64::MAX, |few| few.enter(self.zone)));
        }
    }

    /// The rows of the present word that pass, locations and days of update aside.
    fn mask(&self) -> u64 {
        let Range { start, end } = self.rows;
        let first = self.word * 64;
        if first >= end || first + 64 <= start {
            return 0;
        }
        let mut mask = u64::MAX << start.saturating_sub(first);
        if end - first < 64 {
            mask &= (1 << (end - first)) - 1;
        }
        if let Some(few) = &self.few {
            mask &= few.words[(self.word % 64) as usize];
        }
        let word = self.word as usize;
        for any in self.any_of.iter().flatten() {
            mask &= any.iter().fold(0, |passing, bits| passing | bits.word(word));
        }
        match self.filter.published {
            Some(true) => mask & self.reviews.published.word(word),
            Some(false) => mask & !self.reviews.published.word(word),
            None => mask,
        }
    }

    /// Whether a row is at one of the locations, and was updated within the days.
    fn passes(&self, row: u32) -> bool {
        let Filter { updated_from, updated_to, .. } = self.filter;
        let day = self.reviews.updated[row as usize];
        let place = self.reviews.location[row as usize];
        updated_from.is_none_or(|from| day >= from)
            && updated_to.is_none_or(|to| day <= to)
            && self.places.as_ref().is_none_or(|places| places.contains(place))
    }
}

impl Iterator for Selected<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            if let Some(bit) = self.ones.next() {
                let row = self.word * 64 + bit;
                if self.passes(row) {
                    return Some(row);
                }
            } else if let Some(word) = self.words.next() {
                self.word = self.zone * 64 + word;
                self.ones = Ones(self.mask());
            } else {
                self.zone += 1;
                if self.zone > self.rows.end / ZONE {
                    return None;
                }
                self.enter();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::facts::fixture;
    use crate::dataset::insight::{Score, scores};

    /// What the walk must yield, row by row.
    fn plainly(reviews: &Reviews, filter: &Filter) -> Vec<u32> {
        let rows = 0..u32::try_from(reviews.len()).unwrap();
        let any = |bits: Vec<&Bits>, row| bits.iter().any(|bits| bits.contains(row));
        rows.filter(|&row| {
            let at = row as usize;
            let (day, updated) = (reviews.day[at], reviews.updated[at]);
            filter.locations.is_none_or(|places| places.contains(&reviews.location[at]))
                && filter.from.is_none_or(|from| day >= from)
                && filter.to.is_none_or(|to| day <= to)
                && filter.updated_from.is_none_or(|from| updated >= from)
                && filter.updated_to.is_none_or(|to| updated <= to)
                && filter.ratings.is_none_or(|ratings| {
                    any((0..6).filter(|r| ratings[*r]).map(|r| &reviews.by_rating[r]).collect(), row)
                })
                && filter.sources.as_ref().is_none_or(|sources| {
                    any(sources.iter().map(|s| &reviews.by_source[usize::from(*s)]).collect(), row)
                })
                && filter.published.is_none_or(|published| reviews.published.contains(row) == published)
        })
        .collect()
    }

    #[test]
    fn the_walk_yields_what_a_plain_look_at_every_row_yields() {
        // Enough for several zones.
        let dataset = fixture::generated(10_000);
        let reviews = &dataset.reviews;
        let days =
            [None, Some(Day(20_000)), Some(Day(20_100)), Some(Day(20_101)), Some(Day(20_364)), Some(Day(0))];
        let mut filters = vec![
            Filter { locations: Some(&[1]), ..Filter::default() },
            Filter { locations: Some(&[]), ..Filter::default() },
            Filter { ratings: Some([true, false, true, false, false, false]), ..Filter::default() },
            Filter { sources: Some(vec![24, 1]), published: Some(false), ..Filter::default() },
            Filter { sources: Some(vec![]), ..Filter::default() },
            Filter { updated_from: Some(Day(20_200)), updated_to: Some(Day(20_210)), ..Filter::default() },
            Filter { updated_from: Some(Day(20_363)), locations: Some(&[1]), ..Filter::default() },
            Filter { updated_to: Some(Day(20_003)), locations: Some(&[0, 1]), ..Filter::default() },
            Filter {
                locations: Some(&[0]),
                from: Some(Day(20_050)),
                to: Some(Day(20_300)),
                ratings: Some([false, true, false, false, false, false]),
                sources: Some(vec![24]),
                published: Some(false),
                ..Filter::default()
            },
        ];
        for from in days {
            for to in days {
                filters.push(Filter { from, to, published: Some(true), ..Filter::default() });
            }
        }
        for filter in &filters {
            let walked: Vec<u32> = reviews.select(filter).collect();
            assert_eq!(walked, plainly(reviews, filter), "{filter:?}");
        }
    }

    #[test]
    fn sums_over_days_are_those_of_the_rows() {
        let dataset = fixture::generated(1_000);
        let reviews = &dataset.reviews;
        for (from, to) in [(None, None), (Some(Day(20_050)), Some(Day(20_060))), (Some(Day(20_300)), None)] {
            let filter = Filter { from, to, ..Filter::default() };
            let summed = scores(reviews, &filter, &[1, 0]);
            let by_row = [1, 0].map(|place: u32| {
                let mut score = Score::default();
                for row in reviews.select(&Filter { locations: Some(&[place]), ..filter.clone() }) {
                    score.add(reviews.sentiment[row as usize], reviews.mentions[row as usize]);
                }
                score
            });
            assert_eq!(summed, by_row);
        }
    }

    #[test]
    fn rows_stand_newest_first_and_a_larger_plan_keeps_the_earlier_records() {
        let (small, large) = (fixture::generated(100), fixture::generated(400));
        let ids = |dataset: &crate::dataset::facts::Dataset| -> Vec<String> {
            (0..u32::try_from(dataset.reviews.len()).unwrap())
                .map(|row| {
                    let shown = dataset.show(row).unwrap();
                    format!("{} {} {}", shown.id, shown.day.iso(), shown.comments)
                })
                .collect()
        };
        assert!(large.reviews.day.is_sorted_by(|a, b| a >= b));
        let large = ids(&large);
        assert!(ids(&small).iter().all(|review| large.contains(review)));
    }
}
