//! Admin handler that verifies expectations.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;
use utoipa::{IntoParams, ToSchema};

use crate::clock;
use crate::expect::expectation::Expectation;
use crate::expect::report::ExpectationReport;
use crate::scenario::references::References;
use crate::scenario::scalars::parse_duration;
use crate::scenario::{admin_input, fault};
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, Text, WorldPath};
use crate::server::admin::record;
use crate::server::admin::requests::require_journal;
use crate::server::api::build_dataset;
use crate::server::long;
use crate::world::World;

/// The longest time for which a request waits.
const MAX_WITHIN: Duration = Duration::from_secs(60);
/// The shortest pause between two verifications.
const PAUSE: Duration = Duration::from_millis(25);
/// A pause is at least so many times as long as a verification takes.
const PAUSES: u32 = 4;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct VerifyQuery {
    /// How long to wait until all expectations hold, such as `2s`; at most 60 seconds. By default, the answer comes at once.
    within: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Verification {
    /// Whether all expectations hold.
    passed: bool,
    /// By expectation: `name`, `passed`, `message`, and `nearest` with the call that came nearest, member by member.
    #[schema(value_type = Vec<Object>)]
    results: Vec<ExpectationReport>,
}

/// Verifies what is expected of a client.
///
/// The body is a list of expectations as a scenario has them, as JSON or YAML. Without a body, or with an empty list, those of the
/// world's scenario are verified. The answer comes as soon as all hold, else when the time is over.
#[utoipa::path(post, path = "/__admin/worlds/{world}/verify", params(WorldPath, VerifyQuery),
    request_body(content = Vec<Object>, content_type = "application/json"),
    responses((status = 200, description = "Which expectations hold", body = Verification),
        (status = 404, description = "The journal is off", body = super::error::ErrorBody)))]
pub(crate) async fn verify(
    PathWorld(world): PathWorld,
    Query(query): Query<VerifyQuery>,
    Text(text): Text,
) -> Result<web::Json<Verification>, AdminError> {
    let within = query.within.as_deref().map_or(Ok(Duration::ZERO), within)?;
    require_journal(&world.run())?;
    let target = Arc::clone(&world);
    // Reading a long list takes some milliseconds.
    let expectations = long::apart(move || expectations(&target, &text)).await??;
    let began = clock::real_now();
    loop {
        build_dataset(&world.snapshot()).await;
        let (target, wanted) = (Arc::clone(&world), Arc::clone(&expectations));
        let before = clock::real_now();
        let results = long::run(move || {
            let record = record::record(&target, None);
            record::verify(&target, &record, &wanted)
        });
        let results = results.await?;
        let passed = results.iter().all(|result| result.passed);
        let left = within.saturating_sub(began.elapsed());
        if passed || left.is_zero() {
            return Ok(web::Json(Verification { passed, results }));
        }
        sleep((before.elapsed() * PAUSES).max(PAUSE).min(left)).await;
        world.touch();
    }
}

fn within(text: &str) -> Result<Duration, AdminError> {
    parse_duration(text.trim()).filter(|within| *within <= MAX_WITHIN).ok_or_else(|| {
        let most = MAX_WITHIN.as_secs();
        AdminError::bad_request(format!(
            "within must be a duration of at most {most}s, like 2s; it is {text}."
        ))
    })
}

/// Verifies the expectations of a list, or of the world's scenario, as they stand now.
///
/// # Errors
/// The list has a mistake.
pub(crate) fn verify_now(world: &World, text: &str) -> Result<Vec<ExpectationReport>, AdminError> {
    let expectations = expectations(world, text)?;
    Ok(record::verify(world, &record::record(world, None), &expectations))
}

/// The expectations of a body, or those of the world's scenario.
fn expectations(world: &World, text: &str) -> Result<Arc<Vec<Expectation>>, AdminError> {
    let (snapshot, faults) = (world.snapshot(), world.faults());
    let faults = || faults.iter().map(|status| &*status.fault);
    let references = References {
        faults: faults().map(|fault| fault.name.clone()).collect(),
        custom_codes: fault::custom_codes(faults()),
        events: snapshot.events.to_vec(),
        ..snapshot.references(world.run().clock.mode())
    };
    let given = admin_input::parse_expectations(&references, text)
        .map_err(|problems| AdminError::invalid("The expectations are not taken", &problems))?;
    Ok(if given.is_empty() { Arc::clone(&snapshot.expectations) } else { Arc::new(given) })
}
