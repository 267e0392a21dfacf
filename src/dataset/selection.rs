//! Which reviews a request asks for, as a walk over the rows, 64 at a time.

use std::ops::Range;

use crate::api::dates::Day;
use crate::dataset::bits::{Bits, Ones};
use crate::dataset::reviews::Reviews;

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
}

/// The rows that pass a filter, newest first.
#[derive(Debug)]
pub struct Selected<'a> {
    reviews: &'a Reviews,
    filter: &'a Filter<'a>,
    rows: Range<u32>,
    locations: Option<Bits>,
    word: usize,
    ones: Ones,
}

impl Reviews {
    /// How many locations its rows belong to.
    #[must_use]
    pub fn locations(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The rows that pass a filter, newest first.
    #[must_use]
    pub fn select<'a>(&'a self, filter: &'a Filter<'a>) -> Selected<'a> {
        let rows = self.between(filter.from, filter.to);
        let locations = filter.locations.and_then(|places| self.rows_of(places));
        let word = rows.start as usize / 64;
        let mut selected = Selected { reviews: self, filter, rows, locations, word, ones: Ones(0) };
        selected.ones = Ones(selected.mask());
        selected
    }

    /// The rows of some locations; none where that is all of them.
    fn rows_of(&self, places: &[u32]) -> Option<Bits> {
        let count: usize = places.iter().map(|place| self.of(*place).len()).sum();
        if count >= self.len() {
            return None;
        }
        let mut bits = Bits::none(self.len());
        places.iter().flat_map(|place| self.of(*place)).for_each(|row| bits.insert(*row));
        Some(bits)
    }
}

impl Selected<'_> {
    /// The rows of the present word that pass all but the days of update.
    fn mask(&self) -> u64 {
        let Range { start, end } = self.rows;
        let first = u32::try_from(self.word * 64).unwrap_or(u32::MAX);
        if first >= end {
            return 0;
        }
        let mut mask = u64::MAX << start.saturating_sub(first).min(63);
        if end - first < 64 {
            mask &= (1 << (end - first)) - 1;
        }
        if let Some(locations) = &self.locations {
            mask &= locations.word(self.word);
        }
        if mask == 0 {
            return 0;
        }
        if let Some(ratings) = &self.filter.ratings {
            let wanted = self.reviews.by_rating.iter().zip(ratings).filter(|(_, wanted)| **wanted);
            mask &= wanted.fold(0, |word, (bits, _)| word | bits.word(self.word));
        }
        if let Some(sources) = &self.filter.sources {
            let wanted = sources.iter().filter_map(|source| self.reviews.by_source.get(usize::from(*source)));
            mask &= wanted.fold(0, |word, bits| word | bits.word(self.word));
        }
        match self.filter.published {
            Some(true) => mask & self.reviews.published.word(self.word),
            Some(false) => mask & !self.reviews.published.word(self.word),
            None => mask,
        }
    }

    fn updated_in_range(&self, row: u32) -> bool {
        let Filter { updated_from, updated_to, .. } = self.filter;
        let day = self.reviews.updated[row as usize];
        updated_from.is_none_or(|from| day >= from) && updated_to.is_none_or(|to| day <= to)
    }
}

impl Iterator for Selected<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            if let Some(bit) = self.ones.next() {
                let row = u32::try_from(self.word * 64).unwrap_or(u32::MAX) + bit;
                if self.updated_in_range(row) {
                    return Some(row);
                }
            } else {
                self.word += 1;
                if self.word * 64 >= self.rows.end as usize {
                    return None;
                }
                self.ones = Ones(self.mask());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::insight::{Score, scores};
    use crate::dataset::whole::fixture;

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
        let dataset = fixture::generated(1_000);
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
        let ids = |dataset: &crate::dataset::whole::Dataset| -> Vec<String> {
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
