//! Validates questions and their answers.

use crate::dataset::records::{Answer, Question, Questions};
use crate::scenario::diagnostic::Findings;
use crate::scenario::loader::Loader;
use crate::scenario::raw::List;
use crate::scenario::raw_records::{self as raw, QuestionEntry, Records};
use crate::scenario::read::Spanned;
use crate::scenario::scalars::NonBlank;
use crate::scenario::seed_data;
use crate::scenario::validate::plan::Surroundings;
use crate::scenario::validate::{RecordContext, Unique, plan, text, warn_if_future};

/// Default category of those who ask and answer.
const CATEGORY: &str = "REGULAR_USER";

/// The ids of an account's questions and answers, which must be unique.
#[derive(Debug)]
pub(crate) struct Ids {
    questions: Unique<u64>,
    answers: Unique<u64>,
}

impl Default for Ids {
    fn default() -> Self {
        Self {
            questions: Unique::new("duplicate-id", "question id"),
            answers: Unique::new("duplicate-id", "answer id"),
        }
    }
}

/// Validates the questions of a location.
pub(crate) fn validate(
    loader: &mut Loader,
    context: &RecordContext,
    surroundings: Surroundings<'_>,
    list: List<QuestionEntry>,
    ids: &mut Ids,
) -> Vec<Questions> {
    let mut out = Vec::new();
    let mut given = Vec::new();
    for entry in list {
        match entry.value {
            Records::Given(raw) => given.extend(question(&mut loader.findings, context, raw, ids)),
            Records::File(file) => seed_data::read(loader, file, |findings, raw| {
                given.extend(question(findings, context, raw, ids));
            }),
            Records::Generated(raw) => {
                if !given.is_empty() {
                    out.push(Questions::Given(std::mem::take(&mut given)));
                }
                out.extend(plan::questions(loader, context, surroundings, raw).map(Questions::Generated));
            }
        }
    }
    if !given.is_empty() {
        out.push(Questions::Given(given));
    }
    out
}

pub(crate) fn question(
    findings: &mut Findings,
    context: &RecordContext,
    raw: raw::Question,
    ids: &mut Ids,
) -> Option<Question> {
    if let Some(id) = raw.id {
        ids.questions.insert(findings, id.value.0, id.span);
    }
    if let Some(at) = raw.date {
        warn_if_future(findings, context, "date", at);
    }
    let asked = raw.date;
    let mut answers = Vec::new();
    for Spanned { value: raw, .. } in raw.answers.into_iter().flat_map(|list| list.value) {
        if let Some(id) = raw.id {
            ids.answers.insert(findings, id.value.0, id.span);
        }
        if let Some(at) = raw.date {
            warn_if_future(findings, context, "date", at);
        }
        let (Some(answer), Some(at)) = (raw.answer, raw.date.or(asked)) else { continue };
        answers.push(Answer {
            id: raw.id.map(|id| id.value.0),
            answer: answer.value.0,
            by: text(raw.by),
            category: category(raw.category),
            at: at.value,
            owner: raw.owner.is_some_and(|it| it.value),
            logo: text(raw.logo),
        });
    }
    Some(Question {
        id: raw.id.map(|id| id.value.0),
        question: raw.question?.value.0,
        by: text(raw.by),
        category: category(raw.category),
        at: raw.date?.value,
        owner: raw.owner.is_some_and(|it| it.value),
        logo: text(raw.logo),
        answers,
    })
}

fn category(raw: Option<Spanned<NonBlank>>) -> String {
    text(raw).unwrap_or_else(|| CATEGORY.to_owned())
}
