//! `POST /v1/insight/sentiment/locationInfo`: sentiment scores and mention counts by location.
//!
//! The interface document leaves the score's formula, the meaning of account numbers in `businessNumbers` and
//! `groupByLevel` open; they are as `behaviour.md` 4 decides.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::api::call::Call;
use crate::api::email;
use crate::api::error::ApiError;
use crate::api::field::{self, Field, must_be};
use crate::api::fold::fold;
use crate::api::query::{WINDOW, index, page};
use crate::api::sources;
use crate::dataset::asked::{business_numbers, hierarchy, ordered};
use crate::dataset::facts::Dataset;
use crate::dataset::hierarchy::group_id;
use crate::dataset::insight::{Score, Tenths, scores};
use crate::dataset::selection::Filter;
use crate::operations::{Answer, Context};

/// The body.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Request<'a> {
    #[serde(borrow)]
    pub business_numbers: Field<'a>,
    #[serde(borrow)]
    pub start_date: Field<'a>,
    #[serde(borrow)]
    pub end_date: Field<'a>,
    #[serde(borrow)]
    pub user_email: Field<'a>,
    #[serde(borrow)]
    pub review_sources: Field<'a>,
    #[serde(borrow)]
    pub ratings: Field<'a>,
    #[serde(borrow)]
    pub hierarchy_node_data: Field<'a>,
    #[serde(borrow)]
    pub group_by_level: Field<'a>,
}

/// The answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Response<'a> {
    pub total_count: usize,
    pub data_points: &'a [DataPoint],
}

/// One point.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct DataPoint {
    pub id: u64,
    pub name: String,
    pub score: Tenths,
    pub mentions: u64,
}

/// Answers the call.
///
/// # Errors
/// 2003 for a field that is not as documented, 1027 for a business number outside the enterprise.
pub fn answer(context: Context<'_>, dataset: &Dataset, call: &Call<'_>) -> Result<Answer, ApiError> {
    let enterprise = context.enterprise.unwrap_or_default();
    let start = index(call, "start-index")
        .map_err(|sent| must_be("start-index", "an integer of 0 or more", &sent))?
        .unwrap_or(0);
    let size = match index(call, "page-size") {
        Ok(size) => size.unwrap_or(10),
        Err(_) => 0,
    };
    if !(1..=100).contains(&size) {
        let sent = call.parameter("page-size").unwrap_or_default();
        let detail = format!("page-size: {sent} is not one of 1-100");
        return Err(ApiError::validation("page-size must be between 1 and 100", detail));
    }
    let by_score = match call.parameter("sort-by").as_deref() {
        None | Some("name") => false,
        Some("sentiment-score") => true,
        Some(other) => return Err(must_be("sort-by", "name or sentiment-score", other)),
    };
    let descending = match call.parameter("sort-order").as_deref() {
        None | Some("0") => false,
        Some("1") => true,
        Some(other) => return Err(must_be("sort-order", "0 or 1", other)),
    };

    let request: Request =
        if field::is_blank(call.bytes()) { Request::default() } else { field::object(call.bytes())? };
    let mut locations = business_numbers(dataset, enterprise, request.business_numbers)?;
    let from = request.start_date.day("startDate")?;
    let to = request.end_date.day("endDate")?;
    user(dataset, enterprise, request.user_email)?;
    let sources = sources::filter(&dataset.sources, &request.review_sources.texts("reviewSources")?);
    let ratings = request.ratings.ratings("ratings")?;
    let levels = hierarchy(request.hierarchy_node_data)?;
    let group = group_level(dataset, enterprise, request.group_by_level)?;
    ordered(from <= to)?;
    if start.saturating_add(size) > WINDOW {
        let message = format!("start-index + page-size must be at most {WINDOW}");
        return Err(ApiError::validation(message, format!("{start} + {size} is more")));
    }

    locations.retain(|place| dataset.location(*place).is_at(&levels));
    let filter = Filter { from: Some(from), to: Some(to), ratings, sources, ..Filter::default() };
    let mut all = scores(&dataset.reviews, &filter, &locations);
    if let Some(added) = context.added {
        for (score, more) in all.iter_mut().zip(scores(&added.reviews, &filter, &locations)) {
            *score += more;
        }
    }
    let mut points = match group {
        Some(level) => grouped(dataset, enterprise, &level, &locations, &all),
        None => locations
            .iter()
            .map(|place| dataset.location(*place))
            .zip(all)
            .map(|(location, score)| point(location.number, location.name.clone(), score))
            .collect(),
    };
    points.sort_by_cached_key(|point| (fold(&point.name), point.id));
    match (by_score, descending) {
        (false, false) => {}
        (false, true) => {
            points.sort_by_cached_key(|point| (std::cmp::Reverse(fold(&point.name)), point.id));
        }
        (true, false) => points.sort_by_key(|point| point.score),
        (true, true) => points.sort_by_key(|point| std::cmp::Reverse(point.score)),
    }
    let (skip, take) = page(start, size);
    let shown = points.get(skip..).unwrap_or_default();
    let data_points = &shown[..take.min(shown.len())];
    Ok(Answer::of(&Response { total_count: points.len(), data_points }))
}

/// Checks that `userEmail` is a user of the account, of an enterprise under it, or of a reseller above it. An account
/// without users takes any address.
fn user(dataset: &Dataset, enterprise: u32, field: Field<'_>) -> Result<(), ApiError> {
    let Some(sent) = field.text("userEmail")? else { return Err(ApiError::mandatory("userEmail")) };
    if dataset.account(enterprise).users.is_empty() {
        return if email::looks_like_one(&sent) {
            Ok(())
        } else {
            Err(must_be("userEmail", "an email address", &sent))
        };
    }
    let related =
        |account: &u32| dataset.is_under(*account, enterprise) || dataset.is_under(enterprise, *account);
    let wanted = fold(&sent);
    let known = dataset
        .accounts()
        .filter(related)
        .flat_map(|account| &dataset.account(account).users)
        .any(|user| fold(user) == wanted);
    if known { Ok(()) } else { Err(ApiError::validation(format!("No user found for userEmail: {sent}"), "")) }
}

fn group_level(dataset: &Dataset, enterprise: u32, field: Field<'_>) -> Result<Option<String>, ApiError> {
    let Some(level) = field.text("groupByLevel")? else { return Ok(None) };
    let known: Vec<&str> = dataset
        .accounts()
        .filter(|account| dataset.is_under(*account, enterprise))
        .flat_map(|account| &dataset.account(account).levels)
        .map(String::as_str)
        .collect();
    if known.contains(&level.as_ref()) {
        return Ok(Some(level.into_owned()));
    }
    let allowed = if known.is_empty() {
        "absent: the account has no levels".to_owned()
    } else {
        format!("one of {}", known.join(", "))
    };
    Err(must_be("groupByLevel", &allowed, &level))
}

fn grouped(
    dataset: &Dataset,
    enterprise: u32,
    level: &str,
    locations: &[u32],
    scores: &[Score],
) -> Vec<DataPoint> {
    let mut groups: BTreeMap<&str, Score> = BTreeMap::new();
    for (place, score) in locations.iter().zip(scores) {
        if let Some(name) = dataset.location(*place).levels.get(level) {
            *groups.entry(name).or_default() += *score;
        }
    }
    let account = dataset.account(enterprise).number;
    let points =
        groups.into_iter().map(|(name, score)| point(group_id(account, level, name), name.to_owned(), score));
    points.collect()
}

const fn point(id: u64, name: String, score: Score) -> DataPoint {
    DataPoint { id, name, score: score.tenths(), mentions: score.mentions }
}
