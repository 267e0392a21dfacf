//! `POST /v1/insight/sentiment/locationInfo`: sentiment scores and mention counts by location.
//!
//! The interface document leaves the score's formula, the meaning of account numbers in `businessNumbers` and
//! `groupByLevel` open; they are as `behaviour.md` 4 decides.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::api::call::Call;
use crate::api::email;
use crate::api::field::{self, Field, element_must_be, must_be};
use crate::api::fold::fold;
use crate::api::query::{WINDOW, index, page};
use crate::api::refusal::{Code, Refusal};
use crate::api::sources;
use crate::dataset::hierarchy::{LevelFilter, group_id};
use crate::dataset::insight::{Score, scores};
use crate::dataset::selection::Filter;
use crate::dataset::whole::Dataset;
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

/// One item of `hierarchyNodeData`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "the documented fields, in the documented order")]
pub struct HierarchyNode<'a> {
    #[serde(borrow)]
    pub level_id: Field<'a>,
    #[serde(borrow)]
    pub level_names: Field<'a>,
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

/// A score, written with one decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tenths(pub u64);

impl Serialize for Tenths {
    #[expect(clippy::cast_precision_loss, reason = "a score is at most 1000 tenths")]
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 10.0)
    }
}

/// The most entries that `businessNumbers` may have.
const MOST_NUMBERS: usize = 100;

/// Answers the call.
///
/// # Errors
/// 2003 for a field that is not as documented, 1027 for a business number outside the enterprise.
pub fn answer(context: Context<'_>, dataset: &Dataset, call: &Call<'_>) -> Result<Answer, Refusal> {
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
        return Err(Refusal::validation("page-size must be between 1 and 100", detail));
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
        return Err(Refusal::validation(message, format!("{start} + {size} is more")));
    }

    locations.retain(|place| dataset.location(*place).is_at(&levels));
    let filter = Filter { from: Some(from), to: Some(to), ratings, sources, ..Filter::default() };
    let scores = scores(&dataset.reviews, &filter, &locations);
    let mut points = match group {
        Some(level) => grouped(dataset, enterprise, &level, &locations, &scores),
        None => locations
            .iter()
            .map(|place| dataset.location(*place))
            .zip(scores)
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

/// The locations that `businessNumbers` stand for, each once.
///
/// # Errors
/// 2003 where the field is absent, no list of integers or too long; 1027 for a number outside the enterprise.
pub fn business_numbers(dataset: &Dataset, enterprise: u32, field: Field<'_>) -> Result<Vec<u32>, Refusal> {
    let numbers = field.integers("businessNumbers")?;
    if numbers.is_empty() {
        return Err(Refusal::mandatory("businessNumbers"));
    }
    if numbers.len() > MOST_NUMBERS {
        let detail = format!("businessNumbers: {} entries", numbers.len());
        return Err(Refusal::validation("Only 100 businessNumbers are allowed", detail));
    }
    let mut locations = Vec::new();
    for (at, number) in numbers.into_iter().enumerate() {
        let place =
            dataset.find(number).filter(|place| dataset.is_under(dataset.account_at(*place), enterprise));
        let Some(place) = place else {
            let detail = format!("businessNumbers[{at}]: {number} is not a business of this enterprise");
            return Err(Refusal::new(Code::NumberInvalid, detail));
        };
        dataset.add_locations_of(place, &mut locations);
    }
    locations.sort_unstable();
    locations.dedup();
    Ok(locations)
}

/// Checks that `userEmail` is a user of the account, of an enterprise under it, or of a reseller above it. An account
/// without users takes any address.
fn user(dataset: &Dataset, enterprise: u32, field: Field<'_>) -> Result<(), Refusal> {
    let Some(sent) = field.text("userEmail")? else { return Err(Refusal::mandatory("userEmail")) };
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
    if known { Ok(()) } else { Err(Refusal::validation(format!("No user found for userEmail: {sent}"), "")) }
}

/// The conditions of `hierarchyNodeData`.
///
/// # Errors
/// 2003 where an item is not as documented.
pub fn hierarchy(field: Field<'_>) -> Result<Vec<LevelFilter>, Refusal> {
    let (name, allowed) = ("hierarchyNodeData", "a list of objects");
    let read = |(at, raw): (usize, &str)| {
        let node: HierarchyNode = raw
            .starts_with('{')
            .then(|| serde_json::from_str(raw).ok())
            .flatten()
            .ok_or_else(|| element_must_be(name, at, allowed, raw))?;
        let level = node.level_id.text(&format!("{name}[{at}].levelId"))?;
        let Some(level) = level else { return Err(Refusal::mandatory(&format!("{name}[{at}].levelId"))) };
        let names = node.level_names.texts(&format!("{name}[{at}].levelNames"))?;
        Ok(LevelFilter {
            level: level.into_owned(),
            names: names.into_iter().map(std::borrow::Cow::into_owned).collect(),
        })
    };
    field.list(name, allowed)?.enumerate().map(read).collect()
}

fn group_level(dataset: &Dataset, enterprise: u32, field: Field<'_>) -> Result<Option<String>, Refusal> {
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

/// Checks that `startDate` is not after `endDate`.
///
/// # Errors
/// 2003 where it is.
pub fn ordered(in_order: bool) -> Result<(), Refusal> {
    if in_order { Ok(()) } else { Err(Refusal::validation("startDate must be on or before endDate", "")) }
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
    DataPoint { id, name, score: Tenths(score.tenths()), mentions: score.mentions }
}
