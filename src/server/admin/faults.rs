//! A world's faults: listed, put, turned on and off, removed.

use serde_json::{Value, json};

use crate::api::call::{Body, Call};
use crate::api::reply::Reply;
use crate::scenario::diagnostic::did_you_mean;
use crate::scenario::{admin_input, render};
use crate::server::admin::body::members;
use crate::server::admin::{done, invalid, ok};
use crate::server::guard::error;
use crate::world::World;
use crate::world::edits::FaultStatus;

/// `GET …/faults`.
#[must_use]
pub fn all(world: &World) -> Vec<Value> {
    world.faults().iter().map(listed).collect()
}

fn listed(listed: &FaultStatus) -> Value {
    let FaultStatus { fault, from_file, hits } = listed;
    json!({
        "name": fault.name,
        "enabled": fault.enabled,
        "hitCount": hits,
        "source": if *from_file { "file" } else { "admin" },
        "fault": serde_json::from_str::<Value>(&fault.text).unwrap_or_default(),
    })
}

/// The fault of that name as it is listed.
fn one(world: &World, name: &str) -> Result<Value, Reply> {
    let faults = world.faults();
    let found = faults.iter().find(|listed| listed.fault.name == name);
    found.map(listed).ok_or_else(|| unknown(world, name))
}

fn unknown(world: &World, name: &str) -> Reply {
    let faults = world.faults();
    let help = did_you_mean(name, faults.iter().map(|listed| listed.fault.name.as_str()));
    error(404, &format!("The world {} has no fault {name}: {help}.", world.name))
}

/// `PUT …/faults/{name}`. The answer has warnings beside the fault.
///
/// # Errors
/// The answer to a fault that is none.
pub fn put(world: &World, name: &str, call: &Call<'_>) -> Result<Reply, Reply> {
    let Body::Whole(bytes) = call.body else { return Err(error(413, "The body is too large.")) };
    let Ok(text) = std::str::from_utf8(bytes) else { return Err(error(400, "The body is not UTF-8.")) };
    let (fault, warnings) =
        admin_input::parse_fault(&world.snapshot().references(world.clock.mode()), name, text)
            .map_err(|problems| invalid("The fault is not taken", &problems))?;
    let status = if world.put_fault(fault) { 201 } else { 200 };
    let mut body = one(world, name)?;
    body["diagnostics"] = render::json(&warnings);
    Ok(Reply::json(status, body.to_string().into_bytes()))
}

/// `PATCH …/faults/{name}`.
///
/// # Errors
/// The answer to another body, and where there is no such fault.
pub fn patched(world: &World, name: &str, call: &Call<'_>) -> Result<Reply, Reply> {
    let members = members(call, &["enabled"])?;
    let Some(enabled) = members.get("enabled").and_then(Value::as_bool) else {
        return Err(error(400, "Give {\"enabled\": true} or {\"enabled\": false}."));
    };
    if !world.enable_fault(name, enabled) {
        return Err(unknown(world, name));
    }
    Ok(ok(&one(world, name)?))
}

/// `DELETE …/faults/{name}`.
///
/// # Errors
/// The answer, where there is no such fault.
pub fn removed(world: &World, name: &str) -> Result<Reply, Reply> {
    if world.remove_fault(name) { Ok(done()) } else { Err(unknown(world, name)) }
}
