//! Lists of records that templates see. A record is rendered when it is looked at, and what is asked most of long lists of
//! reviews (rating, source, status, day, location) is read from columns.

use std::borrow::Cow;
use std::sync::Arc;

use minijinja::Value;
use minijinja::value::{Enumerator, Object, ObjectExt, ObjectRepr};

use crate::dataset::added::{AddedQuestion, AddedReview, ListedQuestion};
use crate::dataset::facts::Dataset;
use crate::dataset::records::Contact;
use crate::dataset::review_view::ReviewView;
use crate::ledger::shown;
use crate::operations::{qna, reviews};
use crate::route::facts::Facts;
use crate::template::compiled::serialized;

/// One record of a list.
#[derive(Clone, Debug)]
pub(crate) enum Record {
    /// A row of the dataset.
    Review(u32),
    AddedReview(Arc<AddedReview>),
    Question(crate::dataset::questions::Row),
    AddedQuestion(Arc<AddedQuestion>),
    Contact(Arc<Contact>),
}

/// A list of records.
#[derive(Debug)]
pub(crate) struct Records {
    pub(crate) facts: Arc<dyn Facts>,
    pub(crate) list: Vec<Record>,
}

impl Records {
    /// A record as the API shows it.
    pub(crate) fn value(&self, record: &Record) -> Value {
        let dataset = self.facts.dataset();
        match record {
            Record::Review(row) => review(dataset.review(*row).as_ref()),
            Record::AddedReview(added) => review(dataset.added_review(added).as_ref()),
            Record::Question(row) => question(dataset.listed_question(ListedQuestion::Seeded(row))),
            Record::AddedQuestion(added) => question(dataset.listed_question(ListedQuestion::Added(added))),
            Record::Contact(contact) => serialized(&shown::Contact::of(contact)),
        }
    }

    /// A member of a record. What has a column is read from there.
    pub(crate) fn member(&self, record: &Record, name: &str) -> Value {
        let dataset = self.facts.dataset();
        let column = match record {
            Record::Review(row) => review_column(dataset, *row, name),
            Record::AddedReview(added) => added_column(dataset, added, name),
            Record::Question(_) | Record::AddedQuestion(_) | Record::Contact(_) => None,
        };
        column.unwrap_or_else(|| self.value(record).get_attr(name).unwrap_or_default())
    }

    /// How much it weighs to read a member of all records, in the unit of [`Left::values`](crate::template::Left). What has no column is
    /// rendered, which takes some microseconds each.
    pub(crate) fn weight(&self, name: &str) -> usize {
        let each = match self.list.first() {
            Some(Record::Review(_) | Record::AddedReview(_)) if COLUMNS.contains(&name) => 16,
            Some(Record::Review(_) | Record::AddedReview(_)) => RENDERED_REVIEW,
            Some(Record::Question(_) | Record::AddedQuestion(_) | Record::Contact(_)) | None => RENDERED,
        };
        each * self.list.len()
    }

    /// The records that a predicate accepts.
    pub(crate) fn retain(&self, keep: impl Fn(&Record) -> bool) -> Value {
        let list = self.list.iter().filter(|record| keep(record)).cloned().collect();
        Value::from_object(Self { facts: Arc::clone(&self.facts), list })
    }

    /// So many of the records, from a place on.
    pub(crate) fn page(&self, start: usize, count: usize) -> Value {
        let list = self.list.iter().skip(start).take(count).cloned().collect();
        Value::from_object(Self { facts: Arc::clone(&self.facts), list })
    }
}

/// The members of reviews that have a column.
const COLUMNS: [&str; 6] = ["rating", "sourceType", "featured", "reviewDate", "businessId", "businessName"];

/// What it weighs to render a review, whose words are put together: one template may render about 100,000.
const RENDERED_REVIEW: usize = 600;
/// What it weighs to render another record.
const RENDERED: usize = 100;

impl Object for Records {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.list.get(key.as_usize()?).map(|record| self.value(record))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        self.mapped_enumerator(|records| Box::new(records.list.iter().map(|record| records.value(record))))
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.list.len())
    }
}

fn review(view: Option<&ReviewView<'_>>) -> Value {
    view.map(|view| serialized(&reviews::Response::of(view))).unwrap_or_default()
}

fn question(view: Option<crate::dataset::questions::QuestionView<'_>>) -> Value {
    view.map(|view| serialized(&qna::Question::of(view))).unwrap_or_default()
}

fn review_column(dataset: &Dataset, row: u32, name: &str) -> Option<Value> {
    let columns = &dataset.reviews;
    match name {
        "rating" => columns.by_rating.iter().position(|rows| rows.contains(row)).map(Value::from),
        "sourceType" => {
            let source = columns.by_source.iter().position(|rows| rows.contains(row))?;
            dataset.sources.get(source).map(|source| Value::from(source.name.as_str()))
        }
        "featured" => Some(Value::from(u8::from(columns.published.contains(row)))),
        "reviewDate" => columns.day.get(row as usize).map(|day| Value::from(day.to_string())),
        "businessId" | "businessName" => columns.location.get(row as usize).map(|location| {
            let location = dataset.location(*location);
            if name == "businessId" {
                Value::from(location.number.to_string())
            } else {
                Value::from(location.name.as_str())
            }
        }),
        _ => None,
    }
}

fn added_column(dataset: &Dataset, added: &AddedReview, name: &str) -> Option<Value> {
    match name {
        "rating" => Some(Value::from(added.record.rating)),
        "sourceType" => dataset
            .sources
            .get(usize::from(added.record.source))
            .map(|source| Value::from(source.name.as_str())),
        "featured" => Some(Value::from(u8::from(added.record.published))),
        _ => None,
    }
}

/// The text under which a value is counted or stored: 5 and "5" are one.
pub(crate) fn as_key(value: &Value) -> Cow<'_, str> {
    match value.as_str() {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(value.to_string()),
    }
}
