//! The admin side under `/__admin` (`control.md`): health, scenarios, and what a world holds.

use std::time::Duration;

use serde_json::{Value, json};

use crate::api::call::{Body, Call, decode};
use crate::api::reply::Reply;
use crate::clock::{Mode, Moment};
use crate::dataset::records::{Contact, Preferences};
use crate::draw::Seed;
use crate::reload::Entry;
use crate::scenario::leaf::duration;
use crate::scenario::render;
use crate::server::guard::{self, error};
use crate::server::state::State;
use crate::world::World;

/// What follows `/__admin` in a path.
#[must_use]
pub fn path(path: &str) -> Option<&str> {
    path.strip_prefix("/__admin").filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Answers a call of the admin side; `path` is what follows `/__admin`.
#[must_use]
pub fn answer(state: &State, path: &str, call: &Call<'_>) -> Reply {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if let Some(refusal) = guard::refusal(state, call) {
        let open = refusal.status == 401 && segments == ["health"] && call.method == "GET";
        return if open { short_health(state) } else { refusal };
    }
    match segments.as_slice() {
        ["health"] => on(call, &[("GET", &|| health(state))]),
        ["scenarios"] => on(call, &[("GET", &|| list(call, scenarios(state)))]),
        ["worlds", name, rest @ ..] => {
            let name = decode(name, false);
            match state.registry.named(&name) {
                Some(world) => of_world(&world, rest, call),
                None => error(404, &format!("No world is named {name}.")),
            }
        }
        _ => nothing(path),
    }
}

fn of_world(world: &World, rest: &[&str], call: &Call<'_>) -> Reply {
    match rest {
        ["contacts"] => on(call, &[("GET", &|| list(call, contacts(world)))]),
        ["subscriptions"] => on(call, &[("GET", &|| list(call, subscriptions(world)))]),
        ["reset"] => on(call, &[("POST", &|| reset(world, call))]),
        ["clock"] => on(call, &[("GET", &|| clock(world)), ("POST", &|| move_clock(world, call))]),
        _ => nothing(&rest.join("/")),
    }
}

fn nothing(path: &str) -> Reply {
    error(
        404,
        &format!(
            "Nothing is at {path} of the admin side: see health, scenarios, worlds/{{world}}/contacts, …/subscriptions, …/reset, …/clock."
        ),
    )
}

/// The answer by method; another method is 405.
fn on(call: &Call<'_>, methods: &[(&'static str, &dyn Fn() -> Reply)]) -> Reply {
    if let Some((_, answer)) = methods.iter().find(|(method, _)| *method == call.method) {
        return answer();
    }
    let allowed = methods.iter().map(|(method, _)| *method).collect::<Vec<_>>().join(", ");
    error(405, &format!("{} is not allowed here; {allowed} is.", call.method)).with("allow", allowed)
}

fn ok(value: &Value) -> Reply {
    Reply::json(200, value.to_string().into_bytes())
}

/// How many elements a list has at the most, unless told and if told.
const PAGE: usize = 1_000;
const LARGEST_PAGE: usize = 10_000;

/// A page of a list, `offset` and `limit` as the query says; the total stands in a header.
fn list(call: &Call<'_>, mut values: Vec<Value>) -> Reply {
    let asked = |name, default| match call.parameter(name) {
        None => Ok(default),
        Some(text) => text
            .parse::<usize>()
            .map_err(|_| error(400, &format!("{name} must be an integer of 0 or more; it is {text}."))),
    };
    let (offset, limit) = match (asked("offset", 0), asked("limit", PAGE)) {
        (Ok(offset), Ok(limit)) if limit <= LARGEST_PAGE => (offset, limit),
        (Ok(_), Ok(limit)) => {
            return error(400, &format!("limit must be at most {LARGEST_PAGE}; it is {limit}."));
        }
        (Err(reply), _) | (_, Err(reply)) => return reply,
    };
    let total = values.len();
    let page: Vec<Value> = values.drain(offset.min(total)..offset.saturating_add(limit).min(total)).collect();
    ok(&Value::Array(page)).with("x-total-count", total.to_string())
}

fn health(state: &State) -> Reply {
    let entries = state.board.entries();
    let scenarios: Vec<Value> = entries
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "generation": entry.generation,
                "loadedAt": entry.loaded_at.map(Moment::iso),
                "diagnostics": render::json(&entry.problems),
            })
        })
        .collect();
    ok(&json!({ "status": status(&entries), "version": env!("CARGO_PKG_VERSION"), "scenarios": scenarios }))
}

fn short_health(state: &State) -> Reply {
    ok(&json!({ "status": status(&state.board.entries()), "version": env!("CARGO_PKG_VERSION") }))
}

fn status(entries: &[Entry]) -> &'static str {
    if entries.iter().any(Entry::is_degraded) { "degraded" } else { "ok" }
}

fn scenarios(state: &State) -> Vec<Value> {
    let served = |entry: &Entry| {
        let snapshot = entry.snapshot.as_ref()?;
        let counts = snapshot.counts;
        Some(json!({
            "name": entry.name,
            "summary": snapshot.summary,
            "default": entry.name == state.registry.default_name(),
            "file": entry.file,
            "businesses": counts.businesses,
            "locations": counts.locations,
            "reviews": counts.reviews,
            "questions": counts.questions,
            "faults": counts.faults,
        }))
    };
    state.board.entries().iter().filter_map(served).collect()
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

/// The members of a body; an empty body has none.
fn members(call: &Call<'_>, allowed: &[&str]) -> Result<serde_json::Map<String, Value>, Reply> {
    let Body::Whole(bytes) = call.body else { return Err(error(413, "The body is too large.")) };
    if bytes.trim_ascii().is_empty() {
        return Ok(serde_json::Map::new());
    }
    let members = match serde_json::from_slice(bytes) {
        Ok(Value::Object(members)) => members,
        Ok(other) => return Err(error(400, &format!("The body must be a JSON object; it is {other}."))),
        Err(problem) => return Err(error(400, &format!("The body is not JSON: {problem}."))),
    };
    match members.keys().find(|name| !allowed.contains(&name.as_str())) {
        Some(name) => Err(error(400, &format!("{name} is unknown here; {} is allowed.", allowed.join(", ")))),
        None => Ok(members),
    }
}

fn reset(world: &World, call: &Call<'_>) -> Reply {
    let members = match members(call, &["seed"]) {
        Ok(members) => members,
        Err(reply) => return reply,
    };
    let seed = match members.get("seed") {
        None | Some(Value::Null) => None,
        Some(value) => match value.as_u64() {
            Some(seed) => Some(Seed(seed)),
            None => return error(400, &format!("seed must be an integer of 0 or more; it is {value}.")),
        },
    };
    world.reset(seed);
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
            Some(span) => advance(world, span),
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

fn advance(world: &World, span: Duration) {
    world.clock.advance(span);
}
