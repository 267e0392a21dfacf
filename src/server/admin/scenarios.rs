//! Admin handlers for scenarios: list and put.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::clock::Moment;
use crate::reload::Setup;
use crate::reload::status::{Entry, Refused};
use crate::scenario::scalars::is_world_name;
use crate::scenario::{render, shipped};
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{Query, Text};
use crate::server::admin::list::{self, Page};
use crate::server::long;
use crate::server::state::State;
use crate::world::registry::DEFAULT;

#[derive(Serialize, ToSchema)]
pub(crate) struct Scenario {
    name: String,
    summary: Option<String>,
    /// Whether it is the scenario that answers at `/`.
    default: bool,
    /// Path of its file; null where it was sent over HTTP.
    file: Option<String>,
    businesses: usize,
    locations: usize,
    reviews: u64,
    questions: u64,
    faults: usize,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PutScenario {
    #[serde(flatten)]
    scenario: Scenario,
    /// Which load of the scenario this is, from 1.
    generation: u64,
    /// Warnings.
    #[schema(value_type = Vec<Object>)]
    diagnostics: Value,
}

/// Lists the scenarios that are served.
#[utoipa::path(get, path = "/__admin/scenarios", params(Page),
    responses((status = 200, description = "The scenarios by name", body = Vec<Scenario>)))]
pub(crate) async fn list(
    state: web::Data<State>,
    Query(page): Query<Page>,
) -> Result<HttpResponse, AdminError> {
    let all: Vec<Scenario> = long::run(move || {
        let entries = state.board.entries();
        entries.iter().filter_map(|entry| scenario(&state, entry)).collect()
    })
    .await?;
    let total = all.len();
    list::respond(total, page.of(all.into_iter()), list::json).await
}

/// A scenario with its file and its problems.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScenarioDetail {
    name: String,
    /// What is served of it; null where no load was good.
    served: Option<Scenario>,
    /// Path of its file; null where it was sent over HTTP.
    file: Option<String>,
    /// The text of the file as it is now; null where it cannot be read.
    text: Option<String>,
    /// Which load of the scenario is served, from 1; 0 where none was good.
    generation: u64,
    #[schema(format = DateTime)]
    loaded_at: Option<String>,
    /// Errors and warnings of the last load.
    #[schema(value_type = Vec<Object>)]
    diagnostics: Value,
}

/// Most bytes of a scenario's text that are shown.
const MOST_TEXT: u64 = 1 << 20;

/// Shows a scenario: its file as it is now, and what is wrong with it.
#[utoipa::path(get, path = "/__admin/scenarios/{name}", params(("name" = String, Path, description = "Name of the scenario")),
    responses((status = 200, description = "The scenario", body = ScenarioDetail), (status = 404, description = "There is no such scenario", body = super::error::ErrorBody)))]
pub(crate) async fn get(
    state: web::Data<State>,
    name: web::Path<String>,
) -> Result<web::Json<ScenarioDetail>, AdminError> {
    let detail = web::block(move || {
        let entries = state.board.entries();
        let entry = entries.iter().find(|entry| entry.name == *name).ok_or_else(|| {
            AdminError::not_found(format!("No scenario is named {name}: GET /__admin/scenarios lists them."))
        })?;
        let read = |file| state.setup.files.read(&state.setup.cwd.join(file), MOST_TEXT).ok();
        let text = entry.file.as_ref().and_then(read);
        Ok(ScenarioDetail {
            name: entry.name.clone(),
            served: scenario(&state, entry),
            file: entry.file.as_ref().map(|file| file.to_string_lossy().into_owned()),
            text: text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            generation: entry.generation,
            loaded_at: entry.loaded_at.map(Moment::iso),
            diagnostics: render::json(&entry.problems),
        })
    });
    detail.await.map_err(|_| AdminError::internal())?.map(web::Json)
}

/// None where no load of the scenario was good.
fn scenario(state: &State, entry: &Entry) -> Option<Scenario> {
    let snapshot = entry.snapshot.as_ref()?;
    let counts = snapshot.counts;
    Some(Scenario {
        name: entry.name.clone(),
        summary: snapshot.summary.clone(),
        default: entry.name == state.registry.default_name(),
        file: entry.file.as_ref().map(|file| file.to_string_lossy().into_owned()),
        businesses: counts.businesses,
        locations: counts.locations,
        reviews: counts.reviews,
        questions: counts.questions,
        faults: counts.faults,
    })
}

/// Adds or replaces a scenario.
///
/// The body is the scenario's YAML. Its paths are relative to the root. It is not written to disk, and a later save of its
/// file replaces it.
#[utoipa::path(put, path = "/__admin/scenarios/{name}", params(("name" = String, Path, description = "Name of the scenario")),
    request_body(content = String, content_type = "application/yaml"),
    responses((status = 200, description = "Replaced", body = PutScenario), (status = 201, description = "Added", body = PutScenario)))]
pub(crate) async fn put(
    state: web::Data<State>,
    name: web::Path<String>,
    text: Result<Text, AdminError>,
) -> Result<HttpResponse, AdminError> {
    let name = name.into_inner();
    if name == DEFAULT || !is_world_name(&name) {
        return Err(AdminError::bad_request(format!(
            "`{name}` cannot name a scenario: 1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit, and not `default`."
        )));
    }
    let Text(text) = text.map_err(|error| {
        error.with_advice(
            StatusCode::PAYLOAD_TOO_LARGE,
            "Put seed data into files, which the scenario names with `file:`.",
        )
    })?;
    // It reads the files that the scenario names.
    let sent = web::block(move || send(&state, &name, &text)).await.map_err(|_| AdminError::internal())?;
    let (scenario, is_new) = sent?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(HttpResponse::build(status).json(scenario))
}

fn send(state: &State, name: &str, text: &str) -> Result<(PutScenario, bool), AdminError> {
    send_within(state, &state.setup, name, text.strip_prefix('\u{feff}').unwrap_or(text))
}

fn send_within(
    state: &State,
    setup: &Setup,
    name: &str,
    text: &str,
) -> Result<(PutScenario, bool), AdminError> {
    let serve = |snapshot| state.registry.apply(&snapshot);
    let (entry, is_new) = state
        .board
        .send(setup, (name, text), &state.registry.shared.datasets, serve)
        .map_err(|reason| refused(&reason))?;
    let scenario = scenario(state, &entry).ok_or_else(AdminError::internal)?;
    let diagnostics = render::json(&entry.problems);
    Ok((PutScenario { scenario, generation: entry.generation, diagnostics }, is_new))
}

/// Serves a scenario of the program, as if it were sent, if that is the name of one and no scenario is served under it.
///
/// # Errors
/// It has no room.
pub(crate) fn serve_shipped(state: &State, name: &str) -> Result<(), AdminError> {
    let Some(path) = shipped::path_of(name).filter(|_| state.registry.scenario(Some(name)).is_none()) else {
        return Ok(());
    };
    let setup = Setup {
        files: Box::new(shipped::files()),
        paths: Vec::new(),
        root: Some(shipped::FOLDER.into()),
        cwd: shipped::FOLDER.into(),
        random: state.setup.random,
        time: state.setup.time.clone(),
        keeps: state.setup.keeps,
    };
    let text = format!("standin: 1\nname: {name}\ninclude: [{path}]\n");
    send_within(state, &setup, name, &text).map(|_| ())
}

fn refused(reason: &Refused) -> AdminError {
    let (status, message) = match reason {
        Refused::Wrong(problems) => return AdminError::invalid("The scenario is not served", problems),
        Refused::Number { most } => (
            StatusCode::TOO_MANY_REQUESTS,
            format!("{most} scenarios were sent over HTTP, the most there can be."),
        ),
        Refused::Memory { most } => (
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "The scenarios that were sent over HTTP would take more than {} MiB together.",
                most >> 20
            ),
        ),
        Refused::Records(reason) => (StatusCode::PAYLOAD_TOO_LARGE, format!("{reason}.")),
    };
    let advice = "Replace one of them, or save this one as a file that is served. A restart forgets those that were sent, and a save of its file replaces one.";
    AdminError::new(status, message).with_advice(status, advice)
}
