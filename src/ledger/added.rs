//! Reviews and questions that were added to a world. Each gets its id when it is added, and keeps it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::api::ids::draw_free;
use crate::api::sources;
use crate::dataset::added::{AddedQuestion, AddedReview, Additions};
use crate::dataset::facts::Dataset;
use crate::dataset::records::{Question, Review};
use crate::draw::Draw;
use crate::ledger::Full;
use crate::memory::{Memory, Share};

/// All records that were added to a world.
#[derive(Debug, Default)]
pub(crate) struct AddedRecords {
    /// Held while a record is added or the lists are rebuilt.
    records: Mutex<Records>,
    /// What requests read: each takes a reference and releases the lock at once. Written only while `records` is locked,
    /// so the two always agree.
    lists: RwLock<Lists>,
}

/// The records in the order in which they were added, each with the number of its location.
#[derive(Debug, Default)]
struct Records {
    /// With the alias of the source, whose index may change with a reload.
    reviews: Vec<(u64, String, Arc<AddedReview>)>,
    questions: Vec<(u64, Arc<AddedQuestion>)>,
    /// How many reviews and questions were added to each location.
    review_counts: BTreeMap<u64, u32>,
    question_counts: BTreeMap<u64, u32>,
    share: Share,
}

/// The records as additions to one dataset, without those whose location or source it does not have.
#[derive(Debug, Default)]
struct Lists {
    /// The number of that dataset; none if nothing has been added.
    dataset: Option<u64>,
    /// Extended in place unless a request is reading it; then copied.
    additions: Arc<Additions>,
}

/// Why a record is not added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotAdded {
    /// The account has the id already, of a review, a question or an answer.
    IdTaken { what: &'static str, id: String },
    /// There is no room for it.
    Full(Full),
}

fn taken(what: &'static str, id: String) -> NotAdded {
    NotAdded::IdTaken { what, id }
}

impl AddedRecords {
    /// No records, in a world with that memory.
    pub(crate) fn new(memory: &Arc<Memory>) -> Self {
        let records = Records { share: memory.share(0), ..Records::default() };
        Self { records: Mutex::new(records), ..Self::default() }
    }

    /// Whether `read` has to rebuild the lists for a dataset, which takes long if there are many records.
    pub(crate) fn is_stale(&self, dataset: &Dataset) -> bool {
        self.lists().dataset.is_some_and(|number| number != dataset.number)
    }

    /// The additions to a dataset; none if nothing has been added.
    pub(crate) fn read(&self, dataset: &Dataset) -> Option<Arc<Additions>> {
        let lists = self.lists();
        match lists.dataset? {
            number if number == dataset.number => Some(Arc::clone(&lists.additions)),
            // The first request after a reload.
            _ => {
                drop(lists);
                let mut records = self.records();
                self.rebuild_if_stale(&mut records, dataset);
                Some(Arc::clone(&self.lists().additions))
            }
        }
    }

    /// Adds a review to a location. Without an id it gets one drawn from seed, location, and the number of reviews added
    /// there before.
    ///
    /// # Errors
    /// A review of the account has the id, or there is no room.
    pub(crate) fn add_review(
        &self,
        dataset: &Dataset,
        location: u32,
        mut review: Review,
    ) -> Result<Arc<AddedReview>, NotAdded> {
        let mut records = self.records();
        self.rebuild_if_stale(&mut records, dataset);
        let (account, number) = (dataset.account_of(location), dataset.location(location).number);
        let count = records.review_counts.get(&number).copied().unwrap_or_default();
        let is_taken =
            |id: &str| dataset.has_review(account, id) || self.lists().additions.has_review(account, id);
        let size = review.added_size();
        let id = match review.id {
            Some(id) if is_taken(&id) => return Err(taken("review", id)),
            Some(id) => id,
            None => {
                let draw = Draw::new(dataset.seed, "added-review").with(number).with(count.into());
                draw_free(draw, |id| is_taken(&id.to_string())).to_string()
            }
        };
        review.id = Some(id.clone());
        let source = dataset.sources.get(usize::from(review.source));
        let alias = source.map(|source| source.alias.clone()).unwrap_or_default();
        records.share.replace(0, size).map_err(|full| NotAdded::Full(full.into()))?;
        let added = Arc::new(AddedReview::new(dataset, location, id, review));
        records.reviews.push((number, alias, Arc::clone(&added)));
        records.review_counts.insert(number, count + 1);
        Arc::make_mut(&mut self.write_lists().additions).add_review(dataset, Arc::clone(&added));
        Ok(added)
    }

    /// Adds a question to a location. It and its answers get ids as a review does.
    ///
    /// # Errors
    /// A question of the account has the question's id, or an answer that of an answer, or there is no room.
    pub(crate) fn add_question(
        &self,
        dataset: &Dataset,
        location: u32,
        mut question: Question,
    ) -> Result<Arc<AddedQuestion>, NotAdded> {
        let mut records = self.records();
        self.rebuild_if_stale(&mut records, dataset);
        let (account, number) = (dataset.account_of(location), dataset.location(location).number);
        let index = records.question_counts.get(&number).copied().unwrap_or_default();
        let draw = Draw::new(dataset.seed, "added-question").with(number).with(index.into());

        let size = question.added_size();
        let is_taken =
            |id| dataset.has_question(account, id) || self.lists().additions.has_question(account, id);
        let id = match question.id {
            Some(id) if is_taken(id) => return Err(taken("question", id.to_string())),
            Some(id) => id,
            None => draw_free(draw.clone(), is_taken),
        };
        question.id = Some(id);
        let is_taken = |id| dataset.has_answer(account, id) || self.lists().additions.has_answer(account, id);
        let mut own: Vec<u64> = question.answers.iter().filter_map(|answer| answer.id).collect();
        if let Some(id) = own.iter().find(|id| is_taken(**id)) {
            return Err(taken("answer", id.to_string()));
        }
        for (answer, at) in question.answers.iter_mut().zip(1..).filter(|(answer, _)| answer.id.is_none()) {
            let id = draw_free(draw.with(at), |id| own.contains(&id) || is_taken(id));
            own.push(id);
            answer.id = Some(id);
        }
        records.share.replace(0, size).map_err(|full| NotAdded::Full(full.into()))?;
        let added = Arc::new(AddedQuestion {
            id,
            at: question.at.resolve(dataset.now),
            record: question,
            location,
            index,
        });
        records.questions.push((number, Arc::clone(&added)));
        records.question_counts.insert(number, index + 1);
        Arc::make_mut(&mut self.write_lists().additions).add_question(dataset, Arc::clone(&added));
        Ok(added)
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lists(&self) -> RwLockReadGuard<'_, Lists> {
        self.lists.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_lists(&self) -> RwLockWriteGuard<'_, Lists> {
        self.lists.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rebuilds the lists unless they are those of the dataset.
    fn rebuild_if_stale(&self, records: &mut Records, dataset: &Dataset) {
        if self.lists().dataset != Some(dataset.number) {
            let additions = Arc::new(records.additions(dataset));
            *self.write_lists() = Lists { dataset: Some(dataset.number), additions };
        }
    }
}

impl Records {
    /// The records as additions to a dataset. From now on they are those of that dataset, so that none is there twice.
    fn additions(&mut self, dataset: &Dataset) -> Additions {
        let mut additions = Additions::default();
        for (number, alias, added) in &mut self.reviews {
            let source = sources::find(&dataset.sources, alias).and_then(|index| u16::try_from(index).ok());
            if let (Some(location), Some(source)) = (dataset.location_at(*number), source) {
                let review = Review { source, ..added.record.clone() };
                *added = Arc::new(AddedReview::new(dataset, location, added.id.clone(), review));
                additions.add_review(dataset, Arc::clone(added));
            }
        }
        for (number, added) in &mut self.questions {
            if let Some(location) = dataset.location_at(*number) {
                *added = Arc::new(AddedQuestion { location, ..AddedQuestion::clone(added) });
                additions.add_question(dataset, Arc::clone(added));
            }
        }
        additions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::dates::Day;
    use crate::dataset::added::{self, ListedReview};
    use crate::dataset::facts::fixture;
    use crate::dataset::records::Reviewer;
    use crate::dataset::selection::Filter;
    use crate::memory::Limits;

    fn review(id: Option<&str>, day: i32) -> Review {
        Review {
            id: id.map(str::to_owned),
            rating: 5,
            day: Day(day).into(),
            source: 0,
            comments: None,
            title: None,
            published: true,
            response: None,
            response_day: None,
            sentiment: None,
            mentions: 1,
            reviewer: Reviewer::default(),
            review_url: None,
            unique_review_url: None,
            enable_reply: None,
            customer_id: None,
            extra: BTreeMap::new(),
        }
    }

    fn ids(additions: &Additions) -> Vec<&str> {
        additions.select(&EVERY).map(|review| review.id.as_str()).collect()
    }

    const EVERY: Filter<'_> = Filter {
        locations: None,
        from: None,
        to: None,
        updated_from: None,
        updated_to: None,
        ratings: None,
        sources: None,
        published: None,
    };

    #[test]
    fn an_addition_touches_none_of_the_earlier_ones_unless_a_request_reads_them() {
        let (dataset, records) = (fixture::generated(10), AddedRecords::default());
        let lists = || Arc::as_ptr(&records.read(&dataset).unwrap());
        let first = records.add_review(&dataset, 0, review(None, 20_000)).unwrap();
        let before = lists();
        for day in 0..500 {
            records.add_review(&dataset, 0, review(None, 20_000 + day % 7)).unwrap();
        }
        assert_eq!(lists(), before, "the lists were extended in place");
        let reading = records.read(&dataset).unwrap();
        assert!(reading.select(&EVERY).any(|review| Arc::ptr_eq(review, &first)));
        let count = reading.select(&EVERY).count();
        records.add_review(&dataset, 0, review(None, 20_000)).unwrap();
        assert_eq!(reading.select(&EVERY).count(), count, "a request keeps what it reads");
        assert_eq!(records.read(&dataset).unwrap().select(&EVERY).count(), count + 1);
    }

    #[test]
    fn additions_are_listed_among_the_seeded_by_day_and_then_by_id() {
        let (dataset, records) = (fixture::generated(20), AddedRecords::default());
        for (id, day) in [("9", 20_100), ("10", 20_100), ("b", 20_100), ("1", 20_365), ("2", 19_000)] {
            records.add_review(&dataset, 1, review(Some(id), day)).unwrap();
        }
        let additions = records.read(&dataset).unwrap();
        assert_eq!(ids(&additions), ["1", "b", "10", "9", "2"]);
        let listed: Vec<_> = added::reviews(&dataset, Some(&additions), &EVERY, None).collect();
        assert_eq!(listed.len(), 25);
        let days = listed.iter().map(|review| dataset.listed_review(*review).unwrap().day);
        assert!(days.is_sorted_by(|a, b| a >= b));
        assert!(matches!(listed[0], ListedReview::Added(_)) && matches!(listed[24], ListedReview::Added(_)));
    }

    #[test]
    fn a_reload_keeps_additions_and_ids_stay_taken() {
        let (dataset, reloaded) = (fixture::generated(10), fixture::generated(12));
        let records = AddedRecords::default();
        let drawn = records.add_review(&dataset, 0, review(None, 20_000)).unwrap().id.clone();
        records.add_review(&dataset, 1, review(Some("x"), 20_001)).unwrap();
        assert_eq!(ids(&records.read(&reloaded).unwrap()), ["x", &drawn]);
        let taken = records.add_review(&reloaded, 0, review(Some("x"), 20_002)).unwrap_err();
        assert_eq!(taken, NotAdded::IdTaken { what: "review", id: "x".to_owned() });
        let reset = AddedRecords::default();
        assert!(reset.read(&reloaded).is_none());
        assert_eq!(reset.add_review(&dataset, 0, review(None, 20_000)).unwrap().id, drawn);
    }

    #[test]
    fn what_has_no_room_is_not_added() {
        let (dataset, all) = (fixture::generated(10), Arc::default());
        let records = AddedRecords::new(&Memory::new(Limits { world: 10_000, all: 10_000 }, all));
        let long = |length| Review { comments: Some("x".repeat(length)), ..review(None, 20_000) };
        records.add_review(&dataset, 0, long(6_000)).unwrap();
        assert!(matches!(records.add_review(&dataset, 0, long(6_000)), Err(NotAdded::Full(_))));
        records.add_review(&dataset, 0, long(10)).unwrap();
        assert_eq!(records.read(&dataset).unwrap().select(&EVERY).count(), 2);
    }
}
