//! Filters of reviews, and a walk over the rows that pass, 64 rows at a time.

use std::ops::Range;

use crate::api::dates::Day;
use crate::dataset::added::HiddenRows;
use crate::dataset::bits::{Bits, SetBits};
use crate::dataset::classes::Class;
use crate::dataset::reviews::Reviews;
use crate::dataset::update_blocks::BLOCK;

/// Conditions on a review. All of them must hold; an absent condition lets every review pass.
///
/// The walk over a dataset checks `locations` by lists, the days of posting by a range of rows, most conditions by bits
/// (`Selected::mask`) and the others by row (`Selected::passes`). Added reviews are checked by `Filter::matches`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter<'a> {
    /// The review belongs to one of these locations, which ascend.
    pub(crate) locations: Option<&'a [u32]>,
    /// It was posted on this day or later.
    pub(crate) from: Option<Day>,
    /// It was posted on this day or earlier.
    pub(crate) to: Option<Day>,
    /// It was posted or responded to on this day or later.
    pub(crate) updated_from: Option<Day>,
    /// It was posted and responded to on this day or earlier.
    pub(crate) updated_to: Option<Day>,
    /// It has one of these ratings, 0-5.
    pub(crate) ratings: Option<[bool; 6]>,
    /// It is from one of these sources.
    pub(crate) sources: Option<Vec<u16>>,
    /// It is published (true) or parked (false).
    pub(crate) published: Option<bool>,
}

/// The values of one review that a filter looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values {
    pub(crate) location: u32,
    pub(crate) day: Day,
    /// The later of the days of review and response.
    pub(crate) updated: Day,
    pub(crate) class: Class,
}

impl Filter<'_> {
    /// Whether nothing but days of posting and locations are restricted.
    pub(crate) const fn is_days_only(&self) -> bool {
        // A new condition has to be listed here, and in `matches` and `mask` or `passes`.
        let Self { locations: _, from: _, to: _, updated_from, updated_to, ratings, sources, published } =
            self;
        updated_from.is_none()
            && updated_to.is_none()
            && ratings.is_none()
            && sources.is_none()
            && published.is_none()
    }

    /// Whether one review passes.
    pub(crate) fn matches(&self, review: Values) -> bool {
        let Values { location, day, updated, class } = review;
        let Self { locations, from, to, updated_from, updated_to, ratings: _, sources: _, published: _ } =
            self;
        self.matches_class(class)
            && from.is_none_or(|from| day >= from)
            && to.is_none_or(|to| day <= to)
            && updated_from.is_none_or(|from| updated >= from)
            && updated_to.is_none_or(|to| updated <= to)
            && locations.is_none_or(|locations| locations.binary_search(&location).is_ok())
    }

    fn matches_class(&self, (source, rating, published): Class) -> bool {
        self.ratings.is_none_or(|ratings| ratings[usize::from(rating)])
            && self.sources.as_ref().is_none_or(|sources| sources.contains(&source))
            && self.published.is_none_or(|wanted| wanted == published)
    }
}

/// Iterates over the rows that pass a filter, newest first: block by block, in each block word by word, in each word bit
/// by bit.
#[derive(Debug)]
pub(crate) struct Selected<'a> {
    reviews: &'a Reviews,
    filter: &'a Filter<'a>,
    rows: Range<u32>,
    /// The bits of the ratings that pass, and those of the sources.
    any_of: [Option<Vec<&'a Bits>>; 2],
    /// The lists of rows that the walk is restricted to, if any.
    lists: Option<RowLists<'a>>,
    /// The locations that pass, if the lists do not already restrict the walk to them.
    locations: Option<Bits>,
    /// Rows that do not pass, whatever the filter says.
    hidden: Option<&'a HiddenRows>,
    block: u32,
    /// Words of the block that have not been visited yet.
    words: SetBits,
    word: u32,
    /// Rows of the word that have not been visited yet.
    bits: SetBits,
}

/// Lists of rows, merged block by block as the walk reaches a block, so that a page costs what it passes over and not the
/// length of the lists.
#[derive(Debug)]
struct RowLists<'a> {
    /// The rest of each list.
    rest: Vec<&'a [u32]>,
    /// The rows of the current block.
    words: [u64; 64],
    /// The words that are not 0.
    occupied: u64,
}

impl<'a> RowLists<'a> {
    /// The rows of some lists, from `first` on.
    fn new(lists: Vec<&'a [u32]>, first: u32) -> Self {
        let mut rest = lists;
        for rows in &mut rest {
            *rows = &rows[rows.partition_point(|row| *row < first)..];
        }
        Self { rest, words: [0; 64], occupied: 0 }
    }

    /// Takes in the rows of a block, and returns which of its words have any.
    fn enter(&mut self, block: u32) -> u64 {
        SetBits(std::mem::take(&mut self.occupied)).for_each(|word| self.words[word as usize] = 0);
        for rest in &mut self.rest {
            while let Some((row, tail)) = rest.split_first().filter(|(row, _)| **row / BLOCK <= block) {
                *rest = tail;
                if row / BLOCK == block {
                    let word = row % BLOCK / 64;
                    self.words[word as usize] |= 1 << (row % 64);
                    self.occupied |= 1 << word;
                }
            }
        }
        self.occupied
    }
}

/// The lists of the matching classes are used only where they have less than one row in this many.
const RARE: usize = 16;

impl Reviews {
    /// How many locations its rows belong to.
    pub(crate) fn locations(&self) -> usize {
        self.by_location.count()
    }

    /// The rows that pass a filter, newest first. The walk is restricted to the shortest lists that contain them all:
    /// those of the locations, or those of rare classes. Without either it goes over all rows. The lists only shorten the
    /// walk: every condition but that of the locations is checked for each row.
    pub(crate) fn select<'a>(&'a self, filter: &'a Filter<'a>) -> Selected<'a> {
        let rows = self.between(filter.from, filter.to);
        let ratings = filter.ratings.as_ref().map(|ratings| {
            self.by_rating.iter().zip(ratings).filter(|(_, wanted)| **wanted).map(|(bits, _)| bits).collect()
        });
        let sources = filter.sources.as_ref().map(|sources| {
            sources.iter().filter_map(|source| self.by_source.get(usize::from(*source))).collect()
        });
        let length = |lists: &[&[u32]]| lists.iter().map(|rows| rows.len()).sum::<usize>();
        let of_locations =
            filter.locations.map(|locations| locations.iter().map(|location| self.of(*location)).collect());
        let of_locations = of_locations.filter(|lists: &Vec<&[u32]>| length(lists) < self.len());
        let of_classes: Vec<&[u32]> = self.by_class.rows_of(|class| filter.matches_class(class)).collect();
        let most = of_locations.as_ref().map_or(self.len(), |lists| length(lists)).min(self.len() / RARE);
        let (lists, locations) = if length(&of_classes) < most {
            let locations = filter.locations.filter(|_| of_locations.is_some());
            (Some(of_classes), locations.map(|locations| Bits::of(self.locations(), locations)))
        } else {
            (of_locations, None)
        };
        let mut selected = Selected {
            reviews: self,
            filter,
            any_of: [ratings, sources],
            lists: lists.map(|lists| RowLists::new(lists, rows.start)),
            locations,
            hidden: None,
            block: rows.start / BLOCK,
            rows,
            words: SetBits(0),
            word: 0,
            bits: SetBits(0),
        };
        selected.enter_block();
        selected
    }
}

impl<'a> Selected<'a> {
    /// The same walk without some rows. It must not have begun.
    pub(crate) fn without(self, hidden: Option<&'a HiddenRows>) -> Self {
        Self { hidden, ..self }
    }
}

impl Selected<'_> {
    /// Starts on the current block, unless nothing can be found there.
    fn enter_block(&mut self) {
        let Filter { updated_from, updated_to, .. } = self.filter;
        if self.reviews.update_blocks.may_contain(self.block, *updated_from, *updated_to) {
            let words = self.lists.as_mut().map_or(u64::MAX, |lists| lists.enter(self.block));
            self.words = SetBits(words);
        }
    }

    /// Moves on to the next word. None if there are no more.
    fn next_word(&mut self) -> Option<()> {
        loop {
            if let Some(word) = self.words.next() {
                self.word = self.block * 64 + word;
                self.bits = SetBits(self.mask());
                return Some(());
            }
            self.block += 1;
            if self.block > self.rows.end / BLOCK {
                return None;
            }
            self.enter_block();
        }
    }

    /// The rows of the current word that pass, apart from what `passes` checks.
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
        if let Some(lists) = &self.lists {
            mask &= lists.words[(self.word % 64) as usize];
        }
        if let Some(hidden) = self.hidden {
            mask &= !hidden.word(self.word);
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

    /// Whether `passes` has anything to check.
    const fn checks_rows(&self) -> bool {
        self.locations.is_some() || self.filter.updated_from.is_some() || self.filter.updated_to.is_some()
    }

    /// Whether a row was updated within the days and belongs to one of the locations.
    fn passes(&self, row: u32) -> bool {
        let Filter { updated_from, updated_to, .. } = self.filter;
        let day = self.reviews.updated[row as usize];
        updated_from.is_none_or(|from| day >= from)
            && updated_to.is_none_or(|to| day <= to)
            && self
                .locations
                .as_ref()
                .is_none_or(|locations| locations.contains(self.reviews.location[row as usize]))
    }
}

impl Iterator for Selected<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            while let Some(bit) = self.bits.next() {
                let row = self.word * 64 + bit;
                if !self.checks_rows() || self.passes(row) {
                    return Some(row);
                }
            }
            self.next_word()?;
        }
    }

    /// Skips whole words by the number of their rows, unless each row must be checked.
    fn nth(&mut self, n: usize) -> Option<u32> {
        let mut left = n;
        if !self.checks_rows() {
            while left >= self.bits.remaining() as usize {
                left -= self.bits.remaining() as usize;
                self.next_word()?;
            }
        }
        for _ in 0..left {
            self.next()?;
        }
        self.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::facts::fixture;
    use crate::dataset::insight::{Score, scores};

    /// The rows that pass, found by looking at each row.
    fn scan(reviews: &Reviews, filter: &Filter) -> Vec<u32> {
        let rows = 0..u32::try_from(reviews.len()).unwrap();
        let of = |sets: &[Bits], row| sets.iter().position(|bits| bits.contains(row)).unwrap();
        rows.filter(|&row| {
            let at = row as usize;
            let (source, rating) = (of(&reviews.by_source, row), of(&reviews.by_rating, row));
            filter.matches(Values {
                location: reviews.location[at],
                day: reviews.day[at],
                updated: reviews.updated[at],
                class: (
                    u16::try_from(source).unwrap(),
                    u8::try_from(rating).unwrap(),
                    reviews.published.contains(row),
                ),
            })
        })
        .collect()
    }

    #[test]
    fn the_walk_yields_the_rows_that_a_scan_yields_and_skips_as_many() {
        // Enough for several blocks.
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
            assert_eq!(walked, scan(reviews, filter), "{filter:?}");
            for skip in [1, 63, 64, 65, 900, 4_095, 4_096, 5_000, 20_000] {
                let skipped: Vec<u32> = reviews.select(filter).skip(skip).take(30).collect();
                let expected = walked.get(skip..).unwrap_or_default();
                assert_eq!(skipped, expected[..expected.len().min(30)], "{skip} {filter:?}");
            }
        }
    }

    #[test]
    fn sums_over_days_are_those_of_the_rows() {
        let dataset = fixture::generated(1_000);
        let reviews = &dataset.reviews;
        for (from, to) in [(None, None), (Some(Day(20_050)), Some(Day(20_060))), (Some(Day(20_300)), None)] {
            let filter = Filter { from, to, ..Filter::default() };
            let summed = scores(&dataset, None, &filter, &[0, 1]);
            let by_row = [0, 1].map(|location: u32| {
                let mut score = Score::default();
                for row in reviews.select(&Filter { locations: Some(&[location]), ..filter.clone() }) {
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
                    let shown = dataset.review(row).unwrap();
                    format!("{} {} {}", shown.id, shown.day.iso(), shown.comments)
                })
                .collect()
        };
        assert!(large.reviews.day.is_sorted_by(|a, b| a >= b));
        let large = ids(&large);
        assert!(ids(&small).iter().all(|review| large.contains(review)));
    }
}
