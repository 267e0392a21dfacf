//! Reviews of a scenario that were changed or taken down in a world.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::dates::Day;
use crate::dataset::added::{AddedReview, Additions};
use crate::dataset::arrival::{Answered, ResponseChange, ReviewChange};
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::records::Review;
use crate::ledger::Full;
use crate::ledger::added::Records;
use crate::memory::heap;

/// The number of an account, and the id of one of its reviews.
pub(super) type ReviewKey = (u64, String);

/// The changed reviews. They outlast a reload, as long as the scenario has the review.
#[derive(Debug, Default)]
pub(super) struct SeededChanges(pub(super) BTreeMap<ReviewKey, SeededChange>);

#[derive(Debug)]
pub(super) enum SeededChange {
    /// All changes together, and the review as it is shown, if the dataset has it.
    Changed(ReviewChange, Option<Arc<AddedReview>>),
    TakenDown,
}

/// A review of a world.
#[derive(Debug)]
pub(super) enum Found {
    /// The number of its arrival.
    Arrived(u64),
    /// A review of the dataset, changed or not.
    Seeded { key: ReviewKey, row: u32 },
}

/// Why a review is not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotChanged {
    Unknown,
    /// No review has arrived yet.
    NoneArrived,
    /// Several accounts have a review of that id: their numbers.
    Ambiguous(Vec<u64>),
    /// There is a day for a response, but no response.
    NoResponse,
    Full(Full),
}

/// The review after a change that is made on a day.
pub(super) fn changed(mut review: Review, change: &ReviewChange, today: Day) -> Result<Review, NotChanged> {
    match &change.response {
        ResponseChange::Write(response) => {
            review.response = Some(response.clone());
            review.response_day = Some(today.into());
        }
        ResponseChange::TakeAway => (review.response, review.response_day) = (None, None),
        ResponseChange::Keep => {}
    }
    if let Some(day) = change.response_day {
        if review.response.is_none() {
            return Err(NotChanged::NoResponse);
        }
        review.response_day = Some(day.resolve(today).into());
    }
    review.published = change.published.unwrap_or(review.published);
    Ok(review)
}

impl SeededChanges {
    /// Whether a review was changed.
    pub(super) fn has(&self, key: &ReviewKey) -> bool {
        matches!(self.0.get(key), Some(SeededChange::Changed(..)))
    }

    /// About how many bytes it takes that a review is taken down.
    pub(super) const fn size((_, id): &ReviewKey) -> usize {
        200 + heap(id.len())
    }

    /// Records a change that is made on a day.
    pub(super) fn change(
        &mut self,
        key: ReviewKey,
        change: &ReviewChange,
        review: &Arc<AddedReview>,
        today: Day,
    ) {
        let mut all = match self.0.remove(&key) {
            Some(SeededChange::Changed(before, _)) => before,
            Some(SeededChange::TakenDown) | None => ReviewChange::default(),
        };
        match &change.response {
            ResponseChange::Keep => {}
            ResponseChange::TakeAway => (all.response, all.response_day) = (ResponseChange::TakeAway, None),
            written @ ResponseChange::Write(_) => {
                (all.response, all.response_day) = (written.clone(), Some(today.into()));
            }
        }
        all.response_day = change.response_day.map(|day| day.resolve(today).into()).or(all.response_day);
        all.published = change.published.or(all.published);
        self.0.insert(key, SeededChange::Changed(all, Some(Arc::clone(review))));
    }

    pub(super) fn take_down(&mut self, key: ReviewKey) {
        self.0.insert(key, SeededChange::TakenDown);
    }

    /// Applies the changes to another dataset. Those of reviews that it does not have are kept.
    pub(super) fn apply(&mut self, dataset: &Dataset, additions: &mut Additions) {
        for ((account, id), change) in &mut self.0 {
            let row = account_of(dataset, *account).and_then(|account| dataset.find_review(account, id));
            if let Some(row) = row {
                additions.hide(row);
            }
            let SeededChange::Changed(change, shown) = change else { continue };
            *shown = row.and_then(|row| {
                let location = dataset.reviews.location[row as usize];
                let review = dataset.written_out(row)?;
                // A day for a response that the scenario does not have any more means nothing.
                let review = changed(review.clone(), change, dataset.today).unwrap_or(review);
                Some(Arc::new(AddedReview::new(dataset, location, id.clone(), review, None)))
            });
            if let Some(review) = shown {
                additions.put_review(Arc::clone(review));
            }
        }
    }
}

fn account_of(dataset: &Dataset, number: u64) -> Option<u32> {
    match dataset.find(i64::try_from(number).ok()?)? {
        BusinessRef::Account(account) => Some(account),
        BusinessRef::Location(_) => None,
    }
}

impl Records {
    /// Finds a review.
    pub(super) fn find(&self, dataset: &Dataset, which: &Answered) -> Result<Found, NotChanged> {
        let (id, business) = match which {
            Answered::Last => {
                let last = self.reviews.last_key_value();
                return last.map(|(arrival, _)| Found::Arrived(*arrival)).ok_or(NotChanged::NoneArrived);
            }
            Answered::Id { id, business } => (id, business),
        };
        let business = match business {
            Some(number) => {
                let found = i64::try_from(*number).ok().and_then(|number| dataset.find(number));
                Some(found.ok_or(NotChanged::Unknown)?)
            }
            None => None,
        };
        let accounts = dataset
            .accounts()
            .filter(|account| business.is_none_or(|business| dataset.account_at(business) == *account));
        let mut found: Vec<(u64, Found)> = accounts
            .filter_map(|account| {
                let number = dataset.account(account).number;
                let found = self.find_in(dataset, account, (number, id.clone()))?;
                let location = self.shown(dataset, &found)?.values.location;
                let is_there = business.is_none_or(|business| match business {
                    BusinessRef::Account(_) => true,
                    BusinessRef::Location(wanted) => wanted == location,
                });
                is_there.then_some((number, found))
            })
            .collect();
        if found.len() > 1 {
            return Err(NotChanged::Ambiguous(found.iter().map(|(number, _)| *number).collect()));
        }
        found.pop().map(|(_, found)| found).ok_or(NotChanged::Unknown)
    }

    fn find_in(&self, dataset: &Dataset, account: u32, key: ReviewKey) -> Option<Found> {
        if let Some(arrival) = self.review_ids.get(&key) {
            return Some(Found::Arrived(*arrival));
        }
        if matches!(self.changes.0.get(&key), Some(SeededChange::TakenDown)) {
            return None;
        }
        dataset.find_review(account, &key.1).map(|row| Found::Seeded { key, row })
    }

    /// The review as it is shown.
    pub(super) fn shown(&self, dataset: &Dataset, found: &Found) -> Option<Arc<AddedReview>> {
        match found {
            Found::Arrived(arrival) => self.reviews.get(arrival).map(|arrived| Arc::clone(&arrived.review)),
            Found::Seeded { key, row } => {
                if let Some(SeededChange::Changed(_, Some(review))) = self.changes.0.get(key) {
                    return Some(Arc::clone(review));
                }
                let location = dataset.reviews.location[*row as usize];
                let review = dataset.written_out(*row)?;
                Some(Arc::new(AddedReview::new(dataset, location, key.1.clone(), review, None)))
            }
        }
    }
}
