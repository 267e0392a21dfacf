//! Admin handlers for a world's questions: list and create, in the API's field names.

use std::collections::VecDeque;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::dataset::added::{self, AddedQuestion, ListedQuestion};
use crate::dataset::arrival::Arrival;
use crate::dataset::questions;
use crate::operations::qna::Question;
use crate::scenario::arrival;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, Text, WorldPath};
use crate::server::admin::list;
use crate::server::admin::records::{self, RecordsQuery, invalid, not_recorded};
use crate::server::api::build_dataset;
use crate::server::long;
use crate::world::World;
use crate::world::snapshot::Snapshot;

/// Lists the questions of a world, newest first, answered or not: those of the scenario and those added.
#[utoipa::path(get, path = "/__admin/worlds/{world}/questions", params(WorldPath, RecordsQuery),
    responses((status = 200, description = "The questions, as the API answers them", body = Vec<Object>)))]
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
            Row::Seeded(row) => dataset.question(row),
            Row::Added(question) => Some(dataset.added_question(question)),
        };
        list::json(&view.map(Question::of))
    })
    .await
}

/// A question of a page, as a row of the dataset, or added.
enum Row {
    Seeded(questions::Row),
    Added(Arc<AddedQuestion>),
}

/// The questions of a page, and how many there are.
fn select(
    world: &World,
    snapshot: &Snapshot,
    query: &RecordsQuery,
) -> Result<(VecDeque<Row>, usize), AdminError> {
    let dataset = snapshot.dataset();
    let mut asked = vec![false; dataset.location_count()];
    for location in query.locations(dataset)? {
        asked[location as usize] = true;
    }
    let added = world.run().added.read(dataset);
    let questions =
        || added::questions(dataset, added.as_deref(), |location, _answered| asked[location as usize]);
    let rows = questions().skip(query.offset.0).take(query.limit.0).map(|question| match question {
        ListedQuestion::Seeded(row) => Row::Seeded(*row),
        ListedQuestion::Added(question) => Row::Added(Arc::clone(question)),
    });
    Ok((rows.collect(), questions().count()))
}

/// Adds a question to a world, as if it arrived now.
///
/// The body is a question as a scenario's seed data has it, with the number of its location as `businessId`. Without `question`, its
/// words are generated.
#[utoipa::path(post, path = "/__admin/worlds/{world}/questions", params(WorldPath), request_body = Object,
    responses((status = 201, description = "The question, as the API answers it", body = Object)))]
pub(crate) async fn create(
    PathWorld(world): PathWorld,
    Text(text): Text,
) -> Result<HttpResponse, AdminError> {
    let question = records::write(world, move |snapshot, run| {
        let question = arrival::parse_question(&text, snapshot.dataset());
        let question = question.map_err(|problems| invalid("added", &problems))?;
        let recorded = run.arrive(snapshot, &Arrival::Question(Box::new(question)), (None, &text));
        Ok(recorded.map_err(|reason| not_recorded("added", &reason))?.json)
    });
    Ok(records::respond(StatusCode::CREATED, question.await?))
}
