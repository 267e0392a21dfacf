//! Worlds: made, looked at, reset, removed.

use serde_json::json;

use crate::api::call::Call;
use crate::api::reply::Reply;
use crate::server::admin::body::{members, seed, text};
use crate::server::admin::ok;
use crate::server::guard::error;
use crate::server::state::State;
use crate::world::World;
use crate::world::registry::{NotMade, Wanted};

/// `POST /__admin/worlds`.
///
/// # Errors
/// The answer, where none can be made so.
pub fn made(state: &State, call: &Call<'_>) -> Result<Reply, Reply> {
    let members = members(call, &["name", "scenario", "seed"])?;
    let wanted = Wanted {
        name: text(&members, "name")?,
        scenario: text(&members, "scenario")?,
        seed: seed(&members)?,
    };
    let world = state.registry.make(wanted).map_err(|reason| not_made(&reason))?;
    let host = call.header("host").unwrap_or_default();
    let body = json!({
        "name": world.name,
        "baseUrl": format!("http://{host}/w/{}", world.name),
        "apiKey": world.minted.as_ref().map(|key| key.key.as_str()),
        "seed": world.snapshot().seed.0,
    });
    Ok(Reply::json(201, body.to_string().into_bytes()))
}

fn not_made(reason: &NotMade) -> Reply {
    match reason {
        NotMade::BadName(name) => error(
            400,
            &format!(
                "`{name}` cannot name a world: 1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit, and not `default`."
            ),
        ),
        NotMade::Exists(name) => {
            error(409, &format!("A world named {name} is there already: choose another name, or reset it."))
        }
        NotMade::NoScenario(name) => {
            error(400, &format!("No scenario is named {name}: see /__admin/scenarios."))
        }
        NotMade::TooMany => error(
            429,
            "There are 100000 worlds, the most there can be: restart, or use them again after a reset.",
        ),
        NotMade::NoKey => error(500, "The system gives no random number for a key."),
    }
}

/// `POST …/reset`.
///
/// # Errors
/// The answer to a body that cannot be read.
pub fn reset(world: &World, call: &Call<'_>) -> Result<Reply, Reply> {
    world.reset(seed(&members(call, &["seed"])?)?);
    Ok(ok(&json!({ "name": world.name, "seed": world.snapshot().seed.0 })))
}
