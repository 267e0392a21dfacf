//! Admin handlers for a world's reviews: list and create, in the API's field names.

use actix_web::HttpResponse;

use crate::dataset::added;
use crate::dataset::selection::Filter;
use crate::operations::reviews::Response;
use crate::scenario::added_record::{self, AddTarget};
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, Text, WorldPath};
use crate::server::admin::list::respond_page;
use crate::server::admin::records::{RecordsQuery, id_taken, invalid};
use crate::server::api::build_dataset;

/// Lists the reviews of a world, newest first: those of the scenario, unpublished ones included, and those added.
#[utoipa::path(get, path = "/__admin/worlds/{world}/reviews", params(WorldPath, RecordsQuery),
    responses((status = 200, description = "The reviews, as the API answers them", body = Vec<Object>)))]
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(query): Query<RecordsQuery>,
) -> Result<HttpResponse, AdminError> {
    let snapshot = world.snapshot();
    build_dataset(&snapshot).await;
    let dataset = snapshot.dataset();
    let locations = query.locations(dataset)?;
    let added = world.run().added.read(dataset);
    let filter = Filter { locations: Some(&locations), ..Filter::default() };
    let seeded: usize = locations.iter().map(|location| dataset.reviews.of(*location).len()).sum();
    let total = seeded + added.as_deref().map_or(0, |added| added.select(&filter).count());
    let reviews = added::reviews(dataset, added.as_deref(), &filter, None);
    let reviews = reviews.skip(query.offset.0).take(query.limit.0);
    let views: Vec<_> = reviews.filter_map(|review| dataset.listed_review(review)).collect();
    let page: Vec<Response<'_>> = views.iter().map(Response::of).collect();
    Ok(respond_page(total, &page))
}

/// Adds a review to a world.
///
/// The body is a review as a scenario's seed data has it, with the number of its location as `businessId`.
#[utoipa::path(post, path = "/__admin/worlds/{world}/reviews", params(WorldPath), request_body = Object,
    responses((status = 201, description = "The review, as the API answers it", body = Object)))]
pub(crate) async fn create(
    PathWorld(world): PathWorld,
    Text(text): Text,
) -> Result<HttpResponse, AdminError> {
    let snapshot = world.snapshot();
    build_dataset(&snapshot).await;
    let dataset = snapshot.dataset();
    let to = AddTarget { dataset, now: world.run().clock.now() };
    let (location, review) = added_record::parse_review(&text, to).map_err(|problems| invalid(&problems))?;
    let added = world.run().added.add_review(dataset, location, review).map_err(|taken| id_taken(&taken))?;
    Ok(HttpResponse::Created().json(dataset.added_review(&added).as_ref().map(Response::of)))
}
