//! `POST /v1/insight/sentiment/scoreBenchmark`: an actual sentiment score beside that of the industry.
//!
//! The dates are mandatory here too (`behaviour.md` 3); the industry's score is the account's own figure, else that of
//! its competitors' reviews in the same days, else 0.

use serde::{Deserialize, Serialize};

use crate::api::call::Call;
use crate::api::dates::Day;
use crate::api::field::{self, Field};
use crate::api::refusal::Refusal;
use crate::api::sources;
use crate::dataset::insight::total;
use crate::dataset::selection::Filter;
use crate::dataset::whole::{Dataset, Place};
use crate::operations::sentiment_locations::{Tenths, business_numbers, hierarchy, ordered};
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
    pub review_sources: Field<'a>,
    #[serde(borrow)]
    pub ratings: Field<'a>,
    #[serde(borrow)]
    pub hierarchy_node_data: Field<'a>,
}

/// The answer.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Response {
    pub actual: Actual,
}

/// The two scores.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Actual {
    pub score: Tenths,
    pub industry_score: f64,
}

/// Answers the call.
///
/// # Errors
/// 2003 for a field that is not as documented, 1027 for a business number outside the enterprise.
pub fn answer(context: Context<'_>, dataset: &Dataset, call: &Call<'_>) -> Result<Answer, Refusal> {
    let enterprise = context.enterprise.unwrap_or_default();
    let request: Request =
        if field::is_blank(call.bytes()) { Request::default() } else { field::object(call.bytes())? };
    let mut locations = business_numbers(dataset, enterprise, request.business_numbers)?;
    let from = request.start_date.day("startDate")?;
    let to = request.end_date.day("endDate")?;
    let sources = sources::filter(&dataset.sources, &request.review_sources.texts("reviewSources")?);
    let ratings = request.ratings.ratings("ratings")?;
    let levels = hierarchy(request.hierarchy_node_data)?;
    ordered(from <= to)?;

    let mut accounts: Vec<u32> = locations.iter().map(|place| dataset.account_of(*place)).collect();
    accounts.dedup();
    if accounts.is_empty() {
        accounts.push(enterprise);
    }
    locations.retain(|place| dataset.location(*place).is_at(&levels));
    let filter = Filter { from: Some(from), to: Some(to), ratings, sources, ..Filter::default() };
    let score = Tenths(total(&dataset.reviews, &filter, &locations).tenths());
    let industry_score = industry(dataset, &accounts, from, to);
    Ok(Answer::of(&Response { actual: Actual { score, industry_score } }))
}

/// The mean over the accounts asked about, those of which nothing is known left out.
#[expect(clippy::cast_precision_loss, reason = "scores and counts of accounts are small")]
fn industry(dataset: &Dataset, accounts: &[u32], from: Day, to: Day) -> f64 {
    let known = accounts.iter().filter_map(|account| industry_of(dataset, *account, from, to));
    match known.fold((0.0, 0_usize), |(sum, count), score| (sum + score, count + 1)) {
        (sum, 0 | 1) => sum,
        (sum, count) => (sum / count as f64 * 10.0).round() / 10.0,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a score is at most 1000 tenths")]
fn industry_of(dataset: &Dataset, account: u32, from: Day, to: Day) -> Option<f64> {
    let business = dataset.account(account);
    if business.industry_score.is_some() {
        return business.industry_score;
    }
    let competitors =
        business.competitors.iter().filter_map(|number| dataset.find(i64::try_from(*number).ok()?));
    let mut locations: Vec<u32> = competitors.flat_map(|place: Place| dataset.locations_of(place)).collect();
    locations.sort_unstable();
    locations.dedup();
    let days = Filter { from: Some(from), to: Some(to), ..Filter::default() };
    let score = total(&dataset.reviews, &days, &locations);
    (score.mentions > 0).then(|| score.tenths() as f64 / 10.0)
}
