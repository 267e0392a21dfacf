//! Reviews and questions that are added to a dataset while it is served, reviews that are changed or taken down, and the lists in
//! which they are merged with those of the dataset.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::Arc;

use crate::api::dates::Day;
use crate::api::ids;
use crate::clock::Moment;
use crate::dataset::chunks::Chunks;
use crate::dataset::facts::Dataset;
use crate::dataset::questions::Row;
use crate::dataset::records::{Answer, Question, Review, Reviewer};
use crate::dataset::reviews::{given_sentiment, last_update};
use crate::dataset::search::{Needle, Search};
use crate::dataset::selection::{Filter, Selected, Values};
use crate::memory::{heap, texts};

/// How one world's records differ from those of a dataset. Locations, sources and rows are indexes into that dataset. Copies
/// share nearly everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Additions {
    reviews: Chunks<ReviewPosition, Arc<AddedReview>>,
    questions: Chunks<QuestionPosition, Arc<AddedQuestion>>,
    hidden: Arc<HiddenRows>,
}

/// Position in the list of reviews: newest day first. Of a day, those that arrived come before those of the scenario.
type ReviewPosition = (Reverse<Day>, Rank);

/// Position in the list of questions: the newest first. Of an instant, the latest arrival comes first.
type QuestionPosition = (Reverse<Moment>, Reverse<u64>);

/// Position of a review among those of its day.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The number of its arrival; the latest comes first.
    Arrived(Reverse<u64>),
    /// It was in the scenario: by id descending, then by location.
    Seeded(Reverse<ReviewId>, u32),
}

/// The id of a review, which compares by [`ids::compare`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct ReviewId(Arc<str>);

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

/// Rows of a dataset that are not listed, since their reviews were taken down or are replaced by changed ones: a bit each, by
/// word of 64 rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct HiddenRows(BTreeMap<u32, u64>);

impl HiddenRows {
    /// The hidden rows of a word.
    pub(crate) fn word(&self, word: u32) -> u64 {
        self.0.get(&word).copied().unwrap_or_default()
    }

    /// The hidden rows, ascending.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u32> {
        let bits = |(word, bits): (&u32, &u64)| {
            let (word, bits) = (*word, *bits);
            (0..64).filter(move |bit| bits & (1 << bit) != 0).map(move |bit| word * 64 + bit)
        };
        self.0.iter().flat_map(bits)
    }
}

/// A review that arrived, or a changed one of the scenario, with the values by which it is filtered.
#[derive(Clone, Debug)]
pub(crate) struct AddedReview {
    pub(crate) id: String,
    pub(crate) record: Review,
    pub(crate) values: Values,
    /// In tenths.
    pub(crate) sentiment: u16,
    /// The number of its arrival in its world; none for a changed review of the scenario.
    pub(crate) arrival: Option<u64>,
}

impl Review {
    /// About how many bytes it takes as an added review.
    pub(crate) fn added_size(&self) -> usize {
        let Reviewer { first_name, last_name, nick_name, thumbnail_url, email_id, facebook_id, city, state } =
            &self.reviewer;
        let reviewer = [first_name, last_name, nick_name, thumbnail_url, email_id, facebook_id, city, state];
        let own = [&self.comments, &self.title, &self.response, &self.review_url, &self.unique_review_url];
        let extra = |(name, value): (&String, &String)| 80 + heap(name.len()) + heap(value.len());
        // The id stands in the record, in the review, and in up to two indexes.
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
    pub(crate) fn new(
        dataset: &Dataset,
        location: u32,
        id: String,
        record: Review,
        arrival: Option<u64>,
    ) -> Self {
        let values = Values {
            location,
            day: record.day.resolve(dataset.today),
            updated: last_update(&record, dataset.today),
            class: (record.source, record.rating.min(5), record.published),
        };
        let sentiment = given_sentiment(&record, &dataset.sources);
        Self { id, record, values, sentiment, arrival }
    }

    fn position(&self) -> ReviewPosition {
        let Values { day, location, .. } = self.values;
        let rank = match self.arrival {
            Some(number) => Rank::Arrived(Reverse(number)),
            None => Rank::Seeded(Reverse(ReviewId(self.id.as_str().into())), location),
        };
        (Reverse(day), rank)
    }
}

/// A question that arrived.
#[derive(Clone, Debug)]
pub(crate) struct AddedQuestion {
    pub(crate) id: u64,
    /// When it was asked.
    pub(crate) at: Moment,
    pub(crate) record: Question,
    pub(crate) location: u32,
    /// How many questions were added to its location before it.
    pub(crate) index: u32,
    /// The number of its arrival in its world.
    pub(crate) arrival: u64,
}

impl AddedQuestion {
    pub(crate) fn is_answered(&self) -> bool {
        self.record.answers.iter().any(|answer| answer.owner)
    }
}

impl Additions {
    /// Adds a review, or replaces the one at its position.
    pub(crate) fn put_review(&mut self, review: Arc<AddedReview>) {
        self.reviews.insert(review.position(), review);
    }

    pub(crate) fn remove_review(&mut self, review: &AddedReview) {
        self.reviews.remove(&review.position());
    }

    pub(crate) fn add_question(&mut self, question: Arc<AddedQuestion>) {
        self.questions.insert((Reverse(question.at), Reverse(question.arrival)), question);
    }

    /// Hides the review of a row.
    pub(crate) fn hide(&mut self, row: u32) {
        *Arc::make_mut(&mut self.hidden).0.entry(row / 64).or_default() |= 1 << (row % 64);
    }

    /// The rows that are not listed.
    pub(crate) fn hidden(&self) -> &HiddenRows {
        &self.hidden
    }

    /// The added and changed reviews that pass a filter, in the order of the list.
    pub(crate) fn select<'a>(&'a self, filter: &'a Filter<'a>) -> impl Iterator<Item = &'a Arc<AddedReview>> {
        self.reviews.values().filter(|review| filter.matches(review.values))
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
    let hidden = added.map(Additions::hidden);
    let added = added.into_iter().flat_map(|added| added.select(filter));
    let added = added.filter(move |review| needle.as_ref().is_none_or(|needle| needle.is_in(&review.record)));
    let order = |seeded: &ListedReview<'_>, added: &ListedReview<'_>| order(dataset, *seeded, *added);
    let rows = dataset.reviews.select(filter).without(hidden);
    Merged::new(Seeded { rows, search }, added.map(ListedReview::Added), order)
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
        let at = |question: &ListedQuestion<'_>| match question {
            ListedQuestion::Seeded(row) => row.at,
            ListedQuestion::Added(question) => question.at,
        };
        // What arrived comes before what was there.
        at(seeded).cmp(&at(added)).then(Ordering::Less)
    };
    Merged::new(rows.map(ListedQuestion::Seeded), added.map(ListedQuestion::Added), order)
}

/// Compares a review of the dataset with an added one: by day, then what arrived is the later one, else by id (`docs/api.md` 3).
fn order(dataset: &Dataset, seeded: ListedReview<'_>, added: ListedReview<'_>) -> Ordering {
    let day = |review| match review {
        ListedReview::Seeded(row) => dataset.reviews.day[row as usize],
        ListedReview::Added(review) => review.values.day,
    };
    let id = |review| match review {
        ListedReview::Seeded(row) => dataset.review_id(row).map(|id| id.to_string()).unwrap_or_default(),
        ListedReview::Added(review) => review.id.clone(),
    };
    let has_arrived = matches!(added, ListedReview::Added(review) if review.arrival.is_some());
    day(seeded)
        .cmp(&day(added))
        .then_with(|| if has_arrived { Ordering::Less } else { ids::compare(&id(seeded), &id(added)) })
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
