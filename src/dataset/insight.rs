//! Sentiment scores: means of review sentiments weighted by mentions, in tenths (`behaviour.md` 4).

use std::ops::{AddAssign, Range};

use serde::{Serialize, Serializer};

use crate::dataset::reviews::Reviews;
use crate::dataset::selection::Filter;

/// The sums that a score is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Sum of sentiment (tenths) times mentions.
    pub weighted: u64,
    /// Sum of mentions.
    pub mentions: u64,
}

impl Score {
    /// Takes one review in.
    pub const fn add(&mut self, sentiment: u16, mentions: u32) {
        self.weighted += sentiment as u64 * mentions as u64;
        self.mentions += mentions as u64;
    }

    /// What is left without another that lies within.
    #[must_use]
    pub const fn less(self, other: Self) -> Self {
        Self { weighted: self.weighted - other.weighted, mentions: self.mentions - other.mentions }
    }

    /// The score, not rounded; 0 without mentions.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "sums are far below 2^53")]
    pub fn mean(self) -> f64 {
        self.weighted as f64 / self.mentions.max(1) as f64 / 10.0
    }

    /// The score in tenths, halves rounded away from zero; 0 without mentions.
    #[must_use]
    pub const fn tenths(self) -> Tenths {
        match self.mentions {
            0 => Tenths(0),
            mentions => Tenths((2 * self.weighted + mentions) / (2 * mentions)),
        }
    }
}

/// A score, written with one decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tenths(pub u64);

impl Tenths {
    /// The score itself.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a score is at most 1000 tenths")]
    pub const fn value(self) -> f64 {
        self.0 as f64 / 10.0
    }
}

impl Serialize for Tenths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.weighted += other.weighted;
        self.mentions += other.mentions;
    }
}

/// The scores of some locations, in their order, over the reviews that pass a filter. The filter's own locations are
/// not looked at.
#[must_use]
pub fn scores(reviews: &Reviews, filter: &Filter, locations: &[u32]) -> Vec<Score> {
    if filter.is_days_only() {
        let rows: Range<u32> = reviews.between(filter.from, filter.to);
        return locations.iter().map(|location| reviews.score(*location, &rows)).collect();
    }
    let mut slots = vec![Score::default(); reviews.locations()];
    let filter = Filter { locations: Some(locations), ..filter.clone() };
    for row in reviews.select(&filter) {
        let at = row as usize;
        slots[reviews.location[at] as usize].add(reviews.sentiment[at], reviews.mentions[at]);
    }
    locations.iter().map(|location| slots.get(*location as usize).copied().unwrap_or_default()).collect()
}

/// The score of all of them together.
#[must_use]
pub fn total(reviews: &Reviews, filter: &Filter<'_>, locations: &[u32]) -> Score {
    let mut total = Score::default();
    if filter.is_days_only() {
        let rows = reviews.between(filter.from, filter.to);
        for location in locations {
            total += reviews.score(*location, &rows);
        }
    } else {
        for row in reviews.select(&Filter { locations: Some(locations), ..filter.clone() }) {
            let at = row as usize;
            total.add(reviews.sentiment[at], reviews.mentions[at]);
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_away_from_zero_once() {
        let mut score = Score::default();
        for sentiment in [950, 300, 500, 900] {
            score.add(sentiment, 1);
        }
        assert_eq!((score.tenths(), score.mentions), (Tenths(663), 4));
        assert_eq!(Score::default().tenths(), Tenths(0));
    }
}
