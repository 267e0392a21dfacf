//! Admin handler for the report on a world's clients.

use actix_web::web;

use crate::expect::report::{Report, Score};
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, WorldPath};
use crate::server::admin::record;
use crate::server::admin::requests::require_journal;
use crate::server::long;

/// Judges the clients of a world by what they did: the scorecard, what they did after each fault, and what they met.
#[utoipa::path(get, path = "/__admin/worlds/{world}/report", params(WorldPath),
    responses((status = 200, description = "The report", body = Object), (status = 404, description = "The journal is off", body = super::error::ErrorBody)))]
pub(crate) async fn get(PathWorld(world): PathWorld) -> Result<web::Json<Report>, AdminError> {
    require_journal(&world.run())?;
    let report = long::run(move || {
        let record = record::record(&world, None);
        let expectations = record::verify(&world, &record, &world.snapshot().expectations);
        Report::new(&record, expectations, Score::default())
    });
    let report = report.await?;
    Ok(web::Json(report))
}
