//! `POST …/events`: an event happens.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::api::call::Call;
use crate::api::events::{KNOWN, canonical};
use crate::api::reply::Reply;
use crate::dataset::facts::BusinessRef;
use crate::server::admin::body::{members, text};
use crate::server::guard::error;
use crate::webhook::settings::Emission;
use crate::world::World;

/// `POST …/events`.
///
/// # Errors
/// The answer to an event that is not known, or to an account or a conversation that it cannot happen to.
pub fn emitted(world: &Arc<World>, call: &Call<'_>) -> Result<Reply, Reply> {
    let members = members(call, &["event", "business", "conversation", "text", "data"])?;
    let snapshot = world.snapshot();
    let Some(sent) = text(&members, "event")? else { return Err(error(400, "event is missing.")) };
    let event = canonical(&sent).to_owned();
    let added = snapshot.events.iter().map(String::as_str);
    let known: Vec<&str> = KNOWN.into_iter().chain(added).collect();
    if !known.contains(&event.as_str()) {
        return Err(error(400, &format!("event must be one of {}; it is {sent}.", known.join(", "))));
    }
    let business = account(world, members.get("business"))?;
    let data = match members.get("data") {
        None | Some(Value::Null) => None,
        Some(Value::Object(data)) => Some(data.clone()),
        Some(other) => return Err(error(400, &format!("data must be an object; it is {other}."))),
    };
    let conversation = text(&members, "conversation")?;
    let emission = Emission {
        event,
        business: Some(business),
        conversation: conversation.clone(),
        text: text(&members, "text")?,
        data,
    };
    let Some(emitted) = world.emit(&emission, business, None) else {
        let name = conversation.unwrap_or_default();
        return Err(error(
            409,
            &format!("The conversation {name} is closed: give another name to open a new one."),
        ));
    };
    let body = json!({ "eventId": emitted.event_id, "deliveries": emitted.deliveries });
    Ok(Reply::json(202, body.to_string().into_bytes()))
}

/// The number of an account, as a number or a string of digits.
fn account(world: &World, sent: Option<&Value>) -> Result<u64, Reply> {
    let Some(sent) = sent.filter(|sent| !sent.is_null()) else {
        return Err(error(400, "business is missing: the number of an account."));
    };
    let number = sent.as_i64().or_else(|| sent.as_str()?.trim().parse().ok());
    let snapshot = world.snapshot();
    let dataset = snapshot.dataset();
    match number.and_then(|number| dataset.find(number)) {
        Some(BusinessRef::Account(account)) => Ok(dataset.account(account).number),
        Some(BusinessRef::Location(_)) => {
            Err(error(400, &format!("business must be an account; {sent} is a location.")))
        }
        None => Err(error(400, &format!("business must be the number of an account; {sent} is none."))),
    }
}
