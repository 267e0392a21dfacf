//! Sentiment scores: means of review sentiments weighted by mentions, in tenths (`docs/api.md` 3).

use std::ops::AddAssign;

use serde::{Serialize, Serializer};

use crate::dataset::added::{Additions, HiddenRows};
use crate::dataset::facts::Dataset;
use crate::dataset::selection::Filter;

/// The sums from which a score is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    /// Sum of sentiment (tenths) times mentions.
    pub(crate) weighted: u64,
    pub(crate) mentions: u64,
}

impl Score {
    /// Adds one review.
    pub(crate) const fn add(&mut self, sentiment: u16, mentions: u32) {
        self.weighted += sentiment as u64 * mentions as u64;
        self.mentions += mentions as u64;
    }

    /// The sums without those of some of the reviews.
    pub(crate) const fn minus(self, other: Self) -> Self {
        Self { weighted: self.weighted - other.weighted, mentions: self.mentions - other.mentions }
    }

    /// The score in tenths, with halves rounded away from zero; 0 without mentions.
    pub(crate) const fn tenths(self) -> Tenths {
        match self.mentions {
            0 => Tenths(0),
            mentions => Tenths((2 * self.weighted + mentions) / (2 * mentions)),
        }
    }
}

/// The mean of some scores in tenths, with halves rounded away from zero; 0 if there are none. Each score is the given
/// weighted sum of tenths and its weights, and only their mean is rounded.
pub(crate) fn mean(scores: impl Iterator<Item = Score>) -> Tenths {
    // Each score is rounded up to a multiple of 2^-64 tenths. That is far less than two different means can differ by,
    // and a mean that lies exactly between two tenths never falls below it.
    let (sum, count) =
        scores.filter(|score| score.mentions > 0).fold((0_u128, 0_u128), |(sum, count), score| {
            (sum + (u128::from(score.weighted) << 64).div_ceil(u128::from(score.mentions)), count + 1)
        });
    let half = count << 63;
    Tenths(u64::try_from((sum + half) / (count << 64).max(1)).unwrap_or(u64::MAX))
}

/// A score in tenths, written with one decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tenths(pub(crate) u64);

impl Tenths {
    #[expect(clippy::cast_precision_loss, reason = "a score is at most 1000 tenths")]
    pub(crate) const fn value(self) -> f64 {
        self.0 as f64 / 10.0
    }
}

impl From<Tenths> for Score {
    /// The score of one mention.
    fn from(Tenths(weighted): Tenths) -> Self {
        Self { weighted, mentions: 1 }
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

/// The score of each of some locations, in their order, over the reviews that pass a filter: those of the dataset and
/// those added to it. The locations ascend; the filter's own locations are ignored.
pub(crate) fn scores(
    dataset: &Dataset,
    added: Option<&Additions>,
    filter: &Filter<'_>,
    locations: &[u32],
) -> Vec<Score> {
    let reviews = &dataset.reviews;
    let filter = Filter { locations: Some(locations), ..filter.clone() };
    let hidden = added.map(Additions::hidden);
    let mut scores: Vec<Score> = if filter.is_days_only() {
        let rows = reviews.between(filter.from, filter.to);
        let mut scores: Vec<Score> =
            locations.iter().map(|location| reviews.score(*location, &rows)).collect();
        for row in hidden.into_iter().flat_map(HiddenRows::rows).filter(|row| rows.contains(row)) {
            if let Ok(at) = locations.binary_search(&reviews.location[row as usize]) {
                scores[at] = scores[at].minus(reviews.score_of(row));
            }
        }
        scores
    } else {
        let mut by_location = vec![Score::default(); reviews.locations()];
        for row in reviews.select(&filter).without(hidden) {
            let at = row as usize;
            by_location[reviews.location[at] as usize].add(reviews.sentiment[at], reviews.mentions[at]);
        }
        locations.iter().map(|location| by_location[*location as usize]).collect()
    };
    for review in added.into_iter().flat_map(|added| added.select(&filter)) {
        if let Ok(at) = locations.binary_search(&review.values.location) {
            scores[at].add(review.sentiment, review.record.mentions);
        }
    }
    scores
}

/// The score of all those locations together.
pub(crate) fn total(
    dataset: &Dataset,
    added: Option<&Additions>,
    filter: &Filter<'_>,
    locations: &[u32],
) -> Score {
    let reviews = &dataset.reviews;
    let filter = Filter { locations: Some(locations), ..filter.clone() };
    let mut total = Score::default();
    if filter.is_days_only() {
        for score in scores(dataset, added, &filter, locations) {
            total += score;
        }
        return total;
    }
    for row in reviews.select(&filter).without(added.map(Additions::hidden)) {
        total += reviews.score_of(row);
    }
    for review in added.into_iter().flat_map(|added| added.select(&filter)) {
        total.add(review.sentiment, review.record.mentions);
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

    #[test]
    fn a_mean_of_scores_is_rounded_once() {
        let mean = |scores: &[(u64, u64)]| {
            mean(scores.iter().map(|(weighted, mentions)| Score { weighted: *weighted, mentions: *mentions }))
                .0
        };
        assert_eq!(mean(&[(686, 1), (603, 1)]), 645, "64.45 is 64.4 in floating point");
        assert_eq!(mean(&[(1000, 3), (2000, 3), (2, 1)]), 334, "1002/3 is exact");
        assert_eq!(mean(&[(1, 3), (1, 6)]), 0);
        assert_eq!(mean(&[(1, 3), (2, 3)]), 1, "exactly a half");
        assert_eq!(mean(&[(7, 1), (0, 0)]), 7, "a score without mentions is none");
        assert_eq!(mean(&[]), 0);
        for first in 0..=1000 {
            for second in [0, 1, 603, 686, 999, 1000] {
                assert_eq!(
                    mean(&[(first, 1), (second, 1)]),
                    (first + second).div_ceil(2),
                    "{first} {second}"
                );
            }
        }
    }
}
