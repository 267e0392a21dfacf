//! The deliveries of a world: what was sent where, and what came back.

use std::sync::Arc;

use serde_json::Value;

use crate::api::call::Call;
use crate::api::events::canonical;
use crate::api::reply::Reply;
use crate::server::admin::listing::list;
use crate::server::guard::error;
use crate::webhook::delivery::{Delivery, Status};
use crate::world::World;

/// Names a parameter of the query can have.
const PARAMETERS: [&str; 7] =
    ["status", "event", "eventId", "conversation", "subscription", "offset", "limit"];

/// `GET …/deliveries`.
///
/// # Errors
/// The answer to a filter that is none.
pub fn all(world: &World, call: &Call<'_>) -> Result<Reply, Reply> {
    let names =
        call.query.split('&').filter_map(|pair| pair.split('=').next()).filter(|name| !name.is_empty());
    if let Some(name) = names.clone().find(|name| !PARAMETERS.contains(name)) {
        return Err(error(400, &format!("{name} is no filter; these are: {}.", PARAMETERS.join(", "))));
    }
    let text = |name| call.parameter(name).map(std::borrow::Cow::into_owned);
    let status = match text("status").as_deref() {
        None => None,
        Some(name) => Some(status(name)?),
    };
    let subscription = match text("subscription") {
        None => None,
        Some(id) => Some(
            id.parse::<u64>()
                .map_err(|_| error(400, &format!("subscription must be a number; it is {id}.")))?,
        ),
    };
    let (event, id, conversation) = (text("event"), text("eventId"), text("conversation"));
    let takes = |delivery: &Delivery| {
        status.is_none_or(|status| delivery.status == status)
            && subscription.is_none_or(|id| delivery.subscription == id)
            && event.as_deref().is_none_or(|event| delivery.event.name == canonical(event))
            && id.as_ref().is_none_or(|id| delivery.event.id == *id)
            && (conversation.is_none() || delivery.event.conversation == conversation)
    };
    let (found, dropped) = world.deliveries(takes);
    let shown: Vec<Value> = found.iter().map(Delivery::shown).collect();
    Ok(list(call, shown)?.with("x-standin-dropped", dropped.to_string()))
}

fn status(name: &str) -> Result<Status, Reply> {
    let all = [Status::Pending, Status::Delivered, Status::Dead];
    all.into_iter().find(|status| status.name() == name).ok_or_else(|| {
        let names = all.map(Status::name).join(", ");
        error(400, &format!("status must be one of {names}; it is {name}."))
    })
}

/// `POST …/deliveries/{id}/retry`.
///
/// # Errors
/// The answer, where there is no such delivery, or where it is still under way.
pub fn retried(world: &Arc<World>, id: &str) -> Result<Reply, Reply> {
    match world.redeliver(id) {
        Some(Ok(delivery)) => Ok(Reply::json(202, delivery.shown().to_string().into_bytes())),
        Some(Err(_)) => Err(error(
            409,
            &format!("The delivery {id} is still under way; advance the clock for its next attempt."),
        )),
        None => Err(error(404, &format!("No delivery has the id {id}: see deliveries."))),
    }
}
