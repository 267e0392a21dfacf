//! Reviews and questions that are added while a dataset is served, and the lists in which they are merged with those of
//! the dataset.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::sync::{Arc, Mutex, PoisonError};

use crate::api::dates::Day;
use crate::api::ids;
use crate::clock::Moment;
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::questions::Row;
use crate::dataset::records::{self, Answer, Question, Review, Reviewer};
use crate::dataset::reviews::{given_sentiment, last_update};
use crate::dataset::search::{Needle, Search};
use crate::dataset::selection::{Filter, Selected, Values};
use crate::dataset::text::Id;
use crate::memory::{heap, texts};

/// The records added to one dataset. Their locations and sources are indexes into that dataset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Additions {
    reviews: BTreeMap<Position<(Day, ReviewId)>, Arc<AddedReview>>,
    questions: BTreeMap<Position<(Moment, u64)>, Arc<AddedQuestion>>,
    /// The ids of each account.
    review_ids: BTreeSet<(u32, String)>,
    question_ids: BTreeSet<(u32, u64)>,
    answer_ids: BTreeSet<(u32, u64)>,
}

/// Position in a list: newest first, ties by id descending, and then by location and order of arrival.
type Position<K> = (Reverse<K>, u32, usize);

/// The id of a review, which compares by [`ids::compare`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct ReviewId(String);

impl Ord for ReviewId {
    fn cmp(&self, other: &Self) -> Ordering {
        ids::compare(&self.0, &other.0)
    }
}

impl PartialOrd for ReviewId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An added review, with the values by which it is filtered.
#[derive(Clone, Debug)]
pub(crate) struct AddedReview {
    pub(crate) id: String,
    pub(crate) record: Review,
    pub(crate) values: Values,
    /// In tenths.
    pub(crate) sentiment: u16,
}

impl Review {
    /// About how many bytes it takes as an added review.
    pub(crate) fn added_size(&self) -> usize {
        let Reviewer { first_name, last_name, nick_name, thumbnail_url, email_id, facebook_id, city, state } =
            &self.reviewer;
        let reviewer = [first_name, last_name, nick_name, thumbnail_url, email_id, facebook_id, city, state];
        let own = [&self.comments, &self.title, &self.response, &self.review_url, &self.unique_review_url];
        let extra = |(name, value): (&String, &String)| 80 + heap(name.len()) + heap(value.len());
        // The id stands in the record, in the review, and in two indexes.
        let id = self.id.as_ref().map_or(32, |id| heap(id.len()));
        size_of::<AddedReview>()
            + 400
            + 4 * id
            + texts(own)
            + texts(reviewer)
            + self.extra.iter().map(extra).sum::<usize>()
    }
}

impl Question {
    /// About how many bytes it takes as an added question.
    pub(crate) fn added_size(&self) -> usize {
        let answer = |answer: &Answer| {
            size_of::<Answer>()
                + 40
                + heap(answer.answer.len())
                + heap(answer.category.len())
                + texts([&answer.by, &answer.logo])
        };
        size_of::<AddedQuestion>()
            + 300
            + heap(self.question.len())
            + heap(self.category.len())
            + texts([&self.by, &self.logo])
            + self.answers.iter().map(answer).sum::<usize>()
    }
}

impl AddedReview {
    pub(crate) fn new(dataset: &Dataset, location: u32, id: String, record: Review) -> Self {
        let values = Values {
            location,
            day: record.day.resolve(dataset.today),
            updated: last_update(&record, dataset.today),
            class: (record.source, record.rating.min(5), record.published),
        };
        let sentiment = given_sentiment(&record, &dataset.sources);
        Self { id, record, values, sentiment }
    }
}

/// An added question.
#[derive(Clone, Debug)]
pub(crate) struct AddedQuestion {
    pub(crate) id: u64,
    /// When it was asked.
    pub(crate) at: Moment,
    pub(crate) record: Question,
    pub(crate) location: u32,
    /// How many questions were added to its location before it.
    pub(crate) index: u32,
}

impl AddedQuestion {
    pub(crate) fn is_answered(&self) -> bool {
        self.record.answers.iter().any(|answer| answer.owner)
    }
}

impl Additions {
    pub(crate) fn add_review(&mut self, dataset: &Dataset, review: Arc<AddedReview>) {
        let Values { location, day, .. } = review.values;
        self.review_ids.insert((dataset.account_of(location), review.id.clone()));
        let position = (Reverse((day, ReviewId(review.id.clone()))), location, self.reviews.len());
        self.reviews.insert(position, review);
    }

    pub(crate) fn add_question(&mut self, dataset: &Dataset, question: Arc<AddedQuestion>) {
        let AddedQuestion { id, at, location, record, .. } = &*question;
        let account = dataset.account_of(*location);
        self.question_ids.insert((account, *id));
        self.answer_ids.extend(record.answers.iter().filter_map(|answer| Some((account, answer.id?))));
        let position = (Reverse((*at, *id)), *location, self.questions.len());
        self.questions.insert(position, question);
    }

    /// The added reviews that pass a filter, newest first.
    pub(crate) fn select<'a>(&'a self, filter: &'a Filter<'a>) -> impl Iterator<Item = &'a Arc<AddedReview>> {
        self.reviews.values().filter(|review| filter.matches(review.values))
    }

    /// Whether an added review of an account has that id.
    pub(crate) fn has_review(&self, account: u32, id: &str) -> bool {
        self.review_ids.contains(&(account, id.to_owned()))
    }

    /// Whether an added question of an account has that id.
    pub(crate) fn has_question(&self, account: u32, id: u64) -> bool {
        self.question_ids.contains(&(account, id))
    }

    /// Whether an answer to an added question of an account has that id.
    pub(crate) fn has_answer(&self, account: u32, id: u64) -> bool {
        self.answer_ids.contains(&(account, id))
    }
}

/// A review of a list: a row of the dataset, which is given in the scenario or generated, or an added one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ListedReview<'a> {
    Seeded(u32),
    Added(&'a Arc<AddedReview>),
}

/// A question of a list: a row of the dataset, or an added one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ListedQuestion<'a> {
    Seeded(&'a Row),
    Added(&'a Arc<AddedQuestion>),
}

/// The reviews that pass a filter and, if a text is searched for, contain it: those of a dataset and those added to it, in
/// the order of the review list.
pub(crate) fn reviews<'a>(
    dataset: &'a Dataset,
    added: Option<&'a Additions>,
    filter: &'a Filter<'a>,
    text: Option<&str>,
) -> impl Iterator<Item = ListedReview<'a>> {
    let search = text.map(|text| Search::new(dataset, text));
    let needle = text.map(Needle::new);
    let added = added.into_iter().flat_map(|added| added.select(filter));
    let added = added.filter(move |review| needle.as_ref().is_none_or(|needle| needle.is_in(&review.record)));
    let order = |seeded: &ListedReview<'_>, added: &ListedReview<'_>| order(dataset, *seeded, *added);
    Merged::new(
        Seeded { rows: dataset.reviews.select(filter), search },
        added.map(ListedReview::Added),
        order,
    )
}

/// The questions that are wanted by location and by whether the owner has answered, newest first.
pub(crate) fn questions<'a>(
    dataset: &'a Dataset,
    added: Option<&'a Additions>,
    wanted: impl Fn(u32, bool) -> bool + Copy,
) -> impl Iterator<Item = ListedQuestion<'a>> {
    let rows = dataset.questions.rows.iter().filter(move |row| wanted(row.location, row.answered));
    let added = added.into_iter().flat_map(|added| added.questions.values());
    let added = added.filter(move |question| wanted(question.location, question.is_answered()));
    let order = |seeded: &ListedQuestion<'_>, added: &ListedQuestion<'_>| {
        let key = |question: &ListedQuestion<'_>| match question {
            ListedQuestion::Seeded(row) => (row.at, row.id),
            ListedQuestion::Added(question) => (question.at, question.id),
        };
        key(seeded).cmp(&key(added))
    };
    Merged::new(rows.map(ListedQuestion::Seeded), added.map(ListedQuestion::Added), order)
}

/// Compares by day, then by id (`docs/api.md` 3).
fn order(dataset: &Dataset, left: ListedReview<'_>, right: ListedReview<'_>) -> Ordering {
    let day = |review| match review {
        ListedReview::Seeded(row) => dataset.reviews.day[row as usize],
        ListedReview::Added(review) => review.values.day,
    };
    let id = |review| match review {
        ListedReview::Seeded(row) => dataset.review(row).map(|view| view.id.to_string()).unwrap_or_default(),
        ListedReview::Added(review) => review.id.clone(),
    };
    day(left).cmp(&day(right)).then_with(|| ids::compare(&id(left), &id(right)))
}

/// The rows of a dataset that are listed.
struct Seeded<'a> {
    rows: Selected<'a>,
    search: Option<Search<'a>>,
}

impl<'a> Iterator for Seeded<'a> {
    type Item = ListedReview<'a>;

    fn next(&mut self) -> Option<ListedReview<'a>> {
        let row = match &mut self.search {
            Some(search) => self.rows.find(|row| search.finds(*row)),
            None => self.rows.next(),
        };
        row.map(ListedReview::Seeded)
    }

    /// Without a text to search for, rows are skipped without being visited.
    fn nth(&mut self, n: usize) -> Option<ListedReview<'a>> {
        if self.search.is_none() {
            return self.rows.nth(n).map(ListedReview::Seeded);
        }
        for _ in 0..n {
            self.next()?;
        }
        self.next()
    }
}

/// Two descending lists merged into one.
struct Merged<L: Iterator, R: Iterator, F> {
    left: Peekable<L>,
    right: Peekable<R>,
    order: F,
}

impl<T, L, R, F> Merged<L, R, F>
where
    L: Iterator<Item = T>,
    R: Iterator<Item = T>,
    F: Fn(&T, &T) -> Ordering,
{
    fn new(left: L, right: R, order: F) -> Self {
        Self { left: left.peekable(), right: right.peekable(), order }
    }
}

impl<T, L, R, F> Iterator for Merged<L, R, F>
where
    L: Iterator<Item = T>,
    R: Iterator<Item = T>,
    F: Fn(&T, &T) -> Ordering,
{
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match (self.left.peek(), self.right.peek()) {
            (Some(left), Some(right)) if (self.order)(left, right).is_lt() => self.right.next(),
            (Some(_), _) => self.left.next(),
            (None, _) => self.right.next(),
        }
    }

    /// As soon as the right list has ended, the left one skips by itself.
    fn nth(&mut self, n: usize) -> Option<T> {
        let mut left = n;
        while self.right.peek().is_some() {
            let next = self.next();
            if left == 0 {
                return next;
            }
            left -= 1;
        }
        self.left.nth(left)
    }
}

/// The drawn ids of an account, which are computed when a record is first added to it: walking over a million reviews for each
/// added one would take too long.
#[derive(Debug, Default)]
pub(crate) struct TakenIds {
    reviews: Mutex<IdsByAccount>,
    answers: Mutex<IdsByAccount>,
}

/// Ids, ascending, by account. The lock is held while they are computed.
type IdsByAccount = BTreeMap<u32, Arc<[u64]>>;

fn ids_of(ids: &Mutex<IdsByAccount>, account: u32, compute: impl FnOnce() -> Vec<u64>) -> Arc<[u64]> {
    let mut ids = ids.lock().unwrap_or_else(PoisonError::into_inner);
    let sorted = || {
        let mut ids = compute();
        ids.sort_unstable();
        ids.into()
    };
    Arc::clone(ids.entry(account).or_insert_with(sorted))
}

impl Dataset {
    /// Whether a review of that account has that id.
    pub(crate) fn has_review(&self, account: u32, id: &str) -> bool {
        let number: Option<u64> = id.parse().ok().filter(|number: &u64| number.to_string() == id);
        let is_drawn = |number| {
            let drawn = ids_of(&self.taken.reviews, account, || self.drawn_review_ids(account));
            drawn.binary_search(&number).is_ok()
        };
        let lists = self.account(account).locations.iter().flat_map(|location| &location.reviews);
        let mut given = lists.filter_map(|reviews| match reviews {
            records::Reviews::Given(given) => Some(given),
            records::Reviews::Generated(_) => None,
        });
        number.is_some_and(is_drawn)
            || given.any(|given| given.iter().any(|review| review.id.as_deref() == Some(id)))
    }

    fn drawn_review_ids(&self, account: u32) -> Vec<u64> {
        let locations = self.locations_of(BusinessRef::Account(account));
        let rows = locations.into_iter().flat_map(|location| self.reviews.of(location));
        let ids = rows.filter_map(|row| match self.review(*row)?.id {
            Id::Number(number) => Some(number),
            Id::Given(_) => None,
        });
        ids.collect()
    }

    /// Whether a question of that account has that id.
    pub(crate) fn has_question(&self, account: u32, id: u64) -> bool {
        self.questions_of(account).any(|row| row.id == id)
    }

    /// Whether an answer to a question of that account has that id.
    pub(crate) fn has_answer(&self, account: u32, id: u64) -> bool {
        let compute = || {
            let questions = self.questions_of(account).filter_map(|row| self.question(row));
            questions.flat_map(|question| question.answers).map(|answer| answer.id).collect()
        };
        ids_of(&self.taken.answers, account, compute).binary_search(&id).is_ok()
    }

    fn questions_of(&self, account: u32) -> impl Iterator<Item = &Row> {
        self.questions.rows.iter().filter(move |row| self.account_of(row.location) == account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ids::ID_LIMIT;
    use crate::dataset::facts::fixture;

    #[test]
    fn two_descending_lists_are_merged_and_skipped_together() {
        let merged = || Merged::new([9, 7, 2].into_iter(), [8, 7, 1, 0].into_iter(), Ord::cmp);
        let all: Vec<u32> = merged().collect();
        assert_eq!(all, [9, 8, 7, 7, 2, 1, 0]);
        let reversed = || Merged::new([8, 7, 1, 0].into_iter(), [9, 7, 2].into_iter(), Ord::cmp);
        for skip in 0..9 {
            let expected = all.get(skip..).unwrap_or_default();
            assert_eq!(merged().skip(skip).collect::<Vec<u32>>(), expected);
            assert_eq!(reversed().skip(skip).collect::<Vec<u32>>(), expected);
        }
    }

    #[test]
    fn ids_of_generated_reviews_are_taken_in_their_account_as_they_are_written() {
        let dataset = fixture::generated(100);
        let id = dataset.review(42).unwrap().id.to_string();
        assert!(dataset.has_review(0, &id));
        for free in [format!("0{id}"), format!("+{id}"), ID_LIMIT.to_string(), "x".to_owned()] {
            assert!(!dataset.has_review(0, &free), "{free}");
        }
    }
}
