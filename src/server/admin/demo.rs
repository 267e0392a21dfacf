//! Admin handlers for the buttons of a scenario's demonstration: list and press.

use std::time::Duration;

use actix_web::web;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::scenario::model::{DemoButton, DemoStep};
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, WorldPath};
use crate::server::admin::faults::no_room;
use crate::server::admin::records::{self, not_recorded};
use crate::webhook::engine::ClockMove;
use crate::webhook::settings::Happening;
use crate::world::World;

/// A button of a demonstration.
#[derive(Serialize, ToSchema)]
pub(crate) struct Button {
    /// Its place among the buttons, from 1.
    place: usize,
    label: String,
    /// What it does, in words.
    steps: Vec<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ButtonPath {
    /// Place of the button, from 1.
    #[expect(dead_code, reason = "read together with the world")]
    place: usize,
}

/// How long a press waits for deliveries that fall due when it advances the clock, in real time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Lists the buttons of the scenario's demonstration.
#[utoipa::path(get, path = "/__admin/worlds/{world}/demo", params(WorldPath),
    responses((status = 200, description = "The buttons, in the order of the scenario", body = Vec<Button>)))]
pub(crate) async fn list(PathWorld(world): PathWorld) -> web::Json<Vec<Button>> {
    let snapshot = world.snapshot();
    web::Json(snapshot.demo.iter().zip(1..).map(|(button, place)| show(button, place)).collect())
}

fn show(button: &DemoButton, place: usize) -> Button {
    let steps = button.steps.iter().map(ToString::to_string).collect();
    Button { place, label: button.label.clone(), steps }
}

/// Presses a button of the demonstration: takes its steps in order.
///
/// If a step fails, those before it have taken effect.
#[utoipa::path(post, path = "/__admin/worlds/{world}/demo/{place}", params(WorldPath, ButtonPath),
    responses((status = 200, description = "The button, all steps of which were taken", body = Button), (status = 404, description = "There is no such button", body = super::error::ErrorBody), (status = 409, description = "A step could not be taken", body = super::error::ErrorBody)))]
pub(crate) async fn press(
    PathWorld(world): PathWorld,
    path: web::Path<(String, String)>,
) -> Result<web::Json<Button>, AdminError> {
    let (_, sent) = path.into_inner();
    let snapshot = world.snapshot();
    let place = sent.parse::<usize>().ok().filter(|place| (1..=snapshot.demo.len()).contains(place));
    let Some((place, button)) = place.and_then(|place| Some((place, snapshot.demo.get(place - 1)?))) else {
        let message = format!("The scenario has no button {sent}: it has {} of them.", snapshot.demo.len());
        return Err(AdminError::not_found(message));
    };
    if world.run().kept.is_some() {
        let message =
            "This server keeps what a bundle needs, and a bundle cannot repeat buttons: use standin serve.";
        return Err(AdminError::conflict(message));
    }
    for step in &button.steps {
        take(&world, step).await?;
    }
    Ok(web::Json(show(button, place)))
}

async fn take(world: &std::sync::Arc<World>, step: &DemoStep) -> Result<(), AdminError> {
    match step {
        DemoStep::Happens(Happening::Event(emission)) => {
            let run = world.run();
            crate::server::api::build_dataset(&run.snapshot()).await;
            let business = emission.business.ok_or_else(AdminError::internal)?;
            let emitted = run.emit(emission, business);
            let name = emission.conversation.as_deref().unwrap_or_default();
            let closed =
                || AdminError::conflict(format!("The conversation {name} is closed: reset the world."));
            emitted.map(drop).ok_or_else(closed)
        }
        DemoStep::Happens(Happening::Record(arrival, event)) => {
            let (arrival, event) = (arrival.clone(), event.clone());
            records::write(std::sync::Arc::clone(world), move |snapshot, run| {
                let recorded = run.arrive(snapshot, &arrival, (event.as_deref(), ""));
                recorded.map(drop).map_err(|reason| not_recorded("added", &reason))
            })
            .await
        }
        DemoStep::Advance(span) => {
            let moved = world.run().move_clock(ClockMove::By(*span), PATIENCE).await;
            moved.map(drop).map_err(|error| AdminError::bad_request(error.to_string()))
        }
        DemoStep::Fault { name, enabled } => {
            let known = world.enable_fault(name, *enabled).map_err(|reason| no_room(world, reason))?;
            let gone = || AdminError::conflict(format!("The fault {name} was removed: reset the world."));
            known.then_some(()).ok_or_else(gone)
        }
    }
}
