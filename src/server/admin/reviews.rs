//! Admin handlers for a world's reviews: list and create, in the API's field names.

use std::collections::VecDeque;
use std::sync::Arc;

use actix_web::HttpResponse;

use crate::dataset::added::{self, AddedReview, ListedReview};
use crate::dataset::selection::Filter;
use crate::operations::reviews::Response;
use crate::scenario::added_record;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, Text, WorldPath};
use crate::server::admin::list;
use crate::server::admin::records::{self, RecordsQuery, invalid, not_added};
use crate::server::api::build_dataset;
use crate::server::long;
use crate::world::World;
use crate::world::snapshot::Snapshot;

/// Lists the reviews of a world, newest first: those of the scenario, unpublished ones included, and those added.
#[utoipa::path(get, path = "/__admin/worlds/{world}/reviews", params(WorldPath, RecordsQuery),
    responses((status = 200, description = "The reviews, as the API answers them", body = Vec<Object>)))]
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(query): Query<RecordsQuery>,
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
    query: &RecordsQuery,
) -> Result<(VecDeque<Row>, usize), AdminError> {
    let dataset = snapshot.dataset();
    let locations = query.locations(dataset)?;
    let added = world.run().added.read(dataset);
    let filter = Filter { locations: Some(&locations), ..Filter::default() };
    let seeded: usize = locations.iter().map(|location| dataset.reviews.of(*location).len()).sum();
    let total = seeded + added.as_deref().map_or(0, |added| added.select(&filter).count());
    let reviews = added::reviews(dataset, added.as_deref(), &filter, None);
    let rows = reviews.skip(query.offset.0).take(query.limit.0).map(|review| match review {
        ListedReview::Seeded(row) => Row::Seeded(row),
        ListedReview::Added(review) => Row::Added(Arc::clone(review)),
    });
    Ok((rows.collect(), total))
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
    records::create(world, text, |text, to, run| {
        let (location, review) =
            added_record::parse_review(text, to).map_err(|problems| invalid(&problems))?;
        let added = run.added.add_review(to.dataset, location, review);
        let added = added.map_err(|reason| not_added(&reason))?;
        Ok(list::json(&to.dataset.added_review(&added).as_ref().map(Response::of)))
    })
    .await
}
