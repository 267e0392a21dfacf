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
    let beside = world.run().added.beside(dataset);
    let added = beside.as_deref().map(|beside| &beside.facts);
    let filter = Filter { locations: Some(&locations), ..Filter::default() };
    let count = |location: &u32| {
        let facts = [Some(dataset), added];
        facts.into_iter().flatten().map(|facts| facts.reviews.of(*location).len()).sum::<usize>()
    };
    let total = locations.iter().map(count).sum();
    let rows = added::reviews(dataset, added, |facts| facts.reviews.select(&filter));
    let rows = rows.skip(query.offset.0).take(query.limit.0);
    let shown: Vec<_> = rows.filter_map(|(facts, row)| facts.show(row)).collect();
    let page: Vec<Response<'_>> = shown.iter().map(Response::of).collect();
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
    let (id, beside) =
        world.run().added.review(dataset, location, review).map_err(|taken| id_taken(&taken))?;
    let facts = &beside.facts;
    let mut shown = facts.reviews.of(location).iter().filter_map(|row| facts.show(*row));
    let shown = shown.find(|shown| shown.id.to_string() == id);
    Ok(HttpResponse::Created().json(shown.as_ref().map(Response::of)))
}
