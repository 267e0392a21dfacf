//! Admin handlers for a world's questions: list and create, in the API's field names.

use actix_web::HttpResponse;

use crate::dataset::added;
use crate::operations::qna::Question;
use crate::scenario::added_record::{self, AddTarget};
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, Text, WorldPath};
use crate::server::admin::list::respond_page;
use crate::server::admin::records::{RecordsQuery, id_taken, invalid};
use crate::server::api::build_dataset;

/// Lists the questions of a world, newest first, answered or not: those of the scenario and those added.
#[utoipa::path(get, path = "/__admin/worlds/{world}/questions", params(WorldPath, RecordsQuery),
    responses((status = 200, description = "The questions, as the API answers them", body = Vec<Object>)))]
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(query): Query<RecordsQuery>,
) -> Result<HttpResponse, AdminError> {
    let snapshot = world.snapshot();
    build_dataset(&snapshot).await;
    let dataset = snapshot.dataset();
    let mut asked = vec![false; dataset.location_count()];
    for location in query.locations(dataset)? {
        asked[location as usize] = true;
    }
    let added = world.run().added.read(dataset);
    let questions =
        || added::questions(dataset, added.as_deref(), |location, _answered| asked[location as usize]);
    let part = questions().skip(query.offset.0).take(query.limit.0);
    let page: Vec<Question<'_>> =
        part.filter_map(|question| dataset.listed_question(question)).map(Question::of).collect();
    Ok(respond_page(questions().count(), &page))
}

/// Adds a question to a world.
///
/// The body is a question as a scenario's seed data has it, with the number of its location as `businessId`.
#[utoipa::path(post, path = "/__admin/worlds/{world}/questions", params(WorldPath), request_body = Object,
    responses((status = 201, description = "The question, as the API answers it", body = Object)))]
pub(crate) async fn create(
    PathWorld(world): PathWorld,
    Text(text): Text,
) -> Result<HttpResponse, AdminError> {
    let snapshot = world.snapshot();
    build_dataset(&snapshot).await;
    let dataset = snapshot.dataset();
    let to = AddTarget { dataset, now: world.run().clock.now() };
    let (location, question) =
        added_record::parse_question(&text, to).map_err(|problems| invalid(&problems))?;
    let added =
        world.run().added.add_question(dataset, location, question).map_err(|taken| id_taken(&taken))?;
    Ok(HttpResponse::Created().json(Question::of(dataset.added_question(&added))))
}
