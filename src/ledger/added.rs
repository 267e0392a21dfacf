//! Reviews and questions that were added to a world. Each has its id from the moment it is added, and keeps it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwapOption;

use crate::api::ids::draw_free;
use crate::api::sources;
use crate::dataset::added::ByLocation;
use crate::dataset::facts::Dataset;
use crate::dataset::records::{Question, Review};
use crate::draw::Draw;

/// What was added.
#[derive(Debug, Default)]
pub struct Added {
    /// A mutex: it is held for one addition, or to lay all of them beside another dataset.
    records: Mutex<Records>,
    /// Every request for facts asks for this, and few worlds have any: one atomic read tells that there is none.
    /// Written under the lock of the records alone, so that it is never older than they are.
    beside: ArcSwapOption<Beside>,
}

/// All that was added, beside one dataset.
#[derive(Debug)]
pub struct Beside {
    /// Number of that dataset.
    of: u64,
    /// The records.
    pub facts: Dataset,
}

/// In the order added, with the numbers of their locations.
#[derive(Debug, Default)]
struct Records {
    /// With the alias of the source, whose place may be another after a reload.
    reviews: Vec<(u64, String, Review)>,
    questions: Vec<(u64, Question)>,
}

/// An id that is not free in the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// What has it: a review, a question or an answer.
    pub what: &'static str,
    /// The id.
    pub id: String,
}

impl Added {
    /// What was added, beside that dataset; none where nothing was.
    #[must_use]
    pub fn beside(&self, dataset: &Dataset) -> Option<Arc<Beside>> {
        let known = self.beside.load_full()?;
        if known.of == dataset.number {
            return Some(known);
        }
        self.current(&self.records(), dataset)
    }

    /// Adds a review of a location, and tells its id and all that was added. An id that it does not have is drawn from
    /// (seed, location, how many were added there before).
    ///
    /// # Errors
    /// Where a review of the account has its id.
    pub fn review(
        &self,
        dataset: &Dataset,
        place: u32,
        mut review: Review,
    ) -> Result<(String, Arc<Beside>), Taken> {
        let mut records = self.records();
        let before = self.current(&records, dataset);
        let facts = both(dataset, before.as_deref());
        let (account, location) = (dataset.account_of(place), dataset.location(place).number);
        let taken = |id: &str| facts.iter().any(|facts| facts.has_review(account, id));
        let id = match review.id {
            Some(id) if taken(&id) => return Err(Taken { what: "review", id }),
            Some(id) => id,
            None => {
                let earlier = records.reviews.iter().filter(|(other, ..)| *other == location).count();
                let draw = Draw::new(dataset.seed, "added-review").with(location).with(earlier as u64);
                draw_free(draw, |id| taken(&id.to_string())).to_string()
            }
        };
        review.id = Some(id.clone());
        let source = dataset.sources.get(usize::from(review.source));
        let alias = source.map(|source| source.alias.clone()).unwrap_or_default();
        records.reviews.push((location, alias, review));
        Ok((id, self.lay(&records, dataset)))
    }

    /// Adds a question; the same holds for its id, and for those of its answers.
    ///
    /// # Errors
    /// Where a question of the account has its id, or an answer that of an answer of it.
    pub fn question(
        &self,
        dataset: &Dataset,
        place: u32,
        mut question: Question,
    ) -> Result<(u64, Arc<Beside>), Taken> {
        let mut records = self.records();
        let before = self.current(&records, dataset);
        let facts = both(dataset, before.as_deref());
        let (account, location) = (dataset.account_of(place), dataset.location(place).number);
        let earlier = records.questions.iter().filter(|(other, _)| *other == location).count();
        let draw = Draw::new(dataset.seed, "added-question").with(location).with(earlier as u64);

        let taken = |id| facts.iter().any(|facts| facts.has_question(account, id));
        let id = match question.id {
            Some(id) if taken(id) => return Err(Taken { what: "question", id: id.to_string() }),
            Some(id) => id,
            None => draw_free(draw.clone(), taken),
        };
        question.id = Some(id);
        let mut own: Vec<u64> = question.answers.iter().filter_map(|answer| answer.id).collect();
        let taken = |id| facts.iter().any(|facts| facts.has_answer(account, id));
        if let Some(id) = own.iter().find(|id| taken(**id)) {
            return Err(Taken { what: "answer", id: id.to_string() });
        }
        for (answer, at) in question.answers.iter_mut().zip(1..).filter(|(answer, _)| answer.id.is_none()) {
            let id = draw_free(draw.with(at), |id| own.contains(&id) || taken(id));
            own.push(id);
            answer.id = Some(id);
        }
        records.questions.push((location, question));
        Ok((id, self.lay(&records, dataset)))
    }

    /// As if nothing had been added.
    pub fn clear(&self) {
        let mut records = self.records();
        *records = Records::default();
        self.beside.store(None);
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The records beside a dataset; none where there are none.
    fn current(&self, records: &Records, dataset: &Dataset) -> Option<Arc<Beside>> {
        if records.is_empty() {
            return None;
        }
        let known = self.beside.load_full().filter(|known| known.of == dataset.number);
        Some(known.unwrap_or_else(|| self.lay(records, dataset)))
    }

    /// Lays the records beside a dataset, for all who ask from now on.
    fn lay(&self, records: &Records, dataset: &Dataset) -> Arc<Beside> {
        let beside = Arc::new(Beside { of: dataset.number, facts: records.beside(dataset) });
        self.beside.store(Some(Arc::clone(&beside)));
        beside
    }
}

fn both<'a>(dataset: &'a Dataset, beside: Option<&'a Beside>) -> Vec<&'a Dataset> {
    std::iter::once(dataset).chain(beside.map(|beside| &beside.facts)).collect()
}

impl Records {
    const fn is_empty(&self) -> bool {
        self.reviews.is_empty() && self.questions.is_empty()
    }

    /// Those whose location and source are there.
    fn beside(&self, dataset: &Dataset) -> Dataset {
        let (mut reviews, mut questions) = (ByLocation::new(), ByLocation::new());
        for (location, alias, review) in &self.reviews {
            let place = sources::find(&dataset.sources, alias).and_then(|place| u16::try_from(place).ok());
            if let Some(source) = place {
                let review = Review { source, ..review.clone() };
                reviews.entry(*location).or_insert_with(Vec::new).push(review);
            }
        }
        for (location, question) in &self.questions {
            questions.entry(*location).or_insert_with(Vec::new).push(question.clone());
        }
        dataset.beside(reviews, questions)
    }
}
