//! Added and changed records of a world as its snapshot has them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, RwLock};

use serde::{Deserialize, Serialize};

use crate::api::sources;
use crate::clock::Moment;
use crate::dataset::added::{AddedQuestion, AddedReview};
use crate::dataset::arrival::ReviewChange;
use crate::dataset::facts::Dataset;
use crate::dataset::records::{Question, Review};
use crate::ledger::added::{AddedRecords, ArrivedReview, Lists, Records};
use crate::ledger::changed::{SeededChange, SeededChanges};
use crate::memory::Memory;

/// Reviews and questions that arrived, and how reviews of the scenario were changed.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SavedRecords {
    reviews: Vec<SavedReview>,
    questions: Vec<SavedQuestion>,
    changes: Vec<SavedChange>,
    /// How many were added to each location.
    review_counts: BTreeMap<u64, u32>,
    question_counts: BTreeMap<u64, u32>,
    arrivals: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedReview {
    arrival: u64,
    /// Number of its location.
    location: u64,
    /// Alias of its source.
    source: String,
    record: Review,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedQuestion {
    arrival: u64,
    location: u64,
    index: u32,
    id: u64,
    at: Moment,
    record: Question,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedChange {
    /// Number of the account.
    account: u64,
    id: String,
    /// None if the review is taken down.
    change: Option<ReviewChange>,
}

/// The largest sentiment of a review.
const SENTIMENT: u16 = 1_000;

impl AddedRecords {
    pub(crate) fn save(&self) -> SavedRecords {
        let records = self.records();
        let review = |(arrival, arrived): (&u64, &ArrivedReview)| SavedReview {
            arrival: *arrival,
            location: arrived.location,
            source: arrived.source.clone(),
            record: arrived.review.record.clone(),
        };
        let question = |(location, added): &(u64, Arc<AddedQuestion>)| SavedQuestion {
            arrival: added.arrival,
            location: *location,
            index: added.index,
            id: added.id,
            at: added.at,
            record: added.record.clone(),
        };
        let changes = records.changes.0.iter().map(|((account, id), change)| SavedChange {
            account: *account,
            id: id.clone(),
            change: match change {
                SeededChange::Changed(change, _) => Some(change.clone()),
                SeededChange::TakenDown => None,
            },
        });
        SavedRecords {
            reviews: records.reviews.iter().map(review).collect(),
            questions: records.questions.iter().map(question).collect(),
            changes: changes.collect(),
            review_counts: records.review_counts.clone(),
            question_counts: records.question_counts.clone(),
            arrivals: records.arrivals,
        }
    }

    /// The records of a snapshot, in a world with that dataset and memory. Those whose location or source the dataset does
    /// not have are left out.
    ///
    /// # Errors
    /// They are not whole, or there is no room for them.
    pub(crate) fn restored(
        saved: SavedRecords,
        dataset: &Dataset,
        memory: &Arc<Memory>,
    ) -> Result<Self, String> {
        let is_empty = saved.reviews.is_empty() && saved.questions.is_empty() && saved.changes.is_empty();
        let mut records = Records {
            review_counts: saved.review_counts,
            question_counts: saved.question_counts,
            arrivals: saved.arrivals,
            share: memory.share(0),
            ..Records::default()
        };
        for review in saved.reviews {
            records.restore_review(review, dataset)?;
        }
        for question in saved.questions {
            records.restore_question(question, dataset)?;
        }
        for SavedChange { account, id, change } in saved.changes {
            let change = change.map_or(SeededChange::TakenDown, |change| SeededChange::Changed(change, None));
            records.changes.0.insert((account, id), change);
        }
        let lists = if is_empty {
            Lists::default()
        } else {
            Lists { dataset: Some(dataset.number), additions: Arc::new(records.additions(dataset)) }
        };
        let sizes = records.changes.0.iter().map(|(key, change)| match change {
            SeededChange::Changed(_, Some(review)) => review.record.added_size(),
            SeededChange::Changed(_, None) | SeededChange::TakenDown => SeededChanges::size(key),
        });
        let size = sizes.sum();
        records.take(size)?;
        Ok(Self { records: Mutex::new(records), lists: RwLock::new(lists) })
    }
}

impl Records {
    fn take(&mut self, size: usize) -> Result<(), String> {
        self.share.replace(0, size).map_err(|full| crate::ledger::Full::from(full).to_string())
    }

    fn check_arrival(&self, arrival: u64) -> Result<(), String> {
        if (1..=self.arrivals).contains(&arrival) { Ok(()) } else { Err("a record never arrived".to_owned()) }
    }

    fn restore_review(&mut self, saved: SavedReview, dataset: &Dataset) -> Result<(), String> {
        let SavedReview { arrival, location, source, mut record } = saved;
        self.check_arrival(arrival)?;
        let id = record.id.clone().ok_or("a review has no id")?;
        if record.rating > 5 || record.sentiment.is_some_and(|sentiment| sentiment > SENTIMENT) {
            return Err(format!("review {id} has a rating or sentiment that there is none of"));
        }
        let index = sources::find(&dataset.sources, &source).and_then(|index| u16::try_from(index).ok());
        let Some((place, index)) = dataset.location_at(location).zip(index) else { return Ok(()) };
        record.source = index;
        self.take(record.added_size())?;
        let account = dataset.account(dataset.account_of(place)).number;
        let review = Arc::new(AddedReview::new(dataset, place, id.clone(), record, Some(arrival)));
        let is_double = self.review_ids.insert((account, id), arrival).is_some();
        let arrived = ArrivedReview { location, account, source, review };
        if self.reviews.insert(arrival, arrived).is_some() || is_double {
            return Err("a review is there twice".to_owned());
        }
        Ok(())
    }

    fn restore_question(&mut self, saved: SavedQuestion, dataset: &Dataset) -> Result<(), String> {
        let SavedQuestion { arrival, location: number, index, id, at, record } = saved;
        self.check_arrival(arrival)?;
        let Some(location) = dataset.location_at(number) else { return Ok(()) };
        self.take(record.added_size())?;
        let account = dataset.account(dataset.account_of(location)).number;
        if !self.question_ids.insert((account, id)) {
            return Err("a question is there twice".to_owned());
        }
        self.answer_ids.extend(record.answers.iter().filter_map(|answer| answer.id).map(|id| (account, id)));
        let added = AddedQuestion { id, at, record, location, index, arrival };
        self.questions.push((number, Arc::new(added)));
        Ok(())
    }
}
