//! Reviews and questions that arrived in a world, and reviews that were changed or taken down there. What arrives gets its id and
//! its number then, and keeps them.

/// The records in a snapshot of a world.
pub(crate) mod saved;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::api::ids::draw_free;
use crate::api::sources;
use crate::clock::Moment;
use crate::dataset::added::{AddedQuestion, AddedReview, Additions};
use crate::dataset::arrival::{Answered, NewQuestion, NewResponse, NewReview, ResponseChange, ReviewChange};
use crate::dataset::facts::Dataset;
use crate::dataset::records::Review;
use crate::draw::Draw;
use crate::ledger::Full;
use crate::ledger::changed::{Found, NotChanged, SeededChanges, changed};
use crate::memory::{Memory, Share};

/// All records that were added to a world, and how its reviews were changed.
#[derive(Debug, Default)]
pub(crate) struct AddedRecords {
    /// Held while a record is added or changed, or the lists are rebuilt.
    records: Mutex<Records>,
    /// What requests read: each takes a reference and releases the lock at once. Written only while `records` is locked,
    /// so the two always agree.
    lists: RwLock<Lists>,
}

/// The records, independent of the dataset.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// By the number of their arrival.
    pub(super) reviews: BTreeMap<u64, ArrivedReview>,
    /// In the order of their arrival, each with the number of its location.
    questions: Vec<(u64, Arc<AddedQuestion>)>,
    /// How reviews of the scenario were changed.
    pub(super) changes: SeededChanges,
    /// The arrival of each review by the number of its account and its id.
    pub(super) review_ids: BTreeMap<(u64, String), u64>,
    /// Ids by the number of their account.
    question_ids: BTreeSet<(u64, u64)>,
    answer_ids: BTreeSet<(u64, u64)>,
    /// How many reviews and questions were added to each location.
    review_counts: BTreeMap<u64, u32>,
    question_counts: BTreeMap<u64, u32>,
    /// How many records arrived.
    arrivals: u64,
    share: Share,
}

/// A review that arrived. Numbers and the alias stay the same over a reload, indexes do not.
#[derive(Debug)]
pub(super) struct ArrivedReview {
    /// Number of its location.
    location: u64,
    /// Number of its account.
    account: u64,
    /// Alias of its source.
    source: String,
    pub(super) review: Arc<AddedReview>,
}

/// The records as additions to one dataset, without those whose location or source it does not have.
#[derive(Debug, Default)]
struct Lists {
    /// The number of that dataset; none if nothing has been added.
    dataset: Option<u64>,
    /// Changed in place unless a request is reading it; then a copy is changed, which shares nearly all of it.
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

    /// The additions to a dataset; none if nothing has been added or changed.
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

    /// Adds a review that arrives now. Without an id it gets one drawn from seed, location, and the number of reviews added there
    /// before; without comments its words are generated.
    ///
    /// # Errors
    /// A review of the account has the id, or there is no room.
    pub(crate) fn add_review(
        &self,
        dataset: &Dataset,
        location: u32,
        new: NewReview,
        now: Moment,
    ) -> Result<Arc<AddedReview>, NotAdded> {
        let mut records = self.records();
        self.rebuild_if_stale(&mut records, dataset);
        let account = dataset.account_of(location);
        let (account_number, number) = (dataset.account(account).number, dataset.location(location).number);
        let count = records.review_counts.get(&number).copied().unwrap_or_default();
        let is_taken = |id: &str| {
            dataset.has_review(account, id)
                || records.review_ids.contains_key(&(account_number, id.to_owned()))
        };
        let mut review = new.record;
        let id = match review.id {
            Some(id) if is_taken(&id) => return Err(taken("review", id)),
            Some(id) => id,
            None => {
                let draw = Draw::new(dataset.seed, "added-review").with(number).with(count.into());
                draw_free(draw, |id| is_taken(&id.to_string())).to_string()
            }
        };
        review.id = Some(id.clone());
        review.day = review.day.resolve(now.day()).into();
        review.response_day = review.response_day.map(|day| day.resolve(now.day()).into());
        if review.comments.is_none() {
            dataset.write_review(location, &mut review, &new.about, count);
        }
        let source = dataset.sources.get(usize::from(review.source));
        let source = source.map(|source| source.alias.clone()).unwrap_or_default();
        records.share.replace(0, review.added_size()).map_err(|full| NotAdded::Full(full.into()))?;
        let arrival = records.next_arrival();
        let added = Arc::new(AddedReview::new(dataset, location, id.clone(), review, Some(arrival)));
        records.review_ids.insert((account_number, id), arrival);
        let review = Arc::clone(&added);
        let arrived = ArrivedReview { location: number, account: account_number, source, review };
        records.reviews.insert(arrival, arrived);
        records.review_counts.insert(number, count + 1);
        Arc::make_mut(&mut self.write_lists().additions).put_review(Arc::clone(&added));
        Ok(added)
    }

    /// Adds a question that arrives now. It and its answers get ids as a review does, and words if it has none.
    ///
    /// # Errors
    /// A question of the account has the question's id, or an answer that of an answer, or there is no room.
    pub(crate) fn add_question(
        &self,
        dataset: &Dataset,
        location: u32,
        new: NewQuestion,
        now: Moment,
    ) -> Result<Arc<AddedQuestion>, NotAdded> {
        let mut records = self.records();
        self.rebuild_if_stale(&mut records, dataset);
        let account = dataset.account_of(location);
        let (account_number, number) = (dataset.account(account).number, dataset.location(location).number);
        let index = records.question_counts.get(&number).copied().unwrap_or_default();
        let draw = Draw::new(dataset.seed, "added-question").with(number).with(index.into());

        let mut question = new.record;
        let is_taken =
            |id| dataset.has_question(account, id) || records.question_ids.contains(&(account_number, id));
        let id = match question.id {
            Some(id) if is_taken(id) => return Err(taken("question", id.to_string())),
            Some(id) => id,
            None => draw_free(draw, is_taken),
        };
        question.id = Some(id);
        let is_taken =
            |id| dataset.has_answer(account, id) || records.answer_ids.contains(&(account_number, id));
        let mut own: Vec<u64> = question.answers.iter().filter_map(|answer| answer.id).collect();
        if let Some(id) = own.iter().find(|id| is_taken(**id)) {
            return Err(taken("answer", id.to_string()));
        }
        for (answer, at) in question.answers.iter_mut().zip(1..).filter(|(answer, _)| answer.id.is_none()) {
            let id = draw_free(draw.with(at), |id| own.contains(&id) || is_taken(id));
            own.push(id);
            answer.id = Some(id);
        }
        let at = question.at.resolve(now);
        question.at = at.into();
        question.answers.iter_mut().for_each(|answer| answer.at = answer.at.resolve(now).into());
        if question.question.trim().is_empty() {
            question.question = dataset.question_words(location, index);
        }
        records.share.replace(0, question.added_size()).map_err(|full| NotAdded::Full(full.into()))?;
        let arrival = records.next_arrival();
        records.question_ids.insert((account_number, id));
        records.answer_ids.extend(own.into_iter().map(|id| (account_number, id)));
        let added = Arc::new(AddedQuestion { id, at, record: question, location, index, arrival });
        records.questions.push((number, Arc::clone(&added)));
        records.question_counts.insert(number, index + 1);
        Arc::make_mut(&mut self.write_lists().additions).add_question(Arc::clone(&added));
        Ok(added)
    }

    /// Adds the owner's response to a review, in place of an earlier one. Without a text its words are generated.
    ///
    /// # Errors
    /// There is no such review, or no room for the response.
    pub(crate) fn respond(
        &self,
        dataset: &Dataset,
        new: &NewResponse,
        now: Moment,
    ) -> Result<Arc<AddedReview>, NotChanged> {
        self.change_review(dataset, &new.review, now, |review| {
            let text = new.text.clone().unwrap_or_else(|| dataset.response_words(review));
            ReviewChange {
                response: ResponseChange::Write(text),
                response_day: Some(new.day),
                ..ReviewChange::default()
            }
        })
    }

    /// Changes a review, of those that arrived or of the dataset. It keeps its place in the lists.
    ///
    /// # Errors
    /// There is no such review, or no room for it.
    pub(crate) fn change_review(
        &self,
        dataset: &Dataset,
        which: &Answered,
        now: Moment,
        change: impl FnOnce(&AddedReview) -> ReviewChange,
    ) -> Result<Arc<AddedReview>, NotChanged> {
        let mut records = self.records();
        self.rebuild_if_stale(&mut records, dataset);
        let found = records.find(dataset, which)?;
        let before = records.shown(dataset, &found).ok_or(NotChanged::Unknown)?;
        let change = &change(&before);
        let record = changed(before.record.clone(), change, now.day())?;
        // A review of the scenario takes no room before it is changed.
        let is_new = matches!(&found, Found::Seeded { key, .. } if !records.changes.has(key));
        let held = if is_new { 0 } else { before.record.added_size() };
        records.share.replace(held, record.added_size()).map_err(|full| NotChanged::Full(full.into()))?;
        let id = before.id.clone();
        let review = AddedReview::new(dataset, before.values.location, id, record, before.arrival);
        let review = Arc::new(review);
        let mut lists = self.write_lists();
        let additions = Arc::make_mut(&mut lists.additions);
        match found {
            Found::Arrived(arrival) => {
                if let Some(arrived) = records.reviews.get_mut(&arrival) {
                    arrived.review = Arc::clone(&review);
                }
            }
            Found::Seeded { key, row } => {
                records.changes.change(key, change, &review, now.day());
                additions.hide(row);
            }
        }
        additions.put_review(Arc::clone(&review));
        Ok(review)
    }

    /// Takes down a review, of those that arrived or of the dataset. Returns it as it was.
    ///
    /// # Errors
    /// There is no such review.
    pub(crate) fn remove_review(
        &self,
        dataset: &Dataset,
        which: &Answered,
    ) -> Result<Arc<AddedReview>, NotChanged> {
        let mut records = self.records();
        self.rebuild_if_stale(&mut records, dataset);
        let found = records.find(dataset, which)?;
        let review = records.shown(dataset, &found).ok_or(NotChanged::Unknown)?;
        let size = review.record.added_size();
        let mut lists = self.write_lists();
        let additions = Arc::make_mut(&mut lists.additions);
        match found {
            Found::Arrived(arrival) => {
                if let Some(ArrivedReview { account, .. }) = records.reviews.remove(&arrival) {
                    records.review_ids.remove(&(account, review.id.clone()));
                }
                let _ = records.share.replace(size, 0);
            }
            Found::Seeded { key, row } => {
                // That it is taken down is kept, which takes less room than a changed review.
                let held = if records.changes.has(&key) { size } else { 0 };
                let kept = SeededChanges::size(&key);
                records.share.replace(held, kept).map_err(|full| NotChanged::Full(full.into()))?;
                records.changes.take_down(key);
                additions.hide(row);
            }
        }
        additions.remove_review(&review);
        Ok(review)
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
    const fn next_arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }

    /// The records as additions to a dataset. From now on they are those of that dataset, so that none is there twice.
    fn additions(&mut self, dataset: &Dataset) -> Additions {
        let mut additions = Additions::default();
        for (arrival, ArrivedReview { location, account, source, review }) in &mut self.reviews {
            let index = sources::find(&dataset.sources, source).and_then(|index| u16::try_from(index).ok());
            let Some((place, source)) = dataset.location_at(*location).zip(index) else { continue };
            let record = Review { source, ..review.record.clone() };
            *review = Arc::new(AddedReview::new(dataset, place, review.id.clone(), record, Some(*arrival)));
            *account = dataset.account(dataset.account_of(place)).number;
            additions.put_review(Arc::clone(review));
        }
        let ids = self.reviews.iter().map(|(arrival, one)| ((one.account, one.review.id.clone()), *arrival));
        self.review_ids = ids.collect();
        for (number, added) in &mut self.questions {
            if let Some(location) = dataset.location_at(*number) {
                *added = Arc::new(AddedQuestion { location, ..AddedQuestion::clone(added) });
                additions.add_question(Arc::clone(added));
            }
        }
        self.changes.apply(dataset, &mut additions);
        additions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::dates::Day;
    use crate::dataset::added::{self, ListedReview};
    use crate::dataset::facts::fixture;
    use crate::dataset::insight::{scores, total};
    use crate::dataset::records::Reviewer;
    use crate::dataset::selection::Filter;
    use crate::memory::Limits;

    const NOW: Moment = Day(20_364).start();

    fn review(id: Option<&str>, day: i32) -> Review {
        Review {
            id: id.map(str::to_owned),
            rating: 5,
            day: Day(day).into(),
            source: 0,
            comments: Some(String::new()),
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

    fn add(
        records: &AddedRecords,
        dataset: &Dataset,
        location: u32,
        record: Review,
    ) -> Result<Arc<AddedReview>, NotAdded> {
        let number = dataset.location(location).number;
        records.add_review(dataset, location, NewReview { location: number, record, about: Vec::new() }, NOW)
    }

    fn with_id(id: &str) -> Answered {
        Answered::Id { id: id.to_owned(), business: None }
    }

    fn change(
        records: &AddedRecords,
        dataset: &Dataset,
        id: &str,
        change: &ReviewChange,
    ) -> Result<Arc<AddedReview>, NotChanged> {
        records.change_review(dataset, &with_id(id), NOW, |_| change.clone())
    }

    fn ids(additions: &Additions) -> Vec<&str> {
        additions.select(&EVERY).map(|review| review.id.as_str()).collect()
    }

    /// The ids of all reviews in the order of the list.
    fn listed(dataset: &Dataset, records: &AddedRecords) -> Vec<String> {
        let additions = records.read(dataset);
        let all = added::reviews(dataset, additions.as_deref(), &EVERY, None);
        all.map(|review| dataset.listed_review(review).unwrap().id.to_string()).collect()
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
    fn an_addition_touches_few_of_the_earlier_ones_even_while_a_request_reads_them() {
        let (dataset, records) = (fixture::generated(10), AddedRecords::default());
        let lists = || Arc::as_ptr(&records.read(&dataset).unwrap());
        let first = add(&records, &dataset, 0, review(None, 20_000)).unwrap();
        let before = lists();
        for day in 0..500 {
            add(&records, &dataset, 0, review(None, 20_000 + day % 7)).unwrap();
        }
        assert_eq!(lists(), before, "the lists were extended in place");
        let reading = records.read(&dataset).unwrap();
        assert!(reading.select(&EVERY).any(|review| Arc::ptr_eq(review, &first)));
        let count = reading.select(&EVERY).count();
        add(&records, &dataset, 0, review(None, 20_000)).unwrap();
        assert_eq!(reading.select(&EVERY).count(), count, "a request keeps what it reads");
        assert_eq!(records.read(&dataset).unwrap().select(&EVERY).count(), count + 1);
    }

    #[test]
    fn what_arrives_comes_before_what_was_there_for_the_same_day_the_latest_first() {
        let (dataset, records) = (fixture::generated(2_000), AddedRecords::default());
        let seeded = listed(&dataset, &records);
        let day = |id: &str| dataset.reviews.day[dataset.find_review(0, id).unwrap() as usize].0;
        let before_day = |wanted: i32| seeded.iter().position(|id| day(id) <= wanted).unwrap();
        for (id, day) in [("9", 20_100), ("99", 20_100), ("b", 20_100), ("1", 20_364), ("2", 19_000)] {
            add(&records, &dataset, 1, review(Some(id), day)).unwrap();
        }
        let mut expected = seeded.clone();
        expected.push("2".to_owned());
        let place = before_day(20_100);
        assert_eq!(day(&seeded[place]), 20_100);
        expected.splice(place..place, ["b", "99", "9"].map(str::to_owned));
        expected.insert(0, "1".to_owned());
        assert_eq!(listed(&dataset, &records), expected);
        let additions = records.read(&dataset).unwrap();
        for skip in [0, 1, place, place + 1, place + 2, place + 4, 1_999, 2_004] {
            let paged = added::reviews(&dataset, Some(&additions), &EVERY, None).skip(skip).take(30);
            let paged: Vec<String> =
                paged.map(|review| dataset.listed_review(review).unwrap().id.to_string()).collect();
            assert_eq!(paged, expected[skip..expected.len().min(skip + 30)], "{skip}");
        }
    }

    #[test]
    fn a_reload_keeps_additions_and_ids_stay_taken() {
        let (dataset, reloaded) = (fixture::generated(10), fixture::generated(12));
        let records = AddedRecords::default();
        let drawn = add(&records, &dataset, 0, review(None, 20_000)).unwrap().id.clone();
        add(&records, &dataset, 1, review(Some("x"), 20_001)).unwrap();
        assert_eq!(ids(&records.read(&reloaded).unwrap()), ["x", &drawn]);
        let taken = add(&records, &reloaded, 0, review(Some("x"), 20_002)).unwrap_err();
        assert_eq!(taken, NotAdded::IdTaken { what: "review", id: "x".to_owned() });
        let reset = AddedRecords::default();
        assert!(reset.read(&reloaded).is_none());
        assert_eq!(add(&reset, &dataset, 0, review(None, 20_000)).unwrap().id, drawn);
    }

    #[test]
    fn what_has_no_room_is_not_added() {
        let (dataset, all) = (fixture::generated(10), Arc::default());
        let records = AddedRecords::new(&Memory::new(Limits { world: 10_000, all: 10_000 }, all));
        let long = |length| Review { comments: Some("x".repeat(length)), ..review(None, 20_000) };
        let first = add(&records, &dataset, 0, long(6_000)).unwrap();
        assert!(matches!(add(&records, &dataset, 0, long(6_000)), Err(NotAdded::Full(_))));
        add(&records, &dataset, 0, long(10)).unwrap();
        assert_eq!(records.read(&dataset).unwrap().select(&EVERY).count(), 2);
        records.remove_review(&dataset, &with_id(&first.id)).unwrap();
        add(&records, &dataset, 0, long(6_000)).unwrap();
    }

    #[test]
    fn a_changed_review_keeps_its_place_and_one_that_is_taken_down_leaves_no_trace() {
        let (dataset, records) = (fixture::generated(300), AddedRecords::default());
        let mut expected = listed(&dataset, &records);
        let parked = ReviewChange { published: Some(false), ..ReviewChange::default() };
        let answered = ReviewChange {
            response: ResponseChange::Write("Thanks".to_owned()),
            response_day: Some(Day(20_365).into()),
            ..ReviewChange::default()
        };
        let of = |additions: &Additions, filter: &Filter<'_>| {
            let all = added::reviews(&dataset, Some(additions), filter, None);
            all.map(|review| dataset.listed_review(review).unwrap().id.to_string()).collect::<Vec<_>>()
        };
        for at in (0..300).step_by(7) {
            change(&records, &dataset, &expected[at], &parked).unwrap();
        }
        let last = change(&records, &dataset, &expected[7], &answered).unwrap();
        assert!(!last.record.published, "one change does not undo another");
        assert_eq!(listed(&dataset, &records), expected);
        let additions = records.read(&dataset).unwrap();
        let updated = Filter { updated_from: Some(Day(20_365)), ..EVERY };
        assert_eq!(of(&additions, &updated), [expected[7].clone()]);
        let published = of(&additions, &Filter { published: Some(true), ..EVERY });
        assert!((0..300).step_by(7).all(|at| !published.contains(&expected[at])));
        for at in (0..300).rev().step_by(11) {
            records.remove_review(&dataset, &with_id(&expected[at])).unwrap();
            let gone = expected.remove(at);
            assert_eq!(change(&records, &dataset, &gone, &parked).unwrap_err(), NotChanged::Unknown);
        }
        assert_eq!(listed(&dataset, &records), expected);
    }

    #[test]
    fn scores_follow_what_is_added_changed_and_taken_down() {
        let (dataset, records) = (fixture::generated(300), AddedRecords::default());
        let all = listed(&dataset, &records);
        for (at, id) in all.iter().enumerate().step_by(5) {
            if at.is_multiple_of(2) {
                records.remove_review(&dataset, &with_id(id)).unwrap();
            } else {
                let parked = ReviewChange { published: Some(false), ..ReviewChange::default() };
                change(&records, &dataset, id, &parked).unwrap();
            }
        }
        add(&records, &dataset, 1, Review { rating: 1, ..review(None, 20_100) }).unwrap();
        let additions = records.read(&dataset).unwrap();
        let days = Filter { from: Some(Day(20_050)), to: Some(Day(20_300)), ..EVERY };
        for filter in [EVERY, days.clone(), Filter { published: Some(true), ..days }] {
            let by_review = [0, 1].map(|location: u32| {
                let filter = Filter { locations: Some(&[location]), ..filter.clone() };
                let locations = [location];
                let filter = Filter { locations: Some(&locations), ..filter };
                let mut score = crate::dataset::insight::Score::default();
                for review in added::reviews(&dataset, Some(&additions), &filter, None) {
                    match review {
                        ListedReview::Seeded(row) => score += dataset.reviews.score_of(row),
                        ListedReview::Added(review) => score.add(review.sentiment, review.record.mentions),
                    }
                }
                score
            });
            assert_eq!(scores(&dataset, Some(&additions), &filter, &[0, 1]), by_review);
            let mut both = by_review[0];
            both += by_review[1];
            assert_eq!(total(&dataset, Some(&additions), &filter, &[0, 1]), both);
        }
    }

    #[test]
    fn changes_outlast_a_reload_and_apply_to_the_review_as_it_is_then() {
        let (dataset, reloaded) = (fixture::generated(10), fixture::generated(12));
        let records = AddedRecords::default();
        let all = listed(&dataset, &records);
        let answered =
            ReviewChange { response: ResponseChange::Write("Thanks".to_owned()), ..ReviewChange::default() };
        change(&records, &dataset, &all[0], &answered).unwrap();
        records.remove_review(&dataset, &with_id(&all[1])).unwrap();
        let after = listed(&reloaded, &records);
        assert_eq!(after.len(), 11);
        assert!(after.contains(&all[0]) && !after.contains(&all[1]));
        let shown = change(&records, &reloaded, &all[0], &ReviewChange::default()).unwrap();
        assert_eq!(shown.record.response.as_deref(), Some("Thanks"));
        assert_eq!(shown.record.response_day.map(|day| day.resolve(Day(0))), Some(Day(20_364)));
    }

    #[test]
    fn an_arrival_is_changed_and_taken_down_like_any_review_and_the_last_one_is_answered() {
        let (dataset, records) = (fixture::generated(10), AddedRecords::default());
        let respond = |text: Option<&str>| {
            let response = NewResponse {
                review: Answered::Last,
                text: text.map(str::to_owned),
                day: crate::dataset::when::GivenDay::TODAY,
            };
            records.respond(&dataset, &response, NOW)
        };
        assert_eq!(respond(None).unwrap_err(), NotChanged::NoneArrived);
        for id in ["a", "b"] {
            add(&records, &dataset, 0, review(Some(id), 20_364)).unwrap();
        }
        let answered = respond(Some("So sorry.")).unwrap();
        assert_eq!((answered.id.as_str(), answered.record.response.as_deref()), ("b", Some("So sorry.")));
        let generated = respond(None).unwrap().record.response.clone().unwrap();
        assert!(generated.len() > 10, "{generated}");
        assert_eq!(listed(&dataset, &records)[..2], ["b", "a"]);
        records.remove_review(&dataset, &with_id("b")).unwrap();
        assert_eq!(respond(None).unwrap().id, "a");
        add(&records, &dataset, 0, review(Some("b"), 20_364)).unwrap();
        let none = ReviewChange { response: ResponseChange::TakeAway, ..ReviewChange::default() };
        assert_eq!(change(&records, &dataset, "a", &none).unwrap().record.response, None);
        let day_alone = ReviewChange { response_day: Some(Day(1).into()), ..ReviewChange::default() };
        assert_eq!(change(&records, &dataset, "a", &day_alone).unwrap_err(), NotChanged::NoResponse);
    }

    #[test]
    fn words_are_generated_where_none_are_given() {
        let (dataset, records) = (fixture::generated(300), AddedRecords::default());
        let silent = Review { comments: None, ..review(None, 20_364) };
        let arrive = |review: Review| add(&records, &dataset, 0, review).unwrap().record.clone();
        let first = arrive(silent.clone());
        let second = arrive(silent.clone());
        assert!(first.comments.as_ref().is_some_and(|words| words.len() > 10), "{first:?}");
        assert!(first.reviewer.first_name.is_some() && first.comments != second.comments);
        let named = Reviewer { first_name: Some("Gale".to_owned()), ..Reviewer::default() };
        let named = arrive(Review { reviewer: named, ..silent });
        assert_eq!((named.reviewer.first_name.as_deref(), named.reviewer.last_name), (Some("Gale"), None));
        assert_eq!(arrive(review(None, 20_364)).comments.as_deref(), Some(""), "no words are words, too");
        let again = AddedRecords::default();
        let silent = Review { comments: None, ..review(None, 20_364) };
        assert_eq!(add(&again, &dataset, 0, silent).unwrap().record, first, "the same in every world");
    }
}
