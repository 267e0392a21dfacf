//! `POST /v1/insight/sentiment/scoreBenchmark`: an actual sentiment score beside that of the industry.
//!
//! The dates are mandatory here too (`docs/api.md` 4.2). The industry score is the account's own figure, else that of its
//! competitors' reviews in the same days, else 0.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::error::{ApiError, Code};
use crate::api::field::{self, Field};
use crate::api::operation::Operation;
use crate::api::schema::{self, Integer, Rating, RequestDate};
use crate::api::sources;
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::insight::{Score, Tenths, mean, total};
use crate::dataset::records::Kind;
use crate::dataset::selection::Filter;
use crate::operations::insight::{HierarchyNode, business_numbers, hierarchy, ordered};
use crate::operations::spec::{Authorized, Context, Done, KeyIn, Run, Spec};

pub(crate) static SPEC: Spec = Spec {
    operation: Operation::new("sentiment-benchmark"),
    summary: "A sentiment score beside the industry's",
    path: "/v1/insight/sentiment/scoreBenchmark",
    key: KeyIn::Header,
    query: &[],
    request: LazyLock::new(schema::of::<Request<'_>>),
    needs_body: true,
    response: LazyLock::new(schema::closed::<Response>),
    own_codes: &[Code::EnterpriseInvalid, Code::NumberInvalid],
    injected_2003: "businessNumbers are mandatory",
    paging: None,
    searches: None,
    run: Run::ForAccount(Code::EnterpriseInvalid, run),
};

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request<'a> {
    #[serde(borrow, default)]
    #[schema(value_type = Vec<Integer>, inline, required = true, min_items = 1, max_items = 100)]
    pub(crate) business_numbers: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = RequestDate, inline, required = true)]
    pub(crate) start_date: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = RequestDate, inline, required = true)]
    pub(crate) end_date: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<String>, inline)]
    pub(crate) review_sources: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<Rating>, inline)]
    pub(crate) ratings: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<HierarchyNode<'_>>, inline)]
    pub(crate) hierarchy_node_data: Field<'a>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Response {
    #[schema(inline)]
    pub(crate) actual: Actual,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Actual {
    #[schema(value_type = schema::Score, inline)]
    pub(crate) score: Tenths,
    #[schema(value_type = schema::Score, inline)]
    pub(crate) industry_score: Tenths,
}

fn run(context: &Context<'_>, authorized: &Authorized<'_>, enterprise: u32) -> Result<Done, ApiError> {
    let dataset = context.dataset;
    let request: Request = field::object_or_default(authorized.call.bytes())?;
    let mut locations = business_numbers(dataset, enterprise, request.business_numbers)?;
    let from = request.start_date.day("startDate")?;
    let to = request.end_date.day("endDate")?;
    let sources = sources::filter(&dataset.sources, &request.review_sources.texts("reviewSources")?);
    let ratings = request.ratings.ratings("ratings")?;
    let levels = hierarchy(request.hierarchy_node_data)?;
    ordered(from <= to)?;

    let accounts = asked_about(dataset, request.business_numbers)?;
    locations.retain(|place| dataset.location(*place).matches_levels(&levels));
    let days = Filter { from: Some(from), to: Some(to), ..Filter::default() };
    let filter = Filter { ratings, sources, ..days.clone() };
    let score = total(context.dataset, context.added, &filter, &locations).tenths();
    let industry_score = industry(context, &accounts, &days);
    let response = Response { actual: Actual { score, industry_score } };
    Ok(Done::new(dataset.account(enterprise).number, &response))
}

/// The accounts that `businessNumbers` ask about, with locations or without: the accounts named, those of the locations
/// named, and the enterprises of a reseller named (the reseller alone if it has none).
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

/// The mean industry score of these accounts. Accounts without any are left out.
fn industry(context: &Context<'_>, accounts: &[u32], days: &Filter<'_>) -> Tenths {
    mean(accounts.iter().map(|account| industry_of(context, *account, days)))
}

/// The industry score of an account: its own, else that of its competitors' reviews.
fn industry_of(context: &Context<'_>, account: u32, days: &Filter<'_>) -> Score {
    let dataset = context.dataset;
    let business = dataset.account(account);
    if let (Some(own), Kind::Enterprise) = (business.industry_score, business.kind) {
        return own.into();
    }
    let competitors =
        business.competitors.iter().filter_map(|number| dataset.find(i64::try_from(*number).ok()?));
    let mut locations: Vec<u32> =
        competitors.flat_map(|place: BusinessRef| dataset.locations_of(place)).collect();
    locations.sort_unstable();
    locations.dedup();
    total(context.dataset, context.added, days, &locations)
}
