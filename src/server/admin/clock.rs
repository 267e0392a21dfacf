//! A world's clock, read and moved.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::call::Call;
use crate::api::reply::Reply;
use crate::clock::{Mode, Moment};
use crate::scenario::scalars::parse_duration;
use crate::server::admin::body::members;
use crate::server::admin::ok;
use crate::server::guard::error;
use crate::world::World;

/// `GET …/clock`.
#[must_use]
pub fn shown(world: &World) -> Reply {
    ok(&face(world))
}

fn face(world: &World) -> Value {
    let mode = match world.clock.mode() {
        Mode::Frozen => "frozen",
        Mode::Running => "running",
    };
    json!({ "now": world.clock.now().iso(), "start": world.clock.start().iso(), "mode": mode })
}

/// How long a move waits for deliveries that fall due, by real time.
const PATIENCE: Duration = Duration::from_secs(10);

/// `POST …/clock`. What falls due on the way happens, in order, before the answer; `pending`, where it is there, is how
/// many deliveries are still awaited after ten seconds.
///
/// # Errors
/// The answer to a body that is none of the three.
pub async fn moved(world: &Arc<World>, call: &Call<'_>) -> Result<Reply, Reply> {
    let members = members(call, &["advance", "set", "mode"])?;
    let Some((name, value)) = members.iter().next().filter(|_| members.len() == 1) else {
        return Err(error(
            400,
            "Give one of {\"advance\": \"61s\"}, {\"set\": \"2026-06-30T09:00:00Z\"}, {\"mode\": \"frozen\"}.",
        ));
    };
    let text = value.as_str().unwrap_or_default();
    let wrong = |allowed: &str| error(400, &format!("{name} must be {allowed}; it is {value}."));
    let now = world.clock.now();
    let to = match name.as_str() {
        "advance" => {
            let span =
                parse_duration(text).ok_or_else(|| wrong("a duration like \"250ms\", \"61s\" or \"1m\""))?;
            Moment(now.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
        }
        "set" => {
            let to = Moment::from_scenario(text)
                .ok_or_else(|| wrong("an instant like \"2026-06-30T09:00:00Z\""))?;
            if to < now {
                return Err(error(400, &format!("The clock never goes back: it is {} already.", now.iso())));
            }
            to
        }
        _ => {
            let mode = match text {
                "frozen" => Mode::Frozen,
                "running" => Mode::Running,
                _ => return Err(wrong("\"frozen\" or \"running\"")),
            };
            world.set_mode(mode);
            return Ok(shown(world));
        }
    };
    let pending = world.advance(to, PATIENCE).await;
    let mut shown = face(world);
    if pending > 0 {
        shown["pending"] = pending.into();
    }
    Ok(ok(&shown))
}
