//! Records that arrive in a world, and reviews that are changed there: stored, told to the watchers, and announced by a webhook
//! event. It is the only way, for the admin API, the timeline and the demo.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use crate::clock::Moment;
use crate::dataset::added::{AddedQuestion, AddedReview};
use crate::dataset::arrival::{Answered, Arrival, NewQuestion, NewReview, ReviewChange};
use crate::dataset::facts::Dataset;
use crate::ledger::added::NotAdded;
use crate::ledger::changed::NotChanged;
use crate::operations::qna::Question;
use crate::operations::reviews::Response;
use crate::webhook::settings::Emission;
use crate::world::kept::Action;
use crate::world::run::Run;
use crate::world::snapshot::Snapshot;

/// What happened to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Created,
    Updated,
    Deleted,
}

impl Change {
    const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
    }
}

/// A record after a change.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// Number of its account.
    account: u64,
    /// `review` or `question`.
    what: &'static str,
    change: Change,
    /// As the API shows it.
    pub(crate) json: String,
}

/// Why a record is not added or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotRecorded {
    /// The scenario has no location of that number, or no more.
    NoLocation(u64),
    NotAdded(NotAdded),
    NotChanged(NotChanged),
}

impl From<NotAdded> for NotRecorded {
    fn from(reason: NotAdded) -> Self {
        Self::NotAdded(reason)
    }
}

impl From<NotChanged> for NotRecorded {
    fn from(reason: NotChanged) -> Self {
        Self::NotChanged(reason)
    }
}

impl Display for NotRecorded {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLocation(number) => write!(out, "there is no location {number}"),
            Self::NotAdded(NotAdded::IdTaken { what, id }) => {
                write!(out, "the account has the {what} id {id} already")
            }
            Self::NotAdded(NotAdded::Full(full)) | Self::NotChanged(NotChanged::Full(full)) => full.fmt(out),
            Self::NotChanged(NotChanged::Unknown) => write!(out, "there is no such review"),
            Self::NotChanged(NotChanged::NoneArrived) => write!(out, "no review has arrived yet"),
            Self::NotChanged(NotChanged::Ambiguous(accounts)) => {
                let numbers: Vec<String> = accounts.iter().map(u64::to_string).collect();
                write!(out, "several accounts have a review of that id: {}", numbers.join(", "))
            }
            Self::NotChanged(NotChanged::NoResponse) => {
                write!(out, "a day for a response needs a response")
            }
        }
    }
}

impl Recorded {
    /// The event that announces the record: the named one, else the scenario's event of that name, if it has one.
    fn emission(&self, named: Option<&str>, snapshot: &Snapshot) -> Option<Emission> {
        let usual = format!("{}.{}", self.what, self.change.name());
        let event = match named {
            Some(named) => named.to_owned(),
            None if snapshot.events.contains(&usual) => usual,
            None => return None,
        };
        let data = match serde_json::from_str(&self.json) {
            Ok(Value::Object(members)) => Some(members),
            Ok(_) | Err(_) => None,
        };
        Some(Emission { event, business: Some(self.account), conversation: None, text: None, data })
    }
}

impl Run {
    /// A record arrives now, and is announced by an event: the named one, or the usual one where the scenario has it. `text`
    /// is the record as it was written.
    ///
    /// # Errors
    /// It cannot be stored.
    pub(crate) fn arrive(
        self: &Arc<Self>,
        snapshot: &Snapshot,
        arrival: &Arrival,
        (event, text): (Option<&str>, &str),
    ) -> Result<Recorded, NotRecorded> {
        let now = self.clock.now();
        let recorded = self.record_arrival(snapshot, arrival, now)?;
        match arrival {
            Arrival::Review(_) => self.log_at(now, || Action::Review(text.to_owned())),
            Arrival::Question(_) => self.log_at(now, || Action::Question(text.to_owned())),
            // Only a timeline has those.
            Arrival::Response(_) => {}
        }
        self.announce(&recorded, event, snapshot);
        Ok(recorded)
    }

    /// Changes a review now. `text` is the change as it was written.
    ///
    /// # Errors
    /// There is no such review, or it cannot be stored.
    pub(crate) fn change_review(
        self: &Arc<Self>,
        snapshot: &Snapshot,
        which: &Answered,
        (change, text): (&ReviewChange, &str),
    ) -> Result<Recorded, NotRecorded> {
        let (dataset, now) = (snapshot.dataset(), self.clock.now());
        let review = self.added.change_review(dataset, which, now, |_| change.clone())?;
        self.log_at(now, || Action::ReviewChanged(which.clone(), text.to_owned()));
        let recorded = self.recorded_review(dataset, &review, Change::Updated);
        self.announce(&recorded, None, snapshot);
        Ok(recorded)
    }

    /// Takes a review down.
    ///
    /// # Errors
    /// There is no such review.
    pub(crate) fn remove_review(
        self: &Arc<Self>,
        snapshot: &Snapshot,
        which: &Answered,
    ) -> Result<(), NotRecorded> {
        let dataset = snapshot.dataset();
        let review = self.added.remove_review(dataset, which)?;
        self.log(|| Action::ReviewRemoved(which.clone()));
        let recorded = self.recorded_review(dataset, &review, Change::Deleted);
        self.announce(&recorded, None, snapshot);
        Ok(())
    }

    /// A record of the timeline arrives. Returns the event that announces it, if there is one. If it cannot be stored, the
    /// watchers are told.
    pub(super) fn arrive_on_timeline(
        &self,
        arrival: &Arrival,
        event: Option<&str>,
        now: Moment,
    ) -> Option<Emission> {
        let snapshot = self.snapshot();
        match self.record_arrival(&snapshot, arrival, now) {
            Ok(recorded) => recorded.emission(event, &snapshot),
            Err(reason) => {
                if self.stream.is_watched() {
                    let what = match arrival {
                        Arrival::Review(_) | Arrival::Response(_) => "review",
                        Arrival::Question(_) => "question",
                    };
                    self.stream.publish(what, &json!({ "change": "refused", "reason": reason.to_string() }));
                }
                None
            }
        }
    }

    fn announce(self: &Arc<Self>, recorded: &Recorded, event: Option<&str>, snapshot: &Snapshot) {
        if let Some(emission) = recorded.emission(event, snapshot) {
            self.emit_event(&emission, recorded.account, None);
        }
    }

    /// Stores a record that arrives at a time, and tells the watchers.
    fn record_arrival(
        &self,
        snapshot: &Snapshot,
        arrival: &Arrival,
        now: Moment,
    ) -> Result<Recorded, NotRecorded> {
        let dataset = snapshot.dataset();
        let place = |number| dataset.location_at(number).ok_or(NotRecorded::NoLocation(number));
        match arrival {
            Arrival::Review(new) => {
                let review =
                    self.added.add_review(dataset, place(new.location)?, NewReview::clone(new), now)?;
                Ok(self.recorded_review(dataset, &review, Change::Created))
            }
            Arrival::Question(new) => {
                let question =
                    self.added.add_question(dataset, place(new.location)?, NewQuestion::clone(new), now)?;
                Ok(self.recorded_question(dataset, &question))
            }
            Arrival::Response(new) => {
                let review = self.added.respond(dataset, new, now)?;
                Ok(self.recorded_review(dataset, &review, Change::Updated))
            }
        }
    }

    fn recorded_review(&self, dataset: &Dataset, review: &AddedReview, change: Change) -> Recorded {
        let shown = dataset.added_review(review);
        let json = json_of(&shown.as_ref().map(Response::of));
        self.recorded(dataset, review.values.location, ("review", change), json)
    }

    fn recorded_question(&self, dataset: &Dataset, question: &AddedQuestion) -> Recorded {
        let json = json_of(&Question::of(dataset.added_question(question)));
        self.recorded(dataset, question.location, ("question", Change::Created), json)
    }

    fn recorded(
        &self,
        dataset: &Dataset,
        location: u32,
        (what, change): (&'static str, Change),
        json: String,
    ) -> Recorded {
        let account = dataset.account(dataset.account_of(location)).number;
        if self.stream.is_watched() {
            let record: Value = serde_json::from_str(&json).unwrap_or_default();
            self.stream.publish(what, &json!({ "change": change.name(), what: record }));
        }
        Recorded { account, what, change, json }
    }
}

fn json_of(value: &impl Serialize) -> String {
    let written = serde_json::to_string(value);
    debug_assert!(written.is_ok(), "a record that is not JSON: {written:?}");
    written.unwrap_or_default()
}
