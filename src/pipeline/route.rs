//! Steps 4 to 9 for a route: key, rate limit, body, and the response.

use std::sync::{Arc, Mutex, PoisonError};

use minijinja::Value;

use crate::api::call::{BODY_LIMIT, Body, Call};
use crate::api::dates::Day;
use crate::api::error::{ApiError, Code};
use crate::auth::{Caller, Key};
use crate::dataset::added::Additions;
use crate::dataset::facts::Dataset;
use crate::fault::request::Request;
use crate::journal::checks::Check;
use crate::journal::notes::unknown_parameter;
use crate::ledger::Ledger;
use crate::pipeline::decide::Decided;
use crate::pipeline::receive::Received;
use crate::pipeline::refuse::printable;
use crate::pipeline::run::{Ran, Refusal, authenticate, check_rate_limit};
use crate::route::Route;
use crate::route::answer::{Answered, answer};
use crate::route::context::{Asked, without_request};
use crate::route::facts::Facts;
use crate::route::schema::Part;
use crate::world::World;
use crate::world::run::Run;
use crate::world::snapshot::Snapshot;

/// The data of a world, as the templates of one request read it.
#[derive(Debug)]
struct WorldFacts {
    snapshot: Arc<Snapshot>,
    run: Arc<Run>,
    world: Arc<World>,
    key: Option<String>,
    today: Day,
}

impl Facts for WorldFacts {
    fn dataset(&self) -> &Dataset {
        self.snapshot.dataset()
    }

    fn added(&self) -> Option<Arc<Additions>> {
        self.run.added.read(self.dataset())
    }

    fn ledger(&self) -> &Mutex<Ledger> {
        &self.run.ledger
    }

    fn key(&self) -> Option<&Key> {
        let key = self.key.as_deref()?;
        let minted = self.world.minted.as_ref().filter(|minted| minted.key == key);
        minted.or_else(|| self.snapshot.keys.find(key))
    }

    fn today(&self) -> Day {
        self.today
    }
}

/// The data of a world, as templates read it without a request.
pub(crate) fn data(world: &Arc<World>, key: Option<String>) -> Value {
    let run = world.run();
    let (snapshot, now) = (run.snapshot(), run.clock.now());
    let facts = WorldFacts { snapshot, run, world: Arc::clone(world), key, today: now.day() };
    without_request(&(Arc::new(facts) as Arc<dyn Facts>), now)
}

/// Notes on query parameters that a route with a schema of its query does not have.
fn unknown_parameters(route: &Route, call: &Call<'_>) -> Vec<String> {
    let Some(schema) = route.schema.as_ref().and_then(|schema| schema.of(Part::Query)) else {
        return Vec::new();
    };
    let is_matched = |name: &str| {
        let of_responses =
            route.responses.iter().filter_map(|response| Some(&response.when.as_ref()?.condition));
        std::iter::once(&route.condition)
            .chain(of_responses)
            .any(|condition| condition.query.iter().any(|(known, _)| known == name))
    };
    let is_known =
        |name: &str| name == "api_key" || schema["properties"].get(name).is_some() || is_matched(name);
    let unknown = call.parameters().map(|(name, _)| name).filter(|name| !is_known(name));
    unknown.map(|name| unknown_parameter(&name)).collect()
}

pub(super) fn run(decided: &Decided<'_>, route: &Route) -> Result<Ran, Refusal> {
    let admitted = decided.admitted;
    let Received { world, run, snapshot, call, .. } = admitted.received;
    let key = admitted.key.as_deref();
    let caller = match authenticate(admitted.received, key) {
        Ok(caller) => caller,
        Err(error) if route.requires_key => return Err(Refusal(Check::Key, error)),
        Err(_) => Caller { key: None },
    };
    check_rate_limit(run, caller, admitted.reading).map_err(Check::RateLimit.refuses())?;
    if let Body::TooLarge = call.body {
        let error = ApiError::new(Code::TooLarge, format!("the body is over {BODY_LIMIT} bytes"));
        return Err(Refusal(Check::Body, error));
    }
    let operation = (route.operation, "");
    let request = Request::new(operation, call, &snapshot.dialect, (key, admitted.key_match));
    let facts = WorldFacts {
        snapshot: Arc::clone(snapshot),
        run: Arc::clone(run),
        world: Arc::clone(world),
        key: caller.key.map(|key| key.key.clone()),
        today: admitted.reading.now.day(),
    };
    let asked = Asked {
        route,
        request: &request,
        facts: Arc::new(facts),
        now: admitted.reading.now,
        seed: snapshot.seed,
        attempt: decided.seen.1,
    };
    let turn = || run.route_turn.lock().unwrap_or_else(PoisonError::into_inner);
    let turn = route.has_state().then(turn);
    let Answered { mut reply, misfit, mut notes } = answer(&asked).map_err(|error| {
        Refusal(if error.code == Code::NotJson { Check::Body } else { Check::Operation }, error)
    })?;
    drop(turn);
    if let Some(misfit) = misfit {
        reply = reply.with("x-standin-detail", printable(&misfit.0));
    }
    if reply.status < 400 {
        let account = request.businesses().into_iter().find_map(|number| {
            let dataset = snapshot.dataset();
            let place = dataset.find(i64::try_from(number).ok()?)?;
            Some(dataset.account(dataset.account_at(place)).number)
        });
        run.operation_done(route.operation, (account.unwrap_or_default(), None), admitted.reading.now);
    }
    notes.extend(unknown_parameters(route, call));
    Ok(Ran { notes, ..Ran::new(reply, None) })
}
