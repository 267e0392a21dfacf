//! Reviews and questions that were added to a world. Each gets its id when it is added, and keeps it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::api::ids::draw_free;
use crate::api::sources;
use crate::dataset::added::{AddedQuestion, AddedReview, Additions};
use crate::dataset::facts::Dataset;
use crate::dataset::records::{Question, Review};
use crate::draw::Draw;

/// All records that were added to a world.
#[derive(Debug, Default)]
pub struct AddedRecords {
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
    reviews: Vec<(u64, String, Review)>,
    questions: Vec<(u64, Arc<AddedQuestion>)>,
    /// How many reviews and questions were added to each location.
    review_counts: BTreeMap<u64, u32>,
    question_counts: BTreeMap<u64, u32>,
}

/// The records as additions to one dataset, without those whose location or source it does not have.
#[derive(Debug, Default)]
struct Lists {
    /// The number of that dataset; none if nothing has been added.
    dataset: Option<u64>,
    /// Extended in place unless a request is reading it; then copied.
    additions: Arc<Additions>,
}

/// The error of an id that the account has already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdTaken {
    /// What has the id: a review, a question or an answer.
    pub what: &'static str,
    pub id: String,
}

impl AddedRecords {
    /// The additions to a dataset; none if nothing has been added.
    pub fn read(&self, dataset: &Dataset) -> Option<Arc<Additions>> {
        let lists = self.lists();
        match lists.dataset? {
            number if number == dataset.number => Some(Arc::clone(&lists.additions)),
            // The first request after a reload.
            _ => {
                drop(lists);
                let records = self.records();
                self.rebuild_if_stale(&records, dataset);
                Some(Arc::clone(&self.lists().additions))
            }
        }
    }

    /// Adds a review to a location. Without an id it gets one drawn from seed, location, and the number of reviews added
    /// there before.
    ///
    /// # Errors
    /// A review of the account has the id.
    pub fn add_review(
        &self,
        dataset: &Dataset,
        location: u32,
        mut review: Review,
    ) -> Result<Arc<AddedReview>, IdTaken> {
        let mut records = self.records();
        self.rebuild_if_stale(&records, dataset);
        let (account, number) = (dataset.account_of(location), dataset.location(location).number);
        let count = records.review_counts.get(&number).copied().unwrap_or_default();
        let taken =
            |id: &str| dataset.has_review(account, id) || self.lists().additions.has_review(account, id);
        let id = match review.id {
            Some(id) if taken(&id) => return Err(IdTaken { what: "review", id }),
            Some(id) => id,
            None => {
                let draw = Draw::new(dataset.seed, "added-review").with(number).with(count.into());
                draw_free(draw, |id| taken(&id.to_string())).to_string()
            }
        };
        review.id = Some(id.clone());
        let source = dataset.sources.get(usize::from(review.source));
        let alias = source.map(|source| source.alias.clone()).unwrap_or_default();
        records.reviews.push((number, alias, review.clone()));
        records.review_counts.insert(number, count + 1);
        let added = Arc::new(AddedReview::new(dataset, location, id, review));
        Arc::make_mut(&mut self.write_lists().additions).add_review(dataset, Arc::clone(&added));
        Ok(added)
    }

    /// Adds a question to a location. It and its answers get ids as a review does.
    ///
    /// # Errors
    /// A question of the account has the question's id, or an answer that of an answer.
    pub fn add_question(
        &self,
        dataset: &Dataset,
        location: u32,
        mut question: Question,
    ) -> Result<Arc<AddedQuestion>, IdTaken> {
        let mut records = self.records();
        self.rebuild_if_stale(&records, dataset);
        let (account, number) = (dataset.account_of(location), dataset.location(location).number);
        let index = records.question_counts.get(&number).copied().unwrap_or_default();
        let draw = Draw::new(dataset.seed, "added-question").with(number).with(index.into());

        let taken =
            |id| dataset.has_question(account, id) || self.lists().additions.has_question(account, id);
        let id = match question.id {
            Some(id) if taken(id) => return Err(IdTaken { what: "question", id: id.to_string() }),
            Some(id) => id,
            None => draw_free(draw.clone(), taken),
        };
        question.id = Some(id);
        let taken = |id| dataset.has_answer(account, id) || self.lists().additions.has_answer(account, id);
        let mut own: Vec<u64> = question.answers.iter().filter_map(|answer| answer.id).collect();
        if let Some(id) = own.iter().find(|id| taken(**id)) {
            return Err(IdTaken { what: "answer", id: id.to_string() });
        }
        for (answer, at) in question.answers.iter_mut().zip(1..).filter(|(answer, _)| answer.id.is_none()) {
            let id = draw_free(draw.with(at), |id| own.contains(&id) || taken(id));
            own.push(id);
            answer.id = Some(id);
        }
        let added = Arc::new(AddedQuestion { id, record: question, location, index });
        records.questions.push((number, Arc::clone(&added)));
        records.question_counts.insert(number, index + 1);
        Arc::make_mut(&mut self.write_lists().additions).add_question(dataset, Arc::clone(&added));
        Ok(added)
    }

    /// Removes all added records.
    pub fn clear(&self) {
        let mut records = self.records();
        *records = Records::default();
        *self.write_lists() = Lists::default();
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
    fn rebuild_if_stale(&self, records: &Records, dataset: &Dataset) {
        if self.lists().dataset != Some(dataset.number) {
            let additions = Arc::new(records.additions(dataset));
            *self.write_lists() = Lists { dataset: Some(dataset.number), additions };
        }
    }
}

impl Records {
    fn additions(&self, dataset: &Dataset) -> Additions {
        let mut additions = Additions::default();
        for (number, alias, review) in &self.reviews {
            let source = sources::find(&dataset.sources, alias).and_then(|index| u16::try_from(index).ok());
            if let (Some(location), Some(source)) = (dataset.location_at(*number), source) {
                let review = Review { source, ..review.clone() };
                let id = review.id.clone().unwrap_or_default();
                additions.add_review(dataset, Arc::new(AddedReview::new(dataset, location, id, review)));
            }
        }
        for (number, question) in &self.questions {
            if let Some(location) = dataset.location_at(*number) {
                let question = AddedQuestion { location, ..AddedQuestion::clone(question) };
                additions.add_question(dataset, Arc::new(question));
            }
        }
        additions
    }
}
