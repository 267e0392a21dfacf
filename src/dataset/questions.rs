//! All questions of a dataset, newest first, and a question with all the fields that an answer shows.

use std::cmp::Reverse;

use crate::api::dates::Day;
use crate::clock::Moment;
use crate::dataset::added::{AddedQuestion, ListedQuestion};
use crate::dataset::facts::Dataset;
use crate::dataset::generated::{Record, pick_weighted};
use crate::dataset::people::person;
use crate::dataset::phrases::bank;
use crate::dataset::records::{self, Location, QuestionPlan};
use crate::dataset::reviews::Origin;
use crate::dataset::text::Text;
use crate::draw::{Draw, Seed};

/// A question of the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) id: u64,
    /// When it was asked.
    pub(crate) at: Moment,
    /// Index among the dataset's locations.
    pub(crate) location: u32,
    /// Whether the owner has answered.
    pub(crate) answered: bool,
    origin: Origin,
}

#[derive(Debug, Default)]
pub(crate) struct Questions {
    /// Newest first, ties by id descending.
    pub(crate) rows: Vec<Row>,
}

/// A question, as the API names its fields.
#[derive(Clone, Debug)]
pub(crate) struct QuestionView<'a> {
    pub(crate) id: u64,
    pub(crate) asked_by_owner: bool,
    pub(crate) question: Text<'a>,
    pub(crate) by: Text<'a>,
    pub(crate) at: Moment,
    pub(crate) logo: Text<'a>,
    pub(crate) category: &'a str,
    pub(crate) location: &'a Location,
    pub(crate) answers: Vec<AnswerView<'a>>,
}

/// An answer to a question.
#[derive(Clone, Debug)]
pub(crate) struct AnswerView<'a> {
    pub(crate) id: u64,
    pub(crate) answer: Text<'a>,
    pub(crate) by: Text<'a>,
    pub(crate) at: Moment,
    pub(crate) owner: bool,
    pub(crate) category: &'a str,
    pub(crate) logo: Text<'a>,
}

const QUESTION: &str = "question";
const ORDER: &str = "question-order";
/// The category of the users who ask and answer generated questions.
pub(crate) const REGULAR_USER: &str = "REGULAR_USER";
/// The first key of the streams of a question's answers, far from the keys that every record uses.
const ANSWERS: u64 = 100;

impl Questions {
    pub(crate) fn build(seed: Seed, now: Moment, locations: &[(&Location, &str)]) -> Self {
        let mut rows = Vec::new();
        for (place, (location, _)) in (0..).zip(locations) {
            for (entry, questions) in (0..).zip(&location.questions) {
                let record = |index| Record::new(seed, QUESTION, location.number, entry, index);
                match questions {
                    records::Questions::Given(given) => {
                        rows.extend((0..).zip(given).map(|(index, question)| Row {
                            id: question.id.unwrap_or_else(|| record(index).id()),
                            at: question.at.resolve(now),
                            location: place,
                            answered: question.answers.iter().any(|answer| answer.owner),
                            origin: Origin { entry, index },
                        }));
                    }
                    records::Questions::Generated(plan) => rows.extend((0..plan.count).map(|index| {
                        let record = record(index);
                        let at = asking_time(plan, &record, now.day());
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

/// When a generated question was asked: at a drawn minute of a drawn day. On the day on which the clock starts that may be still to
/// come, and the dataset must not depend on the time at which the clock starts: the question is moved to the day before, or to
/// the midnight if the range has no other day.
fn asking_time(plan: &QuestionPlan, record: &Record, today: Day) -> Moment {
    let mut draw = record.facts();
    let (first, last) = plan.dates.resolve(today);
    let days = u64::from(first.0.abs_diff(last.0)) + 1;
    let day = Day(first.0 + i32::try_from(draw.below(days)).unwrap_or_default());
    if day != today {
        return minute(day, draw.below(DAYTIME));
    }
    if first < today { minute(Day(today.0 - 1), draw.below(DAYTIME)) } else { today.start() }
}

/// The minutes between 7:00 and 21:30, when people ask and answer.
const DAYTIME: u64 = 870;

fn minute(day: Day, minute: u64) -> Moment {
    Moment(day.start().0 + (420 + i64::try_from(minute).unwrap_or_default()) * 60_000)
}

impl Dataset {
    pub(crate) fn listed_question<'a>(&'a self, question: ListedQuestion<'a>) -> Option<QuestionView<'a>> {
        match question {
            ListedQuestion::Seeded(row) => self.question(row),
            ListedQuestion::Added(question) => Some(self.added_question(question)),
        }
    }

    pub(crate) fn added_question<'a>(&'a self, question: &'a AddedQuestion) -> QuestionView<'a> {
        let AddedQuestion { id, location, index, .. } = *question;
        // Names are drawn. Under this seed they differ from those of the seeded questions.
        let seed = Seed(Draw::new(self.seed, "added").number());
        let record = Record::new(seed, QUESTION, self.location(location).number, 0, index);
        self.given_question(&question.record, id, location, &record)
    }

    pub(crate) fn question(&self, row: &Row) -> Option<QuestionView<'_>> {
        let location = self.location(row.location);
        let record = Record::new(self.seed, QUESTION, location.number, row.origin.entry, row.origin.index);
        match location.questions.get(row.origin.entry as usize)? {
            records::Questions::Given(given) => {
                let question = given.get(row.origin.index as usize)?;
                Some(self.given_question(question, row.id, row.location, &record))
            }
            records::Questions::Generated(plan) => Some(self.generated_question(plan, row, &record)),
        }
    }

    fn generated_question(&self, plan: &QuestionPlan, row: &Row, record: &Record) -> QuestionView<'_> {
        let category = &self.account(self.account_of(row.location)).category;
        let mut draw = record.words();
        let chosen = pick_weighted(plan.locales.iter().map(|(_, weight)| *weight), &mut draw);
        let locale = plan.locales.get(chosen).map_or(records::Locale::En, |(locale, _)| *locale);
        let bank = bank(locale, category);
        let lead = if draw.below(3) == 0 { draw.pick(&bank.lead).copied().unwrap_or_default() } else { "" };
        // Permuted, not drawn: no question comes again before all others have come.
        let (index, length) = (u64::from(row.origin.index), bank.questions.len() as u64);
        let number = self.location(row.location).number;
        let order = Record::stream(self.seed, ORDER, number, row.origin.entry).with(index / length);
        let chosen = order.permuted(index % length, length);
        let (question, replies) = &bank.questions[usize::try_from(chosen).unwrap_or_default()];
        let count = usize::try_from(draw.below(3)).unwrap_or_default();
        let first = usize::from(draw.below(2) == 1);
        let replies = replies.iter().cycle().skip(first).take(count.min(replies.len()));
        // Each answer comes a day or more after the one before. Those from the clock's start on have not been given yet.
        let mut last = row.at;
        let answers = replies.zip(0..).map_while(|(answer, index)| {
            let own = record.answer(index);
            let mut draw = own.facts();
            let days = 1 + i32::try_from(draw.below(3)).unwrap_or_default();
            last = minute(Day(last.day().0 + days), draw.below(DAYTIME));
            (last < self.today.start().max(row.at)).then(|| AnswerView {
                id: own.id(),
                answer: Text::Given(answer),
                by: by(locale, &own),
                at: last,
                owner: false,
                category: REGULAR_USER,
                logo: logo(locale, &own, own.id()),
            })
        });
        QuestionView {
            id: row.id,
            asked_by_owner: false,
            question: Text::Pieces([
                lead,
                if lead.is_empty() { "" } else { bank.text(bank.join) },
                question,
                "",
            ]),
            by: by(locale, record),
            at: row.at,
            logo: logo(locale, record, row.id),
            category: REGULAR_USER,
            location: self.location(row.location),
            answers: answers.collect(),
        }
    }

    fn given_question<'a>(
        &'a self,
        question: &'a records::Question,
        id: u64,
        location: u32,
        record: &Record,
    ) -> QuestionView<'a> {
        let business = &self.account(self.account_of(location)).name;
        let location = self.location(location);
        let name_of = |given: &'a Option<String>, owner: bool, record: &Record| match given {
            Some(name) => Text::Given(name),
            None if owner => Text::Given(business),
            None => by(records::Locale::En, record),
        };
        let logo_of = |given: &'a Option<String>,
                       name: &'a Option<String>,
                       owner: bool,
                       own: (&Record, u64)| match (given, name) {
            (Some(logo), _) => Text::Given(logo),
            (None, Some(name)) => Text::Avatar([name, ""], own.1),
            (None, None) if owner => Text::Avatar([business, ""], own.1),
            (None, None) => logo(records::Locale::En, own.0, own.1),
        };
        let answers = question.answers.iter().zip(0..).map(|(answer, index)| {
            let own = record.answer(index);
            let id = answer.id.unwrap_or_else(|| own.id());
            AnswerView {
                id,
                answer: Text::Given(&answer.answer),
                by: name_of(&answer.by, answer.owner, &own),
                at: answer.at.resolve(self.now),
                owner: answer.owner,
                category: &answer.category,
                logo: logo_of(&answer.logo, &answer.by, answer.owner, (&own, id)),
            }
        });
        QuestionView {
            id,
            asked_by_owner: question.owner,
            question: Text::Given(&question.question),
            by: name_of(&question.by, question.owner, record),
            at: question.at.resolve(self.now),
            logo: logo_of(&question.logo, &question.by, question.owner, (record, id)),
            category: &question.category,
            location,
            answers: answers.collect(),
        }
    }
}

impl Record {
    /// The record of the answer at an index.
    fn answer(&self, index: i32) -> Self {
        self.part(ANSWERS + u64::from(index.unsigned_abs()))
    }
}

/// The parts of a name in their order; in Japanese the family name comes first.
fn name(locale: records::Locale, record: &Record) -> [&'static str; 2] {
    let person = person(locale, &mut record.person());
    if locale == records::Locale::Ja { [person.last, person.first] } else { [person.first, person.last] }
}

/// The full name of a record's author.
fn by(locale: records::Locale, record: &Record) -> Text<'static> {
    let [first, last] = name(locale, record);
    Text::Pieces([first, " ", last, ""])
}

/// The picture of a record's author.
fn logo(locale: records::Locale, record: &Record, id: u64) -> Text<'static> {
    Text::Avatar(name(locale, record), id)
}
