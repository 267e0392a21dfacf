//! The ids that the records of an account have, and the row of a review by its id. They are indexed when a record is first added
//! to the account, or one of its reviews is first looked up: to walk over a million reviews each time would take too long.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::dataset::facts::Dataset;
use crate::dataset::questions::Row;
use crate::dataset::text::Id;
use crate::draw::{Draw, Seed};

/// The indexes of the accounts. A lock is held while an index is made.
#[derive(Debug, Default)]
pub(crate) struct IdIndexes {
    reviews: Mutex<BTreeMap<u32, Arc<ReviewIndex>>>,
    answers: Mutex<BTreeMap<u32, Arc<[u64]>>>,
}

/// The keys of an account's reviews, ascending, and the row of each.
#[derive(Debug)]
struct ReviewIndex {
    keys: Vec<u64>,
    rows: Vec<u32>,
}

/// A number for an id. Different ids may have the same one.
fn key(id: &Id<'_>) -> u64 {
    match id {
        Id::Number(number) => *number,
        Id::Given(id) => match id.parse::<u64>() {
            Ok(number) if number.to_string() == *id => number,
            _ => Draw::new(Seed(0), "review id").with_text(id).number(),
        },
    }
}

fn index_of<T: ?Sized>(
    indexes: &Mutex<BTreeMap<u32, Arc<T>>>,
    account: u32,
    make: impl FnOnce() -> Arc<T>,
) -> Arc<T> {
    let mut indexes = indexes.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(indexes.entry(account).or_insert_with(make))
}

impl Dataset {
    /// Indexes the ids of all accounts.
    pub(crate) fn index_ids(&self) {
        for account in self.accounts() {
            self.has_review(account, "");
            self.has_answer(account, 0);
        }
    }

    /// Whether the ids of all accounts are indexed.
    pub(crate) fn is_indexed(&self) -> bool {
        let indexed = self.ids.answers.lock().unwrap_or_else(PoisonError::into_inner).len();
        indexed == self.accounts().count()
    }

    /// The row of the review of an account that has that id.
    pub(crate) fn find_review(&self, account: u32, id: &str) -> Option<u32> {
        let index = index_of(&self.ids.reviews, account, || Arc::new(self.review_index(account)));
        let wanted = key(&Id::Given(id));
        let first = index.keys.partition_point(|key| *key < wanted);
        let alike =
            index.keys[first..].iter().zip(&index.rows[first..]).take_while(|(key, _)| **key == wanted);
        let has_id = |row: &u32| self.review_id(*row).is_some_and(|own| own.to_string() == id);
        alike.map(|(_, row)| *row).find(has_id)
    }

    /// Whether a review of that account has that id.
    pub(crate) fn has_review(&self, account: u32, id: &str) -> bool {
        self.find_review(account, id).is_some()
    }

    fn review_index(&self, account: u32) -> ReviewIndex {
        let rows = self.span(account).flat_map(|location| self.reviews.of(location)).copied();
        let mut pairs: Vec<(u64, u32)> =
            rows.filter_map(|row| Some((key(&self.review_id(row)?), row))).collect();
        pairs.sort_unstable();
        let (keys, rows) = pairs.into_iter().unzip();
        ReviewIndex { keys, rows }
    }

    /// Whether a question of that account has that id.
    pub(crate) fn has_question(&self, account: u32, id: u64) -> bool {
        self.questions_of(account).any(|row| row.id == id)
    }

    /// Whether an answer to a question of that account has that id.
    pub(crate) fn has_answer(&self, account: u32, id: u64) -> bool {
        let make = || {
            let questions = self.questions_of(account).filter_map(|row| self.question(row));
            let mut ids: Vec<u64> =
                questions.flat_map(|question| question.answers).map(|answer| answer.id).collect();
            ids.sort_unstable();
            ids.into()
        };
        index_of(&self.ids.answers, account, make).binary_search(&id).is_ok()
    }

    fn questions_of(&self, account: u32) -> impl Iterator<Item = &Row> {
        self.questions.rows.iter().filter(move |row| self.account_of(row.location) == account)
    }
}

#[cfg(test)]
mod tests {
    use crate::api::ids::ID_LIMIT;
    use crate::dataset::facts::fixture;

    #[test]
    fn a_review_is_found_by_its_id_as_it_is_written() {
        let dataset = fixture::generated(100);
        let id = dataset.review(42).unwrap().id.to_string();
        assert_eq!(dataset.find_review(0, &id), Some(42));
        for free in [format!("0{id}"), format!("+{id}"), ID_LIMIT.to_string(), "x".to_owned(), String::new()]
        {
            assert!(!dataset.has_review(0, &free), "{free}");
        }
    }
}
