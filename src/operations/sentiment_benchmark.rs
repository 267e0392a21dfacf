//! `POST /v1/insight/sentiment/scoreBenchmark`: an actual sentiment score beside that of the industry.
//!
//! The dates are mandatory here too (`behaviour.md` 3); the industry's score is the account's own figure, else that of
//! its competitors' reviews in the same days, else 0.

use serde::{Deserialize, Serialize};

use crate::api::call::Call;
use crate::api::error::ApiError;
use crate::api::field::{self, Field};
use crate::api::sources;
use crate::dataset::asked::{business_numbers, hierarchy, ordered};
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::insight::{Score, Tenths, total};
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
pub fn answer(context: Context<'_>, dataset: &Dataset, call: &Call<'_>) -> Result<Answer, ApiError> {
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

    let accounts = asked_about(dataset, request.business_numbers)?;
    locations.retain(|place| dataset.location(*place).is_at(&levels));
    let days = Filter { from: Some(from), to: Some(to), ..Filter::default() };
    let filter = Filter { ratings, sources, ..days.clone() };
    let score = score(context, dataset, &filter, &locations).tenths();
    let industry_score = industry(context, dataset, &accounts, &days);
    Ok(Answer::of(&Response { actual: Actual { score, industry_score } }))
}

/// The score of some locations together, over the reviews of the scenario and those added to the world.
fn score(context: Context<'_>, dataset: &Dataset, filter: &Filter<'_>, locations: &[u32]) -> Score {
    let mut score = total(&dataset.reviews, filter, locations);
    if let Some(added) = context.added {
        score += total(&added.reviews, filter, locations);
    }
    score
}

/// The accounts that `businessNumbers` ask about, with locations or without: those named, those of the locations named,
/// and the enterprises of a reseller named (or it alone, where it has none).
fn asked_about(dataset: &Dataset, field: Field<'_>) -> Result<Vec<u32>, ApiError> {
    let mut accounts = Vec::new();
    for place in field.integers("businessNumbers")?.into_iter().filter_map(|number| dataset.find(number)) {
        let named = dataset.account_at(place);
        let before = accounts.len();
        if let BusinessRef::Account(_) = place {
            let under = |account: &u32| *account != named && dataset.is_under(*account, named);
            accounts.extend(dataset.accounts().filter(under));
        }
        if accounts.len() == before {
            accounts.push(named);
        }
    }
    accounts.sort_unstable();
    accounts.dedup();
    Ok(accounts)
}

/// The mean over the accounts asked about, those of which nothing is known left out.
#[expect(clippy::cast_precision_loss, reason = "scores and counts of accounts are small")]
fn industry(context: Context<'_>, dataset: &Dataset, accounts: &[u32], days: &Filter<'_>) -> f64 {
    let known = accounts.iter().filter_map(|account| industry_of(context, dataset, *account, days));
    match known.fold((0.0, 0_usize), |(sum, count), score| (sum + score, count + 1)) {
        (given, 1) if accounts.len() == 1 && dataset.account(accounts[0]).industry_score.is_some() => given,
        (sum, count) => (sum / count.max(1) as f64 * 10.0).round() / 10.0,
    }
}

fn industry_of(context: Context<'_>, dataset: &Dataset, account: u32, days: &Filter<'_>) -> Option<f64> {
    let business = dataset.account(account);
    if business.industry_score.is_some() {
        return business.industry_score;
    }
    let competitors =
        business.competitors.iter().filter_map(|number| dataset.find(i64::try_from(*number).ok()?));
    let mut locations: Vec<u32> =
        competitors.flat_map(|place: BusinessRef| dataset.locations_of(place)).collect();
    locations.sort_unstable();
    locations.dedup();
    let score = score(context, dataset, days, &locations);
    (score.mentions > 0).then(|| score.mean())
}
