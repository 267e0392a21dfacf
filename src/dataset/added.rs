//! Records that are added while a dataset is served: kept beside it as a dataset of their own, so that what is asked of
//! the one is asked of the other by the same code, and the two answers are put together.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::api::ids;
use crate::dataset::facts::Dataset;
use crate::dataset::generated::{REVIEW, Record};
use crate::dataset::questions::Row;
use crate::dataset::records::{self, Business, Location};
use crate::draw::{Draw, Seed};

/// Records by number of their location.
pub type ByLocation<R> = BTreeMap<u64, Vec<R>>;

impl Dataset {
    /// Records beside these facts. Accounts, locations and sources have the same places as here; records of locations
    /// that are not here are left out.
    #[must_use]
    pub fn beside(
        &self,
        mut reviews: ByLocation<records::Review>,
        mut questions: ByLocation<records::Question>,
    ) -> Self {
        let mut location = |location: &Location| {
            let (number, name) = (location.number, location.name.clone());
            let reviews = reviews.remove(&number).map(records::Reviews::Given);
            let questions = questions.remove(&number).map(records::Questions::Given);
            Location {
                number,
                name,
                levels: BTreeMap::new(),
                reviews: reviews.into_iter().collect(),
                questions: questions.into_iter().collect(),
            }
        };
        let businesses = self.accounts().map(|account| self.account(account)).map(|business| Business {
            number: business.number,
            name: business.name.clone(),
            kind: business.kind,
            parent: business.parent,
            category: business.category.clone(),
            industry_score: None,
            text_categorisation: false,
            users: Vec::new(),
            levels: Vec::new(),
            competitors: Vec::new(),
            locations: business.locations.iter().map(&mut location).collect(),
            contacts: Vec::new(),
            contact_plans: Vec::new(),
        });
        // Names of those who ask are drawn: others than those of the records here.
        let seed = Seed(Draw::new(self.seed, "added").number());
        let businesses = Arc::new(businesses.collect());
        Self::build(seed, self.now, businesses, self.sources.clone(), &AtomicU64::new(0))
    }

    /// Whether a review of that account has that id.
    #[must_use]
    pub fn has_review(&self, account: u32, id: &str) -> bool {
        let number: Option<u64> = id.parse().ok().filter(|number: &u64| number.to_string() == id);
        let drawn = |stream: &Draw, index| Some(Record::of(stream, index).id()) == number;
        self.account(account).locations.iter().any(|location| {
            (0..).zip(&location.reviews).any(|(entry, reviews)| {
                let stream = Record::stream(self.seed, REVIEW, location.number, entry);
                match reviews {
                    records::Reviews::Given(given) => (0..).zip(given).any(|(index, review)| {
                        review.id.as_ref().map_or_else(|| drawn(&stream, index), |given| given == id)
                    }),
                    records::Reviews::Generated(plan) => {
                        number.is_some() && (0..plan.count).any(|index| drawn(&stream, index))
                    }
                }
            })
        })
    }

    /// Whether a question of that account has that id.
    #[must_use]
    pub fn has_question(&self, account: u32, id: u64) -> bool {
        self.questions_of(account).any(|row| row.id == id)
    }

    /// Whether an answer to a question of that account has that id.
    #[must_use]
    pub fn has_answer(&self, account: u32, id: u64) -> bool {
        let mut shown = self.questions_of(account).filter_map(|row| self.show_question(row));
        shown.any(|question| question.answers.iter().any(|answer| answer.id == id))
    }

    fn questions_of(&self, account: u32) -> impl Iterator<Item = &Row> {
        self.questions.rows.iter().filter(move |row| self.account_of(row.location) == account)
    }
}

/// Reviews of a dataset and those added to it, in the order of the review list; `rows` tells which ones of either.
pub fn reviews<'a, R: Iterator<Item = u32>>(
    dataset: &'a Dataset,
    added: Option<&'a Dataset>,
    rows: impl Fn(&'a Dataset) -> R,
) -> impl Iterator<Item = (&'a Dataset, u32)> {
    let of = |facts: &'a Dataset| rows(facts).map(move |row| (facts, row));
    merged(of(dataset), added.map(of).into_iter().flatten(), |left, right| order(*left, *right))
}

/// The same for questions, newest first.
pub fn questions<'a, R: Iterator<Item = &'a Row>>(
    dataset: &'a Dataset,
    added: Option<&'a Dataset>,
    rows: impl Fn(&'a Dataset) -> R,
) -> impl Iterator<Item = (&'a Dataset, &'a Row)> {
    let of = |facts: &'a Dataset| rows(facts).map(move |row| (facts, row));
    merged(of(dataset), added.map(of).into_iter().flatten(), |(_, left), (_, right)| {
        (left.at, left.id).cmp(&(right.at, right.id))
    })
}

/// Ascending by day, then by id, as the rows of one dataset are (`behaviour.md` 3).
fn order((left, a): (&Dataset, u32), (right, b): (&Dataset, u32)) -> Ordering {
    let id = |facts: &Dataset, row| facts.show(row).map(|shown| shown.id.to_string()).unwrap_or_default();
    let days = left.reviews.day[a as usize].cmp(&right.reviews.day[b as usize]);
    days.then_with(|| ids::compare(&id(left, a), &id(right, b)))
}

/// Two descending lists as one.
fn merged<T>(
    left: impl Iterator<Item = T>,
    right: impl Iterator<Item = T>,
    order: impl Fn(&T, &T) -> Ordering,
) -> impl Iterator<Item = T> {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    std::iter::from_fn(move || match (left.peek(), right.peek()) {
        (Some(a), Some(b)) if order(a, b).is_lt() => right.next(),
        (Some(_), _) => left.next(),
        (None, _) => right.next(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ids::ID_LIMIT;
    use crate::dataset::facts::fixture;

    #[test]
    fn two_descending_lists_are_one() {
        let all: Vec<u32> = merged([9, 7, 2].into_iter(), [8, 7, 1, 0].into_iter(), Ord::cmp).collect();
        assert_eq!(all, [9, 8, 7, 7, 2, 1, 0]);
    }

    #[test]
    fn ids_of_generated_reviews_are_taken_in_their_account_as_they_are_written() {
        let dataset = fixture::generated(100);
        let id = dataset.show(42).unwrap().id.to_string();
        assert!(dataset.has_review(0, &id));
        for free in [format!("0{id}"), format!("+{id}"), ID_LIMIT.to_string(), "x".to_owned()] {
            assert!(!dataset.has_review(0, &free), "{free}");
        }
    }
}
