//! All questions of a dataset, newest first, and what a question shows.

use std::cmp::Reverse;

use crate::api::dates::Day;
use crate::clock::Moment;
use crate::dataset::facts::Dataset;
use crate::dataset::generated::{Record, weighted};
use crate::dataset::people::person;
use crate::dataset::phrases::bank;
use crate::dataset::records::{self, Location, QuestionPlan};
use crate::dataset::reviews::Origin;
use crate::dataset::text::Text;
use crate::draw::Seed;

/// One question, where it stands in the list.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its id.
    pub id: u64,
    /// When it was asked.
    pub at: Moment,
    /// Place among the dataset's locations.
    pub location: u32,
    /// Whether the owner has answered.
    pub answered: bool,
    origin: Origin,
}

/// The questions.
#[derive(Debug, Default)]
pub struct Questions {
    /// Newest first, ties by id descending.
    pub rows: Vec<Row>,
}

/// A question, with borrowed parts.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "named like the fields of the API")]
pub struct Shown<'a> {
    pub id: u64,
    pub asked_by_owner: bool,
    pub question: Text<'a>,
    pub by: Text<'a>,
    pub at: Moment,
    pub logo: Text<'a>,
    pub category: &'a str,
    pub location: &'a Location,
    pub answers: Vec<ShownAnswer<'a>>,
}

/// An answer, with borrowed parts.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "named like the fields of the API")]
pub struct ShownAnswer<'a> {
    pub id: u64,
    pub answer: Text<'a>,
    pub by: Text<'a>,
    pub at: Moment,
    pub owner: bool,
    pub category: &'a str,
    pub logo: Text<'a>,
}

const QUESTION: &str = "question";
const ORDER: &str = "question-order";
/// The kind of user that a generated text is from.
pub const REGULAR_USER: &str = "REGULAR_USER";
/// First key of the streams of a question's answers, far from those that every record has.
const ANSWERS: u64 = 100;

impl Questions {
    /// The questions of those locations.
    #[must_use]
    pub fn build(seed: Seed, now: Moment, locations: &[&Location]) -> Self {
        let mut rows = Vec::new();
        for (place, location) in (0..).zip(locations) {
            for (entry, questions) in (0..).zip(&location.questions) {
                let record = |index| Record::new(seed, QUESTION, location.number, entry, index);
                match questions {
                    records::Questions::Given(given) => {
                        rows.extend((0..).zip(given).map(|(index, question)| Row {
                            id: question.id.unwrap_or_else(|| record(index).id()),
                            at: question.at,
                            location: place,
                            answered: question.answers.iter().any(|answer| answer.owner),
                            origin: Origin { entry, index },
                        }));
                    }
                    records::Questions::Generated(plan) => rows.extend((0..plan.count).map(|index| {
                        let record = record(index);
                        let at = asked(plan, &record, now);
                        let origin = Origin { entry, index };
                        Row { id: record.id(), at, location: place, answered: false, origin }
                    })),
                }
            }
        }
        rows.sort_unstable_by_key(|row| Reverse((row.at, row.id)));
        Self { rows }
    }
}

/// When a generated question was asked: some minute of the day.
/// On the day of the clock's start it is before it, as on the day before.
fn asked(plan: &QuestionPlan, record: &Record, now: Moment) -> Moment {
    let mut draw = record.facts();
    let days = u64::from(plan.from.0.abs_diff(plan.to.0)) + 1;
    let day = Day(plan.from.0 + i32::try_from(draw.below(days)).unwrap_or_default());
    let at = minute(day, draw.below(DAYTIME));
    if at > now && day == now.day() { minute(Day(day.0 - 1), draw.below(DAYTIME)) } else { at }
}

/// Minutes between seven in the morning and half past nine in the evening.
const DAYTIME: u64 = 870;

fn minute(day: Day, minute: u64) -> Moment {
    Moment(day.start().0 + (420 + i64::try_from(minute).unwrap_or_default()) * 60_000)
}

impl Dataset {
    /// The question of a row.
    #[must_use]
    pub fn show_question(&self, row: &Row) -> Option<Shown<'_>> {
        let location = self.location(row.location);
        let business = self.account(self.account_of(row.location));
        let record = Record::new(self.seed, QUESTION, location.number, row.origin.entry, row.origin.index);
        match location.questions.get(row.origin.entry as usize)? {
            records::Questions::Given(given) => {
                let question = given.get(row.origin.index as usize)?;
                Some(given_question(question, row, location, &business.name, &record))
            }
            records::Questions::Generated(plan) => {
                Some(self.generated_question(plan, row, &business.category, &record))
            }
        }
    }

    fn generated_question(
        &self,
        plan: &QuestionPlan,
        row: &Row,
        category: &str,
        record: &Record,
    ) -> Shown<'_> {
        let mut draw = record.words();
        let chosen = weighted(plan.locales.iter().map(|(_, weight)| *weight), &mut draw);
        let locale = plan.locales.get(chosen).map_or(records::Locale::En, |(locale, _)| *locale);
        let bank = bank(locale, category);
        let lead = if draw.below(3) == 0 { draw.pick(&bank.lead).copied().unwrap_or_default() } else { "" };
        // Shuffled, not drawn: no question comes again before all of them were there.
        let (index, length) = (u64::from(row.origin.index), bank.questions.len() as u64);
        let number = self.location(row.location).number;
        let order = Record::stream(self.seed, ORDER, number, row.origin.entry).with(index / length);
        let asked = order.shuffled(index % length, length);
        let (question, replies) = &bank.questions[usize::try_from(asked).unwrap_or_default()];
        let count = usize::try_from(draw.below(3)).unwrap_or_default();
        let first = usize::from(draw.below(2) == 1);
        let said = replies.iter().cycle().skip(first).take(count.min(replies.len()));
        // One after the other, a day or more between; for which there is no time left, that one is not there yet.
        let mut last = row.at;
        let answers = said.zip(0..).map_while(|(answer, place)| {
            let own = record.answer(place);
            let mut draw = own.person();
            let days = 1 + i32::try_from(draw.below(3)).unwrap_or_default();
            last = minute(Day(last.day().0 + days), draw.below(DAYTIME));
            (last <= self.now.max(row.at)).then(|| ShownAnswer {
                id: own.id(),
                answer: Text::Given(answer),
                by: name(locale, &mut draw),
                at: last,
                owner: false,
                category: REGULAR_USER,
                logo: Text::Picture("users", own.id()),
            })
        });
        Shown {
            id: row.id,
            asked_by_owner: false,
            question: Text::Sentences([lead, question, "", ""], bank.join),
            by: name(locale, &mut record.person()),
            at: row.at,
            logo: Text::Picture("users", row.id),
            category: REGULAR_USER,
            location: self.location(row.location),
            answers: answers.collect(),
        }
    }
}

impl Record {
    /// The record of the answer at a place.
    fn answer(&self, place: i32) -> Self {
        self.part(ANSWERS + u64::from(place.unsigned_abs()))
    }
}

/// A full name; in Japanese the family name comes first.
fn name(locale: records::Locale, draw: &mut crate::draw::Draw) -> Text<'static> {
    let person = person(locale, draw);
    if locale == records::Locale::Ja {
        return Text::Pieces([person.last, " ", person.first, ""]);
    }
    Text::Pieces([person.first, " ", person.last, ""])
}

fn given_question<'a>(
    question: &'a records::Question,
    row: &Row,
    location: &'a Location,
    business: &'a str,
    record: &Record,
) -> Shown<'a> {
    let made = |by: &'a Option<String>, owner: bool, record: &Record| match by {
        Some(by) => Text::Given(by),
        None if owner => Text::Given(business),
        None => name(records::Locale::En, &mut record.person()),
    };
    let logo = |logo: &'a Option<String>, id| match logo {
        Some(logo) => Text::Given(logo),
        None => Text::Picture("users", id),
    };
    let answers = question.answers.iter().zip(0..).map(|(answer, place)| {
        let own = record.answer(place);
        let id = answer.id.unwrap_or_else(|| own.id());
        ShownAnswer {
            id,
            answer: Text::Given(&answer.answer),
            by: made(&answer.by, answer.owner, &own),
            at: answer.at,
            owner: answer.owner,
            category: &answer.category,
            logo: logo(&answer.logo, id),
        }
    });
    Shown {
        id: row.id,
        asked_by_owner: question.owner,
        question: Text::Given(&question.question),
        by: made(&question.by, question.owner, record),
        at: question.at,
        logo: logo(&question.logo, row.id),
        category: &question.category,
        location,
        answers: answers.collect(),
    }
}
