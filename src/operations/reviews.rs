//! `POST /v1/review/businessId/{id}`: the reviews of a competitor, or of an own account or location.
//!
//! The names of the query parameters, and own businesses where the competitor flag is not true, are as published and
//! decided in `docs/api.md` 4. A date error has its own code per field.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use utoipa::ToSchema;

use crate::api::dates::Day;
use crate::api::dialect::ToDate;
use crate::api::error::{ApiError, Code};
use crate::api::field::{self, Field, element_must_be, must_be};
use crate::api::operation::Operation;
use crate::api::query::{AnsweredPage, index, page, within_window};
use crate::api::schema::{self, Integer, Rating, RequestDate, ResponseDate, schemas};
use crate::api::sources;
use crate::dataset::added::{self, ListedReview};
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::records::Kind;
use crate::dataset::review_view::ReviewView;
use crate::dataset::selection::Filter;
use crate::dataset::text::{Id, Said, Text};
use crate::operations::spec::{
    Authorized, Context, Done, KeyIn, Paging, Parameter, ParameterKind, ParameterName, Run, Spec, StartIndex,
};

const START_INDEX: ParameterName = ParameterName::Dialect(|names| &names.start_index);
const COUNT: ParameterName = ParameterName::Dialect(|names| &names.count);
const COMPETITOR: ParameterName = ParameterName::Dialect(|names| &names.competitor);
const DEFAULT_COUNT: u64 = 25;

pub(crate) static SPEC: Spec = Spec {
    operation: Operation::new("reviews"),
    summary: "Reviews of a competitor, or of an own account or location",
    path: "/v1/review/businessId/{CompetitorEnterpriseBusinessId}",
    key: KeyIn::Header,
    query: &[
        Parameter {
            name: START_INDEX,
            kind: ParameterKind::Integer { min: 0, max: None, default: 0 },
            required: false,
        },
        Parameter {
            name: COUNT,
            kind: ParameterKind::Integer { min: 0, max: None, default: DEFAULT_COUNT },
            required: false,
        },
        Parameter { name: COMPETITOR, kind: ParameterKind::Boolean, required: false },
    ],
    request: LazyLock::new(schema::of::<Request<'_>>),
    needs_body: false,
    response: LazyLock::new(schema::closed::<Vec<Response<'_>>>),
    own_codes: &[
        Code::BusinessInvalid,
        Code::StartIndex,
        Code::Count,
        Code::FromDate,
        Code::ToDate,
        Code::UpdateFromDate,
        Code::UpdateToDate,
    ],
    injected_2003: "ratings must be a list of ratings from 0 to 5",
    paging: Some(Paging {
        start: StartIndex::Query(START_INDEX),
        count: Some(COUNT),
        body_count: None,
        element: "review",
        total: None,
    }),
    searches: Some("searchStr"),
    run: Run::ForKey(run),
};

schemas! {
    Statuses json!({
        "type": "array",
        "items": { "type": "string", "enum": ["published", "parked", "all"] },
        "default": ["published"],
    });
    Featured json!({ "type": "integer", "enum": [0, 1] });
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request<'a> {
    #[serde(borrow, default)]
    #[schema(value_type = RequestDate, inline)]
    pub(crate) from_date: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = RequestDate, inline)]
    pub(crate) to_date: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = RequestDate, inline)]
    pub(crate) update_from_date: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = RequestDate, inline)]
    pub(crate) update_to_date: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<String>)]
    pub(crate) sources: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<Rating>, inline)]
    pub(crate) ratings: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = String)]
    pub(crate) search_str: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Vec<Integer>, inline)]
    pub(crate) sub_business_ids: Field<'a>,
    #[serde(borrow, default)]
    #[schema(value_type = Statuses, inline)]
    pub(crate) statuses: Field<'a>,
}

/// One review of the answer, which is an array of them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response<'a> {
    #[schema(value_type = String)]
    pub(crate) review_id: Id<'a>,
    #[schema(maximum = 5)]
    pub(crate) rating: u8,
    #[schema(value_type = String)]
    pub(crate) comments: Said<'a>,
    #[schema(value_type = Option<String>, required = true)]
    pub(crate) title: Option<Said<'a>>,
    #[schema(inline)]
    pub(crate) reviewer: Reviewer<'a>,
    #[schema(value_type = String)]
    pub(crate) review_url: Text<'a>,
    pub(crate) source_type: &'a str,
    #[schema(value_type = ResponseDate, inline)]
    pub(crate) review_date: Day,
    #[schema(value_type = Option<String>, required = true)]
    pub(crate) response: Option<Said<'a>>,
    #[schema(value_type = Option<ResponseDate>, inline, required = true)]
    pub(crate) response_date: Option<Day>,
    #[schema(value_type = Featured, inline)]
    pub(crate) featured: u8,
    #[schema(value_type = String)]
    pub(crate) business_id: AsText,
    #[schema(value_type = String)]
    pub(crate) unique_review_url: Text<'a>,
    pub(crate) business_name: &'a str,
    pub(crate) business_type: &'a str,
    pub(crate) enable_reply: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64)]
    pub(crate) customer_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = BTreeMap<String, String>)]
    pub(crate) extra_params: Option<&'a BTreeMap<String, String>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reviewer<'a> {
    #[schema(value_type = Option<String>, required = true)]
    pub(crate) first_name: Option<Text<'a>>,
    #[schema(value_type = Option<String>, required = true)]
    pub(crate) last_name: Option<Text<'a>>,
    #[schema(value_type = Option<String>, required = true)]
    pub(crate) nick_name: Option<Text<'a>>,
    #[schema(value_type = Option<String>, required = true)]
    pub(crate) thumbnail_url: Option<Text<'a>>,
    #[schema(value_type = Option<String>, required = true)]
    pub(crate) email_id: Option<Text<'a>>,
    #[schema(value_type = Option<String>, required = true)]
    pub(crate) facebook_id: Option<Text<'a>>,
    #[schema(value_type = Option<String>, required = true)]
    pub(crate) city: Option<Text<'a>>,
    #[schema(value_type = Option<String>, required = true)]
    pub(crate) state: Option<Text<'a>>,
}

/// A number written as a string.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AsText(pub(crate) u64);

impl Serialize for AsText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// The note where the days and sources that are asked for are why nothing is listed.
pub(crate) const NOTHING_FROM: &str = "no review is from these days and sources; without them there are some";

fn run(context: &Context<'_>, authorized: &Authorized<'_>) -> Result<Done, ApiError> {
    let (dataset, call) = (context.dataset, authorized.call);
    let request: Request = field::object_or_default(call.bytes())?;
    let name = |parameter: ParameterName| parameter.get(context.dialect);
    let flag = call.parameter(name(COMPETITOR));
    let competitor = match flag.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("false") => Some(false),
        Some("true") => Some(true),
        Some(_) => None,
    };
    let place = business(context, authorized, competitor)?;
    let start = index(call, name(START_INDEX))
        .map_err(|sent| bad_index(Code::StartIndex, name(START_INDEX), &sent))?;
    let count = index(call, name(COUNT)).map_err(|sent| bad_index(Code::Count, name(COUNT), &sent))?;
    if context.dialect.page_required {
        for (parameter, given) in [(START_INDEX, start), (COUNT, count)] {
            if given.is_none() {
                return Err(ApiError::mandatory(name(parameter)));
            }
        }
    }
    let (start, count) = (start.unwrap_or(0), count.unwrap_or(DEFAULT_COUNT));
    if competitor.is_none() {
        return Err(must_be(name(COMPETITOR), "true or false", flag.as_deref().unwrap_or_default()));
    }

    let from = date(request.from_date, "fromDate", Code::FromDate)?;
    let to = date(request.to_date, "toDate", Code::ToDate)?;
    let updated_from = date(request.update_from_date, "updateFromDate", Code::UpdateFromDate)?;
    let updated_to = date(request.update_to_date, "updateToDate", Code::UpdateToDate)?;
    let sources = sources::filter(&dataset.sources, &request.sources.texts("sources")?);
    let ratings = request.ratings.ratings("ratings")?;
    let search = request.search_str.text("searchStr")?;
    let locations = locations(dataset, place, &request.sub_business_ids.integers("subBusinessIds")?);
    let published = statuses(request.statuses)?;
    within_window(start, count)?;

    let is_exclusive = match context.dialect.to_date {
        ToDate::Inclusive => false,
        ToDate::Exclusive => true,
        ToDate::ExclusiveForOwn => competitor != Some(true),
    };
    let last = |day: Option<Day>| day.map(|day| if is_exclusive { Day(day.0 - 1) } else { day });
    let filter = Filter {
        locations: Some(&locations),
        from,
        to: last(to),
        updated_from,
        updated_to: last(updated_to),
        ratings,
        sources,
        published,
    };
    let reviews = added::reviews(dataset, context.added, &filter, search.as_deref());
    let (skip, take) = page(start, count);
    let mut rest = reviews.skip(skip);
    let mut length = 0;
    let body = list(dataset, rest.by_ref().take(take).inspect(|_| length += 1), take).into();
    // A search would go on to the end of the list for the next review.
    let is_last = length < take || (search.is_none() && rest.next().is_none());
    let length = length as u64;
    let total = (is_last && (length > 0 || start == 0)).then_some(start + length);
    let page = Some(AnsweredPage { start, length, total });
    let is_narrowed = search.is_none()
        && (from.or(to).or(updated_from).or(updated_to).is_some() || filter.sources.is_some());
    let note = (total == Some(0) && take > 0 && is_narrowed).then(|| {
        let wide =
            Filter { locations: Some(&locations), ratings: filter.ratings, published, ..Filter::default() };
        let mut others = added::reviews(dataset, context.added, &wide, None);
        others.next().map(|_| NOTHING_FROM.to_owned())
    });
    let account = dataset.account(dataset.account_at(place)).number;
    Ok(Done { body, account, contact: None, note: note.flatten(), page })
}

fn bad_index(code: Code, name: &str, sent: &str) -> ApiError {
    ApiError::new(code, format!("{name}: {sent} is not an integer of 0 or more"))
}

/// The business of the path: a competitor of an account that the key covers, or a business that it covers. With an
/// unreadable flag (`None`) it needs only to exist; the flag is refused afterwards.
fn business(
    context: &Context<'_>,
    authorized: &Authorized<'_>,
    competitor: Option<bool>,
) -> Result<BusinessRef, ApiError> {
    let dataset = context.dataset;
    let anyone = crate::auth::Caller { key: None };
    let caller = if competitor == Some(false) { authorized.caller } else { anyone };
    let place = caller.business(dataset, "the path's business id", authorized.parameter)?;
    let rival = |account: u32| {
        let number = dataset.account(account).number;
        dataset.account(account).kind == Kind::Enterprise
            && dataset.accounts().any(|own| {
                dataset.account(own).competitors.contains(&number) && authorized.caller.covers(dataset, own)
            })
    };
    match (competitor, place) {
        (Some(true), BusinessRef::Account(account)) if rival(account) => Ok(place),
        (Some(true), _) => Err(ApiError::new(
            Code::BusinessInvalid,
            "the path's business id: this is no competitor of an account that the API key covers",
        )),
        (Some(false) | None, _) => Ok(place),
    }
}

fn date(field: Field<'_>, name: &str, code: Code) -> Result<Option<Day>, ApiError> {
    let refuse =
        |sent: &str| ApiError::new(code, format!("{name}: {sent} is not a date in the format MM/DD/YYYY"));
    let Some(raw) = field.raw() else { return Ok(None) };
    let text = field::string(raw).ok_or_else(|| refuse(raw))?;
    Day::from_request(&text).map(Some).ok_or_else(|| refuse(&text))
}

/// The locations to list: all of the business's, or those that `subBusinessIds` names. Unknown ids match nothing.
fn locations(dataset: &Dataset, place: BusinessRef, narrowed: &[i64]) -> Vec<u32> {
    let mut locations = dataset.locations_of(place);
    if !narrowed.is_empty() {
        let places = narrowed.iter().filter_map(|number| dataset.find(*number));
        let mut named: Vec<u32> = places.flat_map(|place| dataset.locations_of(place)).collect();
        named.sort_unstable();
        locations.retain(|location| named.binary_search(location).is_ok());
    }
    locations
}

/// Whether published reviews alone are wanted, parked ones alone, or both.
fn statuses(field: Field<'_>) -> Result<Option<bool>, ApiError> {
    let allowed = "a list of published, parked, all";
    let (mut published, mut parked) = (false, false);
    let statuses = field.texts("statuses")?;
    for (at, status) in statuses.iter().enumerate() {
        match status.as_ref() {
            "published" => published = true,
            "parked" => parked = true,
            "all" => (published, parked) = (true, true),
            other => return Err(element_must_be("statuses", at, allowed, other)),
        }
    }
    Ok(match (published, parked) {
        (true, true) => None,
        (false, true) => Some(false),
        (_, false) => Some(true),
    })
}

/// The JSON array of these reviews.
fn list<'a>(dataset: &Dataset, reviews: impl Iterator<Item = ListedReview<'a>>, count: usize) -> Vec<u8> {
    let mut body = Vec::with_capacity(TYPICAL_BYTES * count.clamp(1, 100));
    body.push(b'[');
    RENDERED.with_borrow_mut(|rendered| {
        for review in reviews {
            if body.len() > 1 {
                body.push(b',');
            }
            match (review, rendered.as_mut()) {
                (ListedReview::Seeded(row), Some(rendered)) => rendered.append(dataset, row, &mut body),
                (review, _) => render(dataset, review, &mut body),
            }
        }
    });
    body.push(b']');
    body
}

fn render(dataset: &Dataset, review: ListedReview<'_>, body: &mut Vec<u8>) {
    if let Some(review) = dataset.listed_review(review) {
        let written = serde_json::to_writer(body, &Response::of(&review));
        debug_assert!(written.is_ok(), "a response type that is not JSON: {written:?}");
    }
}

/// Length of a usual review, by which the room for a page is reserved.
const TYPICAL_BYTES: usize = 900;

/// Number of rendered reviews that a thread keeps, less than 2 MiB of usual ones.
const RENDERED_ROWS: usize = 2048;

/// Longer reviews are rendered each time.
const RENDERED_BYTES: usize = 4096;

thread_local! {
    /// None on threads that answer long calls: there are many of them, and long pages do not overlap.
    static RENDERED: RefCell<Option<RenderedReviews>> = const { RefCell::new(None) };
}

/// Lets this thread keep the reviews that it renders. Each worker thread of the server does.
pub(crate) fn keep_rendered() {
    RENDERED.with_borrow_mut(|rendered| {
        rendered.get_or_insert_default();
    });
}

/// Reviews that this thread has rendered, by row. Pages overlap: different calls show the same reviews, and the words of a
/// generated one are drawn each time it is rendered, which takes 16,000 instructions. A dataset never changes, so a
/// rendered review is never out of date.
#[derive(Default)]
struct RenderedReviews(HashMap<(u64, u32), Box<[u8]>>);

impl RenderedReviews {
    fn append(&mut self, dataset: &Dataset, row: u32, body: &mut Vec<u8>) {
        if let Some(bytes) = self.0.get(&(dataset.number, row)) {
            body.extend_from_slice(bytes);
            return;
        }
        let start = body.len();
        render(dataset, ListedReview::Seeded(row), body);
        let bytes = &body[start..];
        if bytes.len() <= RENDERED_BYTES {
            if self.0.len() >= RENDERED_ROWS {
                self.0.clear();
            }
            self.0.insert((dataset.number, row), bytes.into());
        }
    }
}

impl<'a> Response<'a> {
    /// A review as the API shows it.
    pub(crate) fn of(shown: &ReviewView<'a>) -> Self {
        let who = shown.reviewer;
        Self {
            review_id: shown.id,
            rating: shown.rating,
            comments: shown.comments,
            title: shown.title,
            reviewer: Reviewer {
                first_name: who.first_name,
                last_name: who.last_name,
                nick_name: who.nick_name,
                thumbnail_url: who.thumbnail_url,
                email_id: who.email_id,
                facebook_id: who.facebook_id,
                city: who.city,
                state: who.state,
            },
            review_url: shown.review_url,
            source_type: &shown.source.name,
            review_date: shown.day,
            response: shown.response,
            response_date: shown.response_day,
            featured: shown.published.into(),
            business_id: AsText(shown.location.number),
            unique_review_url: shown.unique_review_url,
            business_name: &shown.location.name,
            business_type: "Location",
            enable_reply: shown.enable_reply,
            customer_id: shown.customer_id,
            extra_params: shown.extra,
        }
    }
}
