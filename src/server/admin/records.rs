//! What the admin handlers for reviews and questions have in common.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::dataset::facts::Dataset;
use crate::ledger::added::NotAdded;
use crate::scenario::added_record::AddTarget;
use crate::scenario::diagnostic::Diagnostic;
use crate::server::admin::error::AdminError;
use crate::server::admin::list::{Limit, Offset};
use crate::server::api::build_dataset;
use crate::server::long;
use crate::world::World;
use crate::world::run::Run;

/// Which records are asked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RecordsQuery {
    /// Number of an account or a location; all locations where it is absent.
    #[param(value_type = Option<u64>)]
    business: Option<String>,
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

/// Adds a record to a world. `add` reads the body, adds the record, and writes it as the API answers it.
pub(crate) async fn create(
    world: Arc<World>,
    text: String,
    add: impl FnOnce(&str, AddTarget<'_>, &Run) -> Result<String, AdminError> + Send + 'static,
) -> Result<HttpResponse, AdminError> {
    let snapshot = world.snapshot();
    build_dataset(&snapshot).await;
    let added = long::run(move || {
        let run = world.run();
        add(&text, AddTarget { dataset: snapshot.dataset(), now: run.clock.now() }, &run)
    });
    Ok(HttpResponse::Created().content_type("application/json").body(added.await??))
}

/// The error for a record that has problems.
pub(crate) fn invalid(problems: &[Diagnostic]) -> AdminError {
    let first = problems.first().map_or_else(String::new, |problem| format!(": {}", problem.message));
    AdminError::diagnostics(format!("Nothing was added{first}. See the diagnostics."), problems)
}

/// The error for a record that is not added.
pub(crate) fn not_added(reason: &NotAdded) -> AdminError {
    match reason {
        NotAdded::IdTaken { what, id } => AdminError::conflict(format!(
            "Nothing was added: the account has the {what} id {id} already. Give another, or none: then one is drawn."
        )),
        NotAdded::Full(full) => {
            let message = format!("Nothing was added: {full}.");
            AdminError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        }
    }
}
