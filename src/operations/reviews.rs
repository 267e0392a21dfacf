//! `POST /v1/review/businessId/{id}`: the reviews of a competitor, or of an own account or location.
//!
//! The names of the query parameters, and own businesses where the competitor flag is not true, are as published and
//! decided in `behaviour.md` 4. A date error has its own code per field.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

use crate::api::call::Call;
use crate::api::dates::Day;
use crate::api::error::{ApiError, Code};
use crate::api::field::{self, Field, element_must_be, must_be};
use crate::api::query::{index, page, within_window};
use crate::api::sources;
use crate::dataset::added;
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::records::Kind;
use crate::dataset::search::Search;
use crate::dataset::selection::Filter;
use crate::dataset::shown::Shown;
use crate::dataset::text::{Id, Text};
use crate::operations::{Answer, Context};

/// The body.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Request<'a> {
    #[serde(borrow)]
    pub from_date: Field<'a>,
    #[serde(borrow)]
    pub to_date: Field<'a>,
    #[serde(borrow)]
    pub update_from_date: Field<'a>,
    #[serde(borrow)]
    pub update_to_date: Field<'a>,
    #[serde(borrow)]
    pub sources: Field<'a>,
    #[serde(borrow)]
    pub ratings: Field<'a>,
    #[serde(borrow)]
    pub search_str: Field<'a>,
    #[serde(borrow)]
    pub sub_business_ids: Field<'a>,
    #[serde(borrow)]
    pub statuses: Field<'a>,
}

/// One review of the answer, which is an array of them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Response<'a> {
    pub review_id: Id<'a>,
    pub rating: u8,
    pub comments: Text<'a>,
    pub title: Option<Text<'a>>,
    pub reviewer: Reviewer<'a>,
    pub review_url: Text<'a>,
    pub source_type: &'a str,
    pub review_date: Day,
    pub response: Option<Text<'a>>,
    pub response_date: Option<Day>,
    pub featured: u8,
    pub business_id: AsText,
    pub unique_review_url: Text<'a>,
    pub business_name: &'a str,
    pub business_type: &'a str,
    pub enable_reply: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_params: Option<&'a BTreeMap<String, String>>,
}

/// Who wrote it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct Reviewer<'a> {
    pub first_name: Option<Text<'a>>,
    pub last_name: Option<Text<'a>>,
    pub nick_name: Option<Text<'a>>,
    pub thumbnail_url: Option<Text<'a>>,
    pub email_id: Option<Text<'a>>,
    pub facebook_id: Option<Text<'a>>,
    pub city: Option<Text<'a>>,
    pub state: Option<Text<'a>>,
}

/// A number written as a string.
#[derive(Clone, Copy, Debug)]
pub struct AsText(pub u64);

impl Serialize for AsText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// How many reviews a page has unless told.
const PAGE: u64 = 25;

/// Answers the call.
///
/// # Errors
/// 1011 for the business, 1163 and 1164 for the page, 1186, 1187, 1227 and 1228 for the days, 2003 for other fields.
pub fn answer(context: Context<'_>, dataset: &Dataset, call: &Call<'_>) -> Result<Answer, ApiError> {
    let names = &context.dialect.names;
    let flag = call.parameter(&names.competitor);
    let competitor = match flag.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("false") => Some(false),
        Some("true") => Some(true),
        Some(_) => None,
    };
    let place = business(context, dataset, competitor)?;
    let start = index(call, &names.start_index)
        .map_err(|sent| bad_index(Code::StartIndex, &names.start_index, &sent))?;
    let count = index(call, &names.count).map_err(|sent| bad_index(Code::Count, &names.count, &sent))?;
    let (start, count) = (start.unwrap_or(0), count.unwrap_or(PAGE));
    if competitor.is_none() {
        return Err(must_be(&names.competitor, "true or false", flag.as_deref().unwrap_or_default()));
    }

    let request: Request =
        if field::is_blank(call.bytes()) { Request::default() } else { field::object(call.bytes())? };
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

    let last = |day: Option<Day>| {
        day.map(|day| if context.dialect.to_date_exclusive { Day(day.0 - 1) } else { day })
    };
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
    let rows = added::reviews(dataset, context.added, |facts| {
        let mut search = search.as_deref().map(|text| Search::new(facts, text));
        let rows = facts.reviews.select(&filter);
        rows.filter(move |row| search.as_mut().is_none_or(|search| search.finds(*row)))
    });
    let (skip, take) = page(start, count);
    Ok(list(rows.skip(skip).take(take), take))
}

fn bad_index(code: Code, name: &str, sent: &str) -> ApiError {
    ApiError::new(code, format!("{name}: {sent} is not an integer of 0 or more"))
}

/// The business of the path: a competitor of an account that the key covers, or a business that it covers. With an
/// unreadable flag (`None`) it needs only to exist; the flag is refused afterwards.
fn business(
    context: Context<'_>,
    dataset: &Dataset,
    competitor: Option<bool>,
) -> Result<BusinessRef, ApiError> {
    let anyone = crate::auth::Caller { key: None };
    let caller = if competitor == Some(false) { context.caller } else { anyone };
    let place = caller.business(dataset, "the path's business id", context.parameter)?;
    let rival = |account: u32| {
        let number = dataset.account(account).number;
        dataset.account(account).kind == Kind::Enterprise
            && dataset.accounts().any(|own| {
                dataset.account(own).competitors.contains(&number) && context.caller.covers(dataset, own)
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

/// The answer of those rows, each written straight into it, or copied from when it was written last.
fn list<'a>(rows: impl Iterator<Item = (&'a Dataset, u32)>, count: usize) -> Answer {
    let mut body = Vec::with_capacity(TYPICAL * count.clamp(1, 100));
    body.push(b'[');
    WRITTEN.with_borrow_mut(|written| {
        for (facts, row) in rows {
            if body.len() > 1 {
                body.push(b',');
            }
            written.append(facts, row, &mut body);
        }
    });
    body.push(b']');
    Answer { body: body.into(), note: None }
}

/// How long a review usually is, in bytes.
const TYPICAL: usize = 900;
/// How many reviews a thread keeps as written: less than 2 MiB of typical ones.
const KEPT: usize = 2048;
/// Reviews longer than this are written anew each time.
const LONGEST_KEPT: usize = 4096;

thread_local! {
    static WRITTEN: RefCell<Written> = const { RefCell::new(Written { slots: Vec::new() }) };
}

/// The number of a dataset, a row of it, and the bytes that show it.
type Fragment = (u64, u32, Box<[u8]>);

/// Reviews as last written by this thread, by row. A dataset never changes, so nothing here is ever out of date.
struct Written {
    slots: Vec<Option<Fragment>>,
}

impl Written {
    fn append(&mut self, dataset: &Dataset, row: u32, body: &mut Vec<u8>) {
        self.slots.resize_with(KEPT, || None);
        let slot = &mut self.slots[row as usize % KEPT];
        if let Some((number, known, bytes)) = slot
            && (*number, *known) == (dataset.number, row)
        {
            body.extend_from_slice(bytes);
            return;
        }
        let start = body.len();
        if let Some(shown) = dataset.show(row) {
            let written = serde_json::to_writer(&mut *body, &Response::of(&shown));
            debug_assert!(written.is_ok(), "a response type that is not JSON: {written:?}");
        }
        let bytes = &body[start..];
        *slot = (bytes.len() <= LONGEST_KEPT).then(|| (dataset.number, row, bytes.into()));
    }
}

impl<'a> Response<'a> {
    /// A review as the API shows it.
    #[must_use]
    pub fn of(shown: &Shown<'a>) -> Self {
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
