//! What the admin handlers for reviews and questions have in common.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::dataset::facts::Dataset;
use crate::ledger::added::NotAdded;
use crate::ledger::changed::NotChanged;
use crate::scenario::diagnostic::Diagnostic;
use crate::server::admin::error::AdminError;
use crate::server::admin::list::{Limit, Offset};
use crate::server::api::build_dataset;
use crate::server::long;
use crate::world::World;
use crate::world::arrivals::NotRecorded;
use crate::world::run::Run;
use crate::world::snapshot::Snapshot;

/// Which records are asked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RecordsQuery {
    /// Number of an account or a location; all locations where it is absent.
    #[param(value_type = Option<u64>)]
    pub(crate) business: Option<String>,
    #[serde(default)]
    #[param(inline)]
    pub(crate) offset: Offset,
    #[serde(default)]
    #[param(inline)]
    pub(crate) limit: Limit,
}

impl RecordsQuery {
    /// The locations whose records are asked for.
    pub(crate) fn locations(&self, dataset: &Dataset) -> Result<Vec<u32>, AdminError> {
        let Some(sent) = &self.business else {
            return Ok((0..).take(dataset.location_count()).collect());
        };
        let business = sent.parse().ok().and_then(|number| dataset.find(number));
        business.map(|business| dataset.locations_of(business)).ok_or_else(|| {
            let allowed = "the number of an account or a location of this world";
            AdminError::bad_request(format!("business must be {allowed}; it is {sent}."))
        })
    }
}

/// Changes the records of a world, once its dataset is built, on another thread.
pub(crate) async fn write<T: Send + 'static>(
    world: Arc<World>,
    write: impl FnOnce(&Snapshot, &Arc<Run>) -> Result<T, AdminError> + Send + 'static,
) -> Result<T, AdminError> {
    let snapshot = world.snapshot();
    build_dataset(&snapshot).await;
    long::run(move || write(&snapshot, &world.run())).await?
}

/// The answer with a record as the API shows it.
pub(crate) fn respond(status: StatusCode, json: String) -> HttpResponse {
    HttpResponse::build(status).content_type("application/json").body(json)
}

/// The error for a body that has problems.
pub(crate) fn invalid(done: &str, problems: &[Diagnostic]) -> AdminError {
    let first = problems.first().map_or_else(String::new, |problem| format!(": {}", problem.message));
    AdminError::diagnostics(format!("Nothing was {done}{first}. See the diagnostics."), problems)
}

/// The error for a record that is not stored or changed.
pub(crate) fn not_recorded(done: &str, reason: &NotRecorded) -> AdminError {
    let (status, advice) = match reason {
        NotRecorded::NotAdded(NotAdded::IdTaken { .. }) => {
            (StatusCode::CONFLICT, " Give another, or none: then one is drawn.")
        }
        NotRecorded::NotAdded(NotAdded::Full(_)) | NotRecorded::NotChanged(NotChanged::Full(_)) => {
            (StatusCode::PAYLOAD_TOO_LARGE, "")
        }
        NotRecorded::NotChanged(NotChanged::Ambiguous(_)) => {
            (StatusCode::CONFLICT, " Add ?business= with one of them.")
        }
        NotRecorded::NotChanged(NotChanged::NoResponse) => (StatusCode::BAD_REQUEST, ""),
        NotRecorded::NoLocation(_)
        | NotRecorded::NotChanged(NotChanged::Unknown | NotChanged::NoneArrived) => {
            (StatusCode::NOT_FOUND, "")
        }
    };
    AdminError::new(status, format!("Nothing was {done}: {reason}.{advice}"))
}
