//! `POST /v1/qna/unanswered/get`: the questions that the owner has not answered, with what others answered.
//!
//! The name of the query parameter is as published (`behaviour.md` 4).

use serde::{Deserialize, Serialize};

use crate::api::call::Call;
use crate::api::error::{ApiError, Code};
use crate::api::field::{self, Field};
use crate::api::query::{page, within_window};
use crate::dataset::added;
use crate::dataset::facts::Dataset;
use crate::dataset::questions::Shown;
use crate::dataset::text::Text;
use crate::operations::{Answer, Context};

/// The body.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Request<'a> {
    #[serde(borrow)]
    pub start_index: Field<'a>,
    #[serde(borrow)]
    pub page_size: Field<'a>,
}

/// The answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Response<'a> {
    pub total_count: usize,
    pub questions_and_answers: Vec<Question<'a>>,
}

/// One question.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Question<'a> {
    pub question_id: u64,
    pub answered_by_owner: bool,
    pub asked_by_owner: bool,
    pub question: Text<'a>,
    pub updated_by: Text<'a>,
    pub time: String,
    pub updated_on: String,
    pub user_profile_logo_url: Text<'a>,
    pub user_category: &'a str,
    pub location_name: &'a str,
    pub no_of_answers: usize,
    pub answers: Vec<ResponseAnswer<'a>>,
}

/// One answer to it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct ResponseAnswer<'a> {
    pub answer_id: u64,
    pub answer: Text<'a>,
    pub updated_by: Text<'a>,
    pub updated_on: String,
    pub answered_by_owner: bool,
    pub user_category: &'a str,
    pub time: String,
    pub user_profile_logo_url: Text<'a>,
}

/// How many questions a page has unless told.
const PAGE: u64 = 25;

/// Answers the call.
///
/// # Errors
/// 1011 for the business, 1163 and 1164 for the page.
pub fn answer<'a>(context: Context<'a>, dataset: &'a Dataset, call: &Call<'_>) -> Result<Answer, ApiError> {
    let name = &context.dialect.names.business;
    let Some(sent) = call.parameter(name) else {
        return Err(ApiError::new(Code::BusinessInvalid, format!("{name}: the parameter is missing")));
    };
    let place = context.caller.business(dataset, name, &sent)?;
    let request: Request =
        if field::is_blank(call.bytes()) { Request::default() } else { field::object(call.bytes())? };
    let start = request.start_index.index("startIndex", Code::StartIndex)?.unwrap_or(0);
    let count = request.page_size.index("pageSize", Code::Count)?.unwrap_or(PAGE);
    within_window(start, count)?;

    let mut asked = vec![false; dataset.location_count()];
    for location in dataset.locations_of(place) {
        asked[location as usize] = true;
    }
    let unanswered = |facts: &'a Dataset| {
        facts.questions.rows.iter().filter(|row| !row.answered && asked[row.location as usize])
    };
    let rows = || added::questions(dataset, context.added, unanswered);
    let (skip, take) = page(start, count);
    let shown = rows().skip(skip).take(take).filter_map(|(facts, row)| facts.show_question(row));
    let questions_and_answers = shown.map(Question::of).collect();
    Ok(Answer::of(&Response { total_count: rows().count(), questions_and_answers }))
}

impl<'a> Question<'a> {
    /// A question as the API shows it.
    #[must_use]
    pub fn of(shown: Shown<'a>) -> Self {
        Self {
            question_id: shown.id,
            answered_by_owner: shown.answers.iter().any(|answer| answer.owner),
            asked_by_owner: shown.asked_by_owner,
            question: shown.question,
            updated_by: shown.by,
            time: shown.at.shown_time(),
            updated_on: shown.at.day().to_string(),
            user_profile_logo_url: shown.logo,
            user_category: shown.category,
            location_name: &shown.location.name,
            no_of_answers: shown.answers.len(),
            answers: shown
                .answers
                .into_iter()
                .map(|answer| ResponseAnswer {
                    answer_id: answer.id,
                    answer: answer.answer,
                    updated_by: answer.by,
                    updated_on: answer.at.day().to_string(),
                    answered_by_owner: answer.owner,
                    user_category: answer.category,
                    time: answer.at.shown_time(),
                    user_profile_logo_url: answer.logo,
                })
                .collect(),
        }
    }
}
