//! Admin handlers for a world's clock: get and advance.

use std::time::Duration;

use actix_web::web;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::clock::{self, Moment};
use crate::scenario::scalars::parse_duration;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{Body, PathWorld, WorldPath};
use crate::webhook::engine::ClockMove;
use crate::world::World;

#[derive(Serialize, ToSchema)]
pub(crate) struct Clock {
    /// World time.
    #[schema(format = DateTime)]
    now: String,
    #[schema(format = DateTime)]
    start: String,
    mode: Mode,
    /// How many deliveries and events that fell due are still awaited after ten seconds; absent if none are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pending: Option<usize>,
}

#[derive(Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Frozen,
    Running,
}

/// One of the three.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdvanceClock {
    /// A duration like `61s`.
    #[serde(default, deserialize_with = "span")]
    #[schema(value_type = Option<String>)]
    advance: Option<Duration>,
    /// An instant that is not before now.
    #[serde(default, deserialize_with = "instant")]
    #[schema(value_type = Option<String>, format = DateTime)]
    set: Option<Moment>,
    mode: Option<Mode>,
}

fn span<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    text(
        from,
        parse_duration,
        "a duration like \"250ms\", \"61s\" or \"1m\", of at most a thousand years (8766000h)",
    )
}

fn instant<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Moment>, D::Error> {
    text(from, Moment::from_scenario, "an instant like \"2026-06-30T09:00:00Z\", from the year 1 to 9999")
}

fn text<'de, D: Deserializer<'de>, T>(
    from: D,
    parse: impl Fn(&str) -> Option<T>,
    expected: &str,
) -> Result<Option<T>, D::Error> {
    let value = Value::deserialize(from)?;
    if value.is_null() {
        return Ok(None);
    }
    let wrong = || D::Error::invalid_value(Unexpected::Other("value"), &expected);
    value.as_str().and_then(parse).map(Some).ok_or_else(wrong)
}

/// How long a request waits for deliveries that fall due, in real time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Shows the clock of a world.
#[utoipa::path(get, path = "/__admin/worlds/{world}/clock", params(WorldPath),
    responses((status = 200, description = "The clock", body = Clock)))]
pub(crate) async fn get(PathWorld(world): PathWorld) -> web::Json<Clock> {
    web::Json(show(&world, 0))
}

fn show(world: &World, pending: usize) -> Clock {
    let run = world.run();
    Clock {
        now: run.clock.now().iso(),
        start: run.clock.start().iso(),
        mode: match run.clock.mode() {
            clock::Mode::Frozen => Mode::Frozen,
            clock::Mode::Running => Mode::Running,
        },
        pending: Some(pending).filter(|pending| *pending > 0),
    }
}

/// Advances the clock of a world, or freezes it, or lets it run.
///
/// What falls due on the way happens, in order, before the answer.
#[utoipa::path(post, path = "/__admin/worlds/{world}/clock", params(WorldPath), request_body = AdvanceClock,
    responses((status = 200, description = "The clock", body = Clock)))]
pub(crate) async fn advance(
    PathWorld(world): PathWorld,
    Body(body): Body<AdvanceClock>,
) -> Result<web::Json<Clock>, AdminError> {
    let step = match body {
        AdvanceClock { advance: Some(span), set: None, mode: None } => ClockMove::By(span),
        AdvanceClock { advance: None, set: Some(to), mode: None } => ClockMove::To(to),
        AdvanceClock { advance: None, set: None, mode: Some(mode) } => {
            world.run().set_mode(match mode {
                Mode::Frozen => clock::Mode::Frozen,
                Mode::Running => clock::Mode::Running,
            });
            return Ok(web::Json(show(&world, 0)));
        }
        AdvanceClock { .. } => {
            return Err(AdminError::bad_request(
                "Give one of {\"advance\": \"61s\"}, {\"set\": \"2026-06-30T09:00:00Z\"}, {\"mode\": \"frozen\"}.",
            ));
        }
    };
    let pending = world.run().move_clock(step, PATIENCE).await;
    let pending = pending.map_err(|error| AdminError::bad_request(error.to_string()))?;
    Ok(web::Json(show(&world, pending)))
}
