//! Admin handlers for a world's reviews: list and create, in the API's field names.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::api::dates::Day;
use crate::api::sources;
use crate::dataset::added::{self, AddedReview, ListedReview};
use crate::dataset::arrival::{Answered, Arrival};
use crate::dataset::facts::Dataset;
use crate::dataset::selection::Filter;
use crate::operations::reviews::Response;
use crate::scenario::arrival;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, Text, WorldPath, number};
use crate::server::admin::list::{self, Limit, Offset};
use crate::server::admin::records::{self, RecordsQuery, invalid, not_recorded};
use crate::server::api::build_dataset;
use crate::server::long;
use crate::world::World;
use crate::world::snapshot::Snapshot;

/// Which reviews are asked for; all conditions must hold.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReviewsQuery {
    /// Number of an account or a location; all locations where it is absent.
    #[param(value_type = Option<u64>)]
    business: Option<String>,
    /// Ratings, like `1,2`.
    ratings: Option<String>,
    /// Sources by alias or name, like `google,yelp`.
    sources: Option<String>,
    /// `published` or `parked`.
    status: Option<String>,
    /// First day, like `2026-01-31`.
    from: Option<String>,
    /// Last day.
    to: Option<String>,
    /// Text that the review contains.
    search: Option<String>,
    #[serde(default)]
    #[param(inline)]
    offset: Offset,
    #[serde(default)]
    #[param(inline)]
    limit: Limit,
}

impl ReviewsQuery {
    fn filter<'a>(&self, dataset: &Dataset, locations: &'a [u32]) -> Result<Filter<'a>, AdminError> {
        let refuse = |name: &str, allowed: &str, sent: &str| {
            AdminError::bad_request(format!("{name} must be {allowed}; it is {sent}."))
        };
        let day = |name: &str, sent: &Option<String>| match sent {
            None => Ok(None),
            Some(sent) => match Day::from_scenario(sent) {
                Some(day) => Ok(Some(day)),
                None => Err(refuse(name, "a day like 2026-01-31", sent)),
            },
        };
        let mut ratings = None;
        for sent in self.ratings.iter().flat_map(|sent| parts(sent)) {
            let rating = sent.parse().ok().filter(|rating: &usize| *rating <= 5);
            let rating = rating.ok_or_else(|| refuse("ratings", "a list of 0 to 5, like 1,2", sent))?;
            ratings.get_or_insert([false; 6])[rating] = true;
        }
        let published = match self.status.as_deref() {
            None => None,
            Some("published") => Some(true),
            Some("parked") => Some(false),
            Some(sent) => return Err(refuse("status", "published or parked", sent)),
        };
        let sources: Vec<_> = self.sources.iter().flat_map(|sent| parts(sent)).map(Cow::Borrowed).collect();
        Ok(Filter {
            locations: Some(locations),
            from: day("from", &self.from)?,
            to: day("to", &self.to)?,
            ratings,
            sources: sources::filter(&dataset.sources, &sources),
            published,
            ..Filter::default()
        })
    }
}

/// The parts of a list that is separated by commas.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// Lists the reviews of a world, newest first: those of the scenario, unpublished ones included, and those added.
#[utoipa::path(get, path = "/__admin/worlds/{world}/reviews", params(WorldPath, ReviewsQuery),
    responses((status = 200, description = "The reviews, as the API answers them", body = Vec<Object>)))]
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(query): Query<ReviewsQuery>,
) -> Result<HttpResponse, AdminError> {
    let snapshot = world.snapshot();
    build_dataset(&snapshot).await;
    let (rows, total) = {
        let (world, snapshot) = (Arc::clone(&world), Arc::clone(&snapshot));
        long::run(move || select(&world, &snapshot, &query)).await??
    };
    list::respond(total, rows, move |row| {
        let dataset = snapshot.dataset();
        let view = match row {
            Row::Seeded(row) => dataset.review(*row),
            Row::Added(review) => dataset.added_review(review),
        };
        list::json(&view.as_ref().map(Response::of))
    })
    .await
}

/// A review of a page, by its row in the dataset, or added.
enum Row {
    Seeded(u32),
    Added(Arc<AddedReview>),
}

/// The reviews of a page, and how many there are.
fn select(
    world: &World,
    snapshot: &Snapshot,
    query: &ReviewsQuery,
) -> Result<(VecDeque<Row>, usize), AdminError> {
    let dataset = snapshot.dataset();
    let records = RecordsQuery { business: query.business.clone(), offset: query.offset, limit: query.limit };
    let locations = records.locations(dataset)?;
    let added = world.run().added.read(dataset);
    let filter = query.filter(dataset, &locations)?;
    let search = query.search.as_deref();
    if !filter.is_days_only() || filter.from.is_some() || filter.to.is_some() || search.is_some() {
        let reviews = || added::reviews(dataset, added.as_deref(), &filter, search);
        let rows = reviews().skip(query.offset.0).take(query.limit.0).map(row);
        return Ok((rows.collect(), reviews().count()));
    }
    let seeded: usize = locations.iter().map(|location| dataset.reviews.of(*location).len()).sum();
    let is_asked = |row: &u32| locations.binary_search(&dataset.reviews.location[*row as usize]).is_ok();
    let hidden = added.iter().flat_map(|added| added.hidden().rows()).filter(is_asked).count();
    let total = seeded - hidden + added.as_deref().map_or(0, |added| added.select(&filter).count());
    let reviews = added::reviews(dataset, added.as_deref(), &filter, None);
    let rows = reviews.skip(query.offset.0).take(query.limit.0).map(row);
    Ok((rows.collect(), total))
}

fn row(review: ListedReview<'_>) -> Row {
    match review {
        ListedReview::Seeded(row) => Row::Seeded(row),
        ListedReview::Added(review) => Row::Added(Arc::clone(review)),
    }
}

/// Adds a review to a world, as if it arrived now.
///
/// The body is a review as a scenario's seed data has it, with the number of its location as `businessId`. Without `comments`, its
/// words are generated; `about` gives their subjects.
#[utoipa::path(post, path = "/__admin/worlds/{world}/reviews", params(WorldPath), request_body = Object,
    responses((status = 201, description = "The review, as the API answers it", body = Object)))]
pub(crate) async fn create(
    PathWorld(world): PathWorld,
    Text(text): Text,
) -> Result<HttpResponse, AdminError> {
    let review = records::write(world, move |snapshot, run| {
        let review = arrival::parse_review(&text, snapshot.dataset());
        let review = review.map_err(|problems| invalid("added", &problems))?;
        let recorded = run.arrive(snapshot, &Arrival::Review(Box::new(review)), (None, &text));
        Ok(recorded.map_err(|reason| not_recorded("added", &reason))?.json)
    });
    Ok(records::respond(StatusCode::CREATED, review.await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ReviewPath {
    /// Name of the world.
    #[expect(dead_code, reason = "another extractor reads it")]
    world: String,
    /// Id of the review.
    id: String,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReviewQuery {
    /// Number of the review's account or location, where several accounts have the id.
    #[serde(default, deserialize_with = "number")]
    #[param(value_type = Option<u64>)]
    business: Option<u64>,
}

/// The changes of a review.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "a schema")]
pub(crate) struct ChangeReview {
    /// The owner's response; null takes it away.
    response: Option<String>,
    /// Day of the response. Default: of a new response the world's present day.
    response_date: Option<String>,
    /// Whether the review is published; if not, it is parked.
    published: Option<bool>,
}

/// Changes a review in a world: the owner's response, and whether it is published.
#[utoipa::path(patch, path = "/__admin/worlds/{world}/reviews/{id}", params(ReviewPath, ReviewQuery), request_body = ChangeReview,
    responses((status = 200, description = "The review, as the API answers it", body = Object)))]
pub(crate) async fn patch(
    PathWorld(world): PathWorld,
    path: web::Path<ReviewPath>,
    Query(query): Query<ReviewQuery>,
    Text(text): Text,
) -> Result<HttpResponse, AdminError> {
    let which = which(path, &query);
    let review = records::write(world, move |snapshot, run| {
        let change = arrival::parse_change(&text).map_err(|problems| invalid("changed", &problems))?;
        let recorded = run.change_review(snapshot, &which, (&change, &text));
        Ok(recorded.map_err(|reason| not_recorded("changed", &reason))?.json)
    });
    Ok(records::respond(StatusCode::OK, review.await?))
}

/// Takes a review down in a world.
#[utoipa::path(delete, path = "/__admin/worlds/{world}/reviews/{id}", params(ReviewPath, ReviewQuery),
    responses((status = 204, description = "Taken down")))]
pub(crate) async fn delete(
    PathWorld(world): PathWorld,
    path: web::Path<ReviewPath>,
    Query(query): Query<ReviewQuery>,
) -> Result<HttpResponse, AdminError> {
    let which = which(path, &query);
    records::write(world, move |snapshot, run| {
        run.remove_review(snapshot, &which).map_err(|reason| not_recorded("taken down", &reason))
    })
    .await?;
    Ok(HttpResponse::NoContent().finish())
}

fn which(path: web::Path<ReviewPath>, query: &ReviewQuery) -> Answered {
    Answered::Id { id: path.into_inner().id, business: query.business }
}
