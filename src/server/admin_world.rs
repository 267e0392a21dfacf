//! The admin side of worlds: made, looked into, reset, their clocks moved.

use serde_json::{Value, json};

use crate::api::call::Call;
use crate::api::ids::ID_LIMIT;
use crate::api::reply::Reply;
use crate::clock::{Mode, Moment};
use crate::dataset::records::{Contact, Preferences};
use crate::draw::Seed;
use crate::scenario::leaf::duration;
use crate::server::admin::{list, members, nothing, ok, on};
use crate::server::guard::error;
use crate::server::state::State;
use crate::world::World;
use crate::world::registry::{NotMade, Wanted};

/// Makes a world.
#[must_use]
pub fn made(state: &State, call: &Call<'_>) -> Reply {
    let members = match members(call, &["name", "scenario", "seed"]) {
        Ok(members) => members,
        Err(reply) => return reply,
    };
    let text = |name: &str| match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(error(400, &format!("{name} must be a string; it is {other}."))),
    };
    let wanted = match (text("name"), text("scenario"), seed(&members)) {
        (Ok(name), Ok(scenario), Ok(seed)) => Wanted { name, scenario, seed },
        (Err(reply), ..) | (_, Err(reply), _) | (.., Err(reply)) => return reply,
    };
    let world = match state.registry.make(wanted) {
        Ok(world) => world,
        Err(reason) => return not_made(&reason),
    };
    let host = call.header("host").unwrap_or_default();
    let body = json!({
        "name": world.name,
        "baseUrl": format!("http://{host}/w/{}", world.name),
        "apiKey": world.minted.as_ref().map(|key| key.key.as_str()),
        "seed": world.snapshot().seed.0,
    });
    Reply::json(201, body.to_string().into_bytes())
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

/// Answers a call about one world; `rest` is what follows its name.
#[must_use]
pub fn of_world(world: &World, rest: &[&str], call: &Call<'_>) -> Reply {
    match rest {
        ["contacts"] => on(call, &[("GET", &|| list(call, contacts(world)))]),
        ["subscriptions"] => on(call, &[("GET", &|| list(call, subscriptions(world)))]),
        ["reset"] => on(call, &[("POST", &|| reset(world, call))]),
        ["clock"] => on(call, &[("GET", &|| clock(world)), ("POST", &|| move_clock(world, call))]),
        _ => nothing(&format!("/worlds/{}/{}", world.name, rest.join("/"))),
    }
}

fn contacts(world: &World) -> Vec<Value> {
    let snapshot = world.snapshot();
    let dataset = snapshot.dataset();
    let ledger = world.ledger();
    let numbers = snapshot.businesses().iter().map(|business| business.number);
    numbers
        .flat_map(|number| {
            let contacts = ledger.contacts.of(number, dataset.contacts.of(number));
            contacts.all().into_iter().map(contact).collect::<Vec<_>>()
        })
        .collect()
}

/// A contact in the API's field names; what was never told is left out.
fn contact(contact: &Contact) -> Value {
    let flags = |preferences: Preferences| {
        told(json!({
            "marketingOptin": preferences.marketing_optin,
            "feedbackOptin": preferences.feedback_optin,
            "serviceOptin": preferences.service_optin,
        }))
    };
    let fields: Vec<Value> = contact
        .custom_fields
        .iter()
        .map(|field| json!({ "fieldName": field.name, "type": field.kind, "fieldValue": field.value }))
        .collect();
    told(json!({
        "id": contact.id,
        "firstName": contact.first_name,
        "lastName": contact.last_name,
        "email": contact.email,
        "phone": contact.phone,
        "countryCode": contact.country_code,
        "smsOptin": contact.sms_optin,
        "blocked": contact.blocked,
        "businessIds": contact.business_ids,
        "tags": contact.tags,
        "customFields": fields,
        "externalId": contact.external_id,
        "emailPreferences": contact.email_preferences.map(flags),
        "smsPreferences": contact.sms_preferences.map(flags),
    }))
}

fn told(mut value: Value) -> Value {
    if let Value::Object(members) = &mut value {
        members.retain(|_, member| !member.is_null());
    }
    value
}

fn subscriptions(world: &World) -> Vec<Value> {
    let ledger = world.ledger();
    ledger
        .subscriptions
        .all()
        .iter()
        .map(|made| {
            json!({ "subscriptionId": made.id, "businessId": made.business, "events": made.events, "endpoint": made.endpoint })
        })
        .collect()
}

/// The seed of a body, if it has one.
fn seed(members: &serde_json::Map<String, Value>) -> Result<Option<Seed>, Reply> {
    match members.get("seed") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64().filter(|seed| *seed < ID_LIMIT) {
            Some(seed) => Ok(Some(Seed(seed))),
            None => Err(error(
                400,
                &format!("seed must be an integer from 0 to {}; it is {value}.", ID_LIMIT - 1),
            )),
        },
    }
}

fn reset(world: &World, call: &Call<'_>) -> Reply {
    let members = match members(call, &["seed"]) {
        Ok(members) => members,
        Err(reply) => return reply,
    };
    match seed(&members) {
        Ok(seed) => world.reset(seed),
        Err(reply) => return reply,
    }
    ok(&json!({ "name": world.name, "seed": world.snapshot().seed.0 }))
}

fn clock(world: &World) -> Reply {
    let mode = match world.clock.mode() {
        Mode::Frozen => "frozen",
        Mode::Running => "running",
    };
    ok(&json!({ "now": world.clock.now().iso(), "start": world.clock.start().iso(), "mode": mode }))
}

fn move_clock(world: &World, call: &Call<'_>) -> Reply {
    let members = match members(call, &["advance", "set", "mode"]) {
        Ok(members) => members,
        Err(reply) => return reply,
    };
    let Some((name, value)) = members.iter().next().filter(|_| members.len() == 1) else {
        return error(
            400,
            "Give one of {\"advance\": \"61s\"}, {\"set\": \"2026-06-30T09:00:00Z\"}, {\"mode\": \"frozen\"}.",
        );
    };
    let text = value.as_str().unwrap_or_default();
    let wrong = |allowed: &str| error(400, &format!("{name} must be {allowed}; it is {value}."));
    match name.as_str() {
        "advance" => match duration(text) {
            Some(span) => world.clock.advance(span),
            None => return wrong("a duration like \"250ms\", \"61s\" or \"1m\""),
        },
        "set" => match Moment::from_scenario(text) {
            Some(to) => {
                if let Err(back) = world.clock.set(to) {
                    return error(
                        400,
                        &format!("The clock never goes back: it is {} already.", back.now.iso()),
                    );
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
    clock(world)
}
