//! `POST /v1/qna/unanswered/get`: the questions that the owner has not answered, with what others answered.
//!
//! The name of its query parameter is a dialect option (`docs/api.md` 4).

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::api::error::{ApiError, Code};
use crate::api::field::{self, Field};
use crate::api::operation::Operation;
use crate::api::query::{AnsweredPage, page, within_window};
use crate::api::schema::{self, ResponseDate, ResponseTime, schemas};
use crate::dataset::added;
use crate::dataset::questions::QuestionView;
use crate::dataset::text::Text;
use crate::operations::spec::{
    Authorized, Context, Done, KeyIn, Paging, Parameter, ParameterKind, ParameterName, Run, Spec, StartIndex,
};

const BUSINESS: ParameterName = ParameterName::Dialect(|names| &names.business);
const START_INDEX: &str = "startIndex";
const PAGE_SIZE: &str = "pageSize";
const DEFAULT_PAGE_SIZE: u64 = 25;

pub(crate) static SPEC: Spec = Spec {
    operation: Operation::new("qna"),
    summary: "Questions that the owner has not answered",
    path: "/v1/qna/unanswered/get",
    key: KeyIn::Header,
    query: &[Parameter { name: BUSINESS, kind: ParameterKind::Business, required: true }],
    request: LazyLock::new(schema::of::<Request<'_>>),
    needs_body: false,
    response: LazyLock::new(schema::closed::<Response<'_>>),
    own_codes: &[Code::BusinessInvalid, Code::StartIndex, Code::Count],
    injected_2003: "businessId is mandatory",
    paging: Some(Paging {
        start: StartIndex::Body(START_INDEX),
        count: None,
        body_count: Some((PAGE_SIZE, page_size)),
        element: "question",
        total: Some("totalCount"),
    }),
    searches: None,
    run: Run::ForKey(run),
};

schemas! {
    StartIndexField json!({ "type": ["integer", "string"], "pattern": "^[0-9]+$", "default": 0 });
    PageSizeField json!({
        "type": ["integer", "string"],
        "pattern": "^[0-9]+$",
        "default": DEFAULT_PAGE_SIZE,
    });
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request<'a> {
    #[serde(borrow, default)]
    #[schema(value_type = StartIndexField, inline)]
    pub(crate) start_index: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = PageSizeField, inline)]
    pub(crate) page_size: Field<'a>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response<'a> {
    pub(crate) total_count: usize,
    #[schema(inline)]
    pub(crate) questions_and_answers: Vec<Question<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Question<'a> {
    pub(crate) question_id: u64,
    pub(crate) answered_by_owner: bool,
    pub(crate) asked_by_owner: bool,
    #[schema(value_type = String)]
    pub(crate) question: Text<'a>,
    #[schema(value_type = String)]
    pub(crate) updated_by: Text<'a>,
    #[schema(value_type = ResponseTime, inline)]
    pub(crate) time: String,
    #[schema(value_type = ResponseDate, inline)]
    pub(crate) updated_on: String,
    #[schema(value_type = String)]
    pub(crate) user_profile_logo_url: Text<'a>,
    pub(crate) user_category: &'a str,
    pub(crate) location_name: &'a str,
    pub(crate) no_of_answers: usize,
    #[schema(inline)]
    pub(crate) answers: Vec<ResponseAnswer<'a>>,
}

/// An answer to a question.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResponseAnswer<'a> {
    pub(crate) answer_id: u64,
    #[schema(value_type = String)]
    pub(crate) answer: Text<'a>,
    #[schema(value_type = String)]
    pub(crate) updated_by: Text<'a>,
    #[schema(value_type = ResponseDate, inline)]
    pub(crate) updated_on: String,
    pub(crate) answered_by_owner: bool,
    pub(crate) user_category: &'a str,
    #[schema(value_type = ResponseTime, inline)]
    pub(crate) time: String,
    #[schema(value_type = String)]
    pub(crate) user_profile_logo_url: Text<'a>,
}

/// The length of the page that a body asks for, if it is valid.
fn page_size(body: &[u8]) -> Option<u64> {
    let request: Request = field::object_or_default(body).ok()?;
    request.page_size.index(PAGE_SIZE, Code::Count).ok()?
}

fn run(context: &Context<'_>, authorized: &Authorized<'_>) -> Result<Done, ApiError> {
    let (dataset, call) = (context.dataset, authorized.call);
    let request: Request = field::object_or_default(call.bytes())?;
    let name = BUSINESS.get(context.dialect);
    let Some(sent) = call.parameter(name) else {
        return Err(ApiError::new(Code::BusinessInvalid, format!("{name}: the parameter is missing")));
    };
    let place = authorized.caller.business(dataset, name, &sent)?;
    let start = request.start_index.index(START_INDEX, Code::StartIndex)?.unwrap_or(0);
    let count = request.page_size.index(PAGE_SIZE, Code::Count)?.unwrap_or(DEFAULT_PAGE_SIZE);
    within_window(start, count)?;

    let mut asked = vec![false; dataset.location_count()];
    for location in dataset.locations_of(place) {
        asked[location as usize] = true;
    }
    let unanswered = |location: u32, answered: bool| !answered && asked[location as usize];
    let listed = || added::questions(dataset, context.added, unanswered);
    let (skip, take) = page(start, count);
    let page = listed().skip(skip).take(take).filter_map(|question| dataset.listed_question(question));
    let questions_and_answers = page.map(Question::of).collect();
    let account = dataset.account(dataset.account_at(place)).number;
    let response = Response { total_count: listed().count(), questions_and_answers };
    let (length, total) = (response.questions_and_answers.len(), response.total_count);
    let page = AnsweredPage { start, length: length as u64, total: Some(total as u64) };
    Ok(Done { page: Some(page), ..Done::new(account, &response) })
}

impl<'a> Question<'a> {
    /// A question as the API shows it.
    pub(crate) fn of(shown: QuestionView<'a>) -> Self {
        Self {
            question_id: shown.id,
            answered_by_owner: shown.answers.iter().any(|answer| answer.owner),
            asked_by_owner: shown.asked_by_owner,
            question: shown.question,
            updated_by: shown.by,
            time: shown.at.time_of_day(),
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
                    time: answer.at.time_of_day(),
                    user_profile_logo_url: answer.logo,
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_page_is_known_beforehand_however_it_is_written() {
        for body in
            [r#"{"pageSize": 5000}"#, r#"{"x": [], "pageSize": "5000"}"#, "\u{feff}{\"pageSize\": 5000}"]
        {
            assert_eq!(page_size(body.as_bytes()), Some(5_000), "{body}");
        }
        for body in ["", "{}", r#"{"pageSize": "many"}"#, "[5000]", "{"] {
            assert_eq!(page_size(body.as_bytes()), None, "{body}");
        }
    }
}
