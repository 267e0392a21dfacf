//! Admin handler for the report on a world's clients.

use actix_web::HttpResponse;
use actix_web::http::header;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::expect::report::{Report, Score, html, junit};
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, WorldPath};
use crate::server::admin::record;
use crate::server::admin::requests::require_journal;
use crate::server::long;

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Json,
    /// JUnit XML.
    Junit,
    /// A page that needs no other file.
    Html,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReportQuery {
    #[serde(default)]
    #[param(inline)]
    format: Format,
}

/// Judges the clients of a world by what they did: what the scenario expects, the scorecard, what they did after each fault, and
/// what they met.
#[utoipa::path(get, path = "/__admin/worlds/{world}/report", params(WorldPath, ReportQuery),
    responses((status = 200, description = "The report", body = Object), (status = 404, description = "The journal is off", body = super::error::ErrorBody)))]
pub(crate) async fn get(
    PathWorld(world): PathWorld,
    Query(query): Query<ReportQuery>,
) -> Result<HttpResponse, AdminError> {
    require_journal(&world.run())?;
    let report = long::run(move || {
        let record = record::record(&world, None);
        let expectations = record::verify(&world, &record, &world.snapshot().expectations);
        let report = Report::new(&record, expectations, Score::default());
        match query.format {
            Format::Json => ("application/json", serde_json::to_string(&report).unwrap_or_default()),
            Format::Junit => ("application/xml", junit::junit(&report)),
            Format::Html => ("text/html; charset=utf-8", html::html(&report)),
        }
    });
    let (kind, text) = report.await?;
    // Nothing of a page is to run or to be fetched.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, kind))
        .insert_header((header::CONTENT_SECURITY_POLICY, policy))
        .body(text))
}
