//! Requests to try the API with, made from the scenario of a world: its key, its numbers and its days.

use serde_json::{Map, Value, json};

use crate::api::dialect::Dialect;
use crate::auth::Key;
use crate::dataset::records::{Business, Kind};
use crate::operations::ALL;
use crate::operations::spec::{Run, Spec};
use crate::server::openapi::example;
use crate::world::World;
use crate::world::snapshot::Snapshot;

/// What the requests are filled with.
struct Filling<'a> {
    key: &'a str,
    account: Option<&'a Business>,
    /// First and last day of a year up to the clock's start.
    days: (String, String),
}

/// The key to use in a world, and for each operation its path parameter, headers, query and body, as far as the scenario
/// has what they need. The names are those of the examples in the OpenAPI document.
pub(super) fn requests(world: &World) -> Value {
    let snapshot = world.snapshot();
    let key = usable_key(world, &snapshot);
    let filling = Filling {
        key: key.map_or("any", |key| key.key.as_str()),
        account: account(&snapshot, key),
        days: snapshot.last_year(),
    };
    let requests: Map<String, Value> = ALL
        .iter()
        .map(|spec| (spec.operation.name().to_owned(), request(spec, &filling, &snapshot.dialect)))
        .collect();
    json!({ "key": filling.key, "requests": requests })
}

/// The key to use in a world, and the number of an enterprise that it covers.
pub(crate) fn key_and_account(world: &World) -> (String, Option<u64>) {
    let snapshot = world.snapshot();
    let key = usable_key(world, &snapshot);
    let account = account(&snapshot, key).map(|account| account.number);
    (key.map_or("any", |key| key.key.as_str()).to_owned(), account)
}

/// A key that works at the world's base URL. None if any key does.
fn usable_key<'a>(world: &'a World, snapshot: &'a Snapshot) -> Option<&'a Key> {
    let usable = || snapshot.keys.all().iter().filter(|key| !key.revoked);
    let own = usable().find(|key| key.own_world && key.name.as_ref() == Some(&world.name));
    let shared = usable().find(|key| !key.own_world);
    world.minted.as_ref().or(own).or(shared).or(usable().next())
}

/// The first enterprise that the key covers, of those with locations if there are any.
fn account<'a>(snapshot: &'a Snapshot, key: Option<&Key>) -> Option<&'a Business> {
    let covered = |business: &&Business| {
        let numbers = [Some(business.number), business.parent];
        let listed = key.and_then(|key| key.accounts.as_ref());
        business.kind == Kind::Enterprise
            && listed.is_none_or(|listed| numbers.iter().flatten().any(|number| listed.contains(number)))
    };
    let mut accounts = snapshot.businesses().iter().filter(covered);
    let first = accounts.clone().next();
    accounts.find(|account| !account.locations.is_empty()).or(first)
}

fn request(spec: &Spec, filling: &Filling<'_>, dialect: &Dialect) -> Value {
    let example = example(spec.operation);
    let number = filling.account.map(|account| account.number.to_string()).unwrap_or_default();
    let competitor = filling.account.and_then(|account| account.competitors.first());
    let mut request = json!({ "body": body(&example["body"], filling) });
    if spec.path_parameter().is_some() {
        request["path"] = competitor.map_or_else(|| number.clone(), u64::to_string).into();
    }
    if let Run::ForAccount(..) = spec.run {
        request["headers"] = json!({ "x-business-number": number });
    }
    let interface = Dialect::default();
    for parameter in spec.query {
        let name = parameter.name.get(&interface);
        let value = match name {
            "isCompetitor" => json!(competitor.is_some().to_string()),
            "businessId" => number.as_str().into(),
            _ => example["query"][name].clone(),
        };
        if !value.is_null() {
            request["query"][parameter.name.get(dialect)] = value;
        }
    }
    request
}

/// The example's body with the members that depend on the scenario filled in.
fn body(example: &Value, filling: &Filling<'_>) -> Value {
    let mut body = example.clone();
    let (first, last) = &filling.days;
    let account = filling.account;
    let number = account.map(|account| account.number);
    for (name, value) in body.as_object_mut().into_iter().flatten() {
        match name.as_str() {
            "businessNumbers" => *value = json!(number.as_slice()),
            "businessNumber" => *value = number.map(|number| number.to_string()).into(),
            "businessIds" => {
                let location = account.and_then(|account| account.locations.first());
                *value = json!([location.map(|location| location.number).or(number)]);
            }
            "startDate" | "fromDate" => *value = first.as_str().into(),
            "endDate" => *value = last.as_str().into(),
            "userEmail" => {
                let user = account.and_then(|account| account.users.first());
                *value = user.map_or("someone@example.test", String::as_str).into();
            }
            "apiKey" => *value = filling.key.into(),
            _ => {}
        }
    }
    body
}
