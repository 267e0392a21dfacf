//! A world's clock, read and moved.

use serde_json::json;

use crate::api::call::Call;
use crate::api::reply::Reply;
use crate::clock::{Mode, Moment};
use crate::scenario::leaf::duration;
use crate::server::admin::body::members;
use crate::server::admin::ok;
use crate::server::guard::error;
use crate::world::World;

/// `GET …/clock`.
#[must_use]
pub fn shown(world: &World) -> Reply {
    let mode = match world.clock.mode() {
        Mode::Frozen => "frozen",
        Mode::Running => "running",
    };
    ok(&json!({ "now": world.clock.now().iso(), "start": world.clock.start().iso(), "mode": mode }))
}

/// `POST …/clock`.
///
/// # Errors
/// The answer to a body that is none of the three.
pub fn moved(world: &World, call: &Call<'_>) -> Result<Reply, Reply> {
    let members = members(call, &["advance", "set", "mode"])?;
    let Some((name, value)) = members.iter().next().filter(|_| members.len() == 1) else {
        return Err(error(
            400,
            "Give one of {\"advance\": \"61s\"}, {\"set\": \"2026-06-30T09:00:00Z\"}, {\"mode\": \"frozen\"}.",
        ));
    };
    let text = value.as_str().unwrap_or_default();
    let wrong = |allowed: &str| Err(error(400, &format!("{name} must be {allowed}; it is {value}.")));
    match name.as_str() {
        "advance" => match duration(text) {
            Some(span) => world.clock.advance(span),
            None => return wrong("a duration like \"250ms\", \"61s\" or \"1m\""),
        },
        "set" => match Moment::from_scenario(text) {
            Some(to) => {
                if let Err(back) = world.clock.set(to) {
                    return Err(error(
                        400,
                        &format!("The clock never goes back: it is {} already.", back.now.iso()),
                    ));
                }
            }
            None => return wrong("an instant like \"2026-06-30T09:00:00Z\""),
        },
        _ => match text {
            "frozen" => world.clock.set_mode(Mode::Frozen),
            "running" => world.clock.set_mode(Mode::Running),
            _ => return wrong("\"frozen\" or \"running\""),
        },
    }
    Ok(shown(world))
}
