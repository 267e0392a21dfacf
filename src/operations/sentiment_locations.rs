//! `POST /v1/insight/sentiment/locationInfo`: sentiment scores and mention counts by location.
//!
//! The formula of the score, account numbers in `businessNumbers` and `groupByLevel` are as `docs/api.md` 4 decides.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::call::Call;
use crate::api::email;
use crate::api::error::{ApiError, Code};
use crate::api::field::{self, Field, must_be};
use crate::api::fold::fold;
use crate::api::operation::Operation;
use crate::api::query::{AnsweredPage, WINDOW, index, page};
use crate::api::schema::{self, Integer, Rating, RequestDate};
use crate::api::sources;
use crate::dataset::facts::Dataset;
use crate::dataset::hierarchy::group_id;
use crate::dataset::insight::{Score, Tenths, scores};
use crate::dataset::selection::Filter;
use crate::operations::insight::{HierarchyNode, business_numbers, hierarchy, ordered};
use crate::operations::spec::{
    Authorized, Context, Done, KeyIn, Paging, Parameter, ParameterKind, ParameterName, Run, Spec, StartIndex,
};

const START_INDEX: &str = "start-index";
const PAGE_SIZE: &str = "page-size";
const SORT_BY: &str = "sort-by";
const SORT_ORDER: &str = "sort-order";
const DEFAULT_PAGE_SIZE: u64 = 10;
const MAX_PAGE_SIZE: u64 = 100;

pub(crate) static SPEC: Spec = Spec {
    operation: Operation::new("sentiment-locations"),
    summary: "Sentiment scores and mentions by location",
    path: "/v1/insight/sentiment/locationInfo",
    key: KeyIn::Header,
    query: &[
        Parameter {
            name: ParameterName::Fixed(START_INDEX),
            kind: ParameterKind::Integer { min: 0, max: None, default: 0 },
            required: false,
        },
        Parameter {
            name: ParameterName::Fixed(PAGE_SIZE),
            kind: ParameterKind::Integer { min: 1, max: Some(MAX_PAGE_SIZE), default: DEFAULT_PAGE_SIZE },
            required: false,
        },
        Parameter {
            name: ParameterName::Fixed(SORT_BY),
            kind: ParameterKind::Word(&["name", "sentiment-score"]),
            required: false,
        },
        Parameter {
            name: ParameterName::Fixed(SORT_ORDER),
            kind: ParameterKind::Number(&[0, 1]),
            required: false,
        },
    ],
    request: LazyLock::new(schema::of::<Request<'_>>),
    needs_body: true,
    response: LazyLock::new(schema::closed::<Response<'_>>),
    own_codes: &[Code::EnterpriseInvalid, Code::NumberInvalid],
    injected_2003: "businessNumbers are mandatory",
    paging: Some(Paging {
        start: StartIndex::Query(ParameterName::Fixed(START_INDEX)),
        count: Some(ParameterName::Fixed(PAGE_SIZE)),
        body_count: None,
        element: "location",
        total: Some("totalCount"),
    }),
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
    #[schema(value_type = String, required = true, example = "owner@brightdental.test")]
    pub(crate) user_email: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<String>, inline)]
    pub(crate) review_sources: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<Rating>, inline)]
    pub(crate) ratings: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<HierarchyNode<'_>>, inline)]
    pub(crate) hierarchy_node_data: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = String)]
    pub(crate) group_by_level: Field<'a>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response<'a> {
    pub(crate) total_count: usize,
    #[schema(inline)]
    pub(crate) data_points: &'a [DataPoint],
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DataPoint {
    pub(crate) id: u64,
    pub(crate) name: String,
    #[schema(value_type = schema::Score, inline)]
    pub(crate) score: Tenths,
    pub(crate) mentions: u64,
}

fn run(context: &Context<'_>, authorized: &Authorized<'_>, enterprise: u32) -> Result<Done, ApiError> {
    let (dataset, call) = (context.dataset, authorized.call);
    let request: Request = field::object_or_default(call.bytes())?;
    let start = index(call, START_INDEX)
        .map_err(|sent| must_be(START_INDEX, "an integer of 0 or more", &sent))?
        .unwrap_or(0);
    let size = page_size(call)?;
    let by_score = match call.parameter(SORT_BY).as_deref() {
        None | Some("name") => false,
        Some("sentiment-score") => true,
        Some(other) => return Err(must_be(SORT_BY, "name or sentiment-score", other)),
    };
    let descending = match call.parameter(SORT_ORDER).as_deref() {
        None | Some("0") => false,
        Some("1") => true,
        Some(other) => return Err(must_be(SORT_ORDER, "0 or 1", other)),
    };

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

    locations.retain(|place| dataset.location(*place).matches_levels(&levels));
    let filter = Filter { from: Some(from), to: Some(to), ratings, sources, ..Filter::default() };
    let all = scores(dataset, context.added, &filter, &locations);
    let mut points = match group {
        Some(level) => grouped(dataset, enterprise, &level, &locations, &all),
        None => locations
            .iter()
            .map(|place| dataset.location(*place))
            .zip(all)
            .map(|(location, score)| point(location.number, location.name.clone(), score))
            .collect(),
    };
    sort(&mut points, by_score, descending);
    let (skip, take) = page(start, size);
    let shown = points.get(skip..).unwrap_or_default();
    let data_points = &shown[..take.min(shown.len())];
    let response = Response { total_count: points.len(), data_points };
    let page = AnsweredPage { start, length: data_points.len() as u64, total: Some(points.len() as u64) };
    Ok(Done { page: Some(page), ..Done::new(dataset.account(enterprise).number, &response) })
}

/// The parameter `page-size`. What is not an integer is refused as out of range, as the API does.
fn page_size(call: &Call<'_>) -> Result<u64, ApiError> {
    let size = index(call, PAGE_SIZE).map_or(0, |size| size.unwrap_or(DEFAULT_PAGE_SIZE));
    if (1..=MAX_PAGE_SIZE).contains(&size) {
        return Ok(size);
    }
    let sent = call.parameter(PAGE_SIZE).unwrap_or_default();
    let detail = format!("page-size: {sent} is not one of 1-{MAX_PAGE_SIZE}");
    Err(ApiError::validation(format!("page-size must be between 1 and {MAX_PAGE_SIZE}"), detail))
}

/// Sorts by the key asked for. Ties ascend by name without case, then by id.
fn sort(points: &mut [DataPoint], by_score: bool, descending: bool) {
    points.sort_by_cached_key(|point| (fold(&point.name), point.id));
    match (by_score, descending) {
        (false, false) => {}
        (false, true) => {
            points.sort_by_cached_key(|point| (std::cmp::Reverse(fold(&point.name)), point.id));
        }
        (true, false) => points.sort_by_key(|point| point.score),
        (true, true) => points.sort_by_key(|point| std::cmp::Reverse(point.score)),
    }
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
