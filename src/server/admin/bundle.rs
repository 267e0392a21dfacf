//! Admin handler for the bundle of a world's run.

use actix_web::HttpResponse;
use actix_web::http::{StatusCode, header};

use crate::bundle::write::{NotWritten, write};
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, WorldPath};
use crate::server::long;

/// Exports the run of a world as a bundle, which `standin replay` sends again.
#[utoipa::path(get, path = "/__admin/worlds/{world}/bundle", params(WorldPath),
    responses((status = 200, description = "A bundle", body = String, content_type = "application/zip"), (status = 404, description = "The server does not keep what a bundle needs", body = super::error::ErrorBody)))]
pub(crate) async fn get(PathWorld(world): PathWorld) -> Result<HttpResponse, AdminError> {
    let file = format!("attachment; filename=\"{}.standin\"", world.name);
    let bytes = long::run(move || write(&world)).await?.map_err(|reason| {
        let status = match reason {
            NotWritten::NotKept => StatusCode::NOT_FOUND,
            NotWritten::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            NotWritten::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let advice = "standin run SCENARIO --bundle FILE -- COMMAND writes one.";
        AdminError::new(status, format!("There is no bundle: {reason}."))
            .with_advice(StatusCode::NOT_FOUND, advice)
    })?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/zip"))
        .insert_header((header::CONTENT_DISPOSITION, file))
        .body(bytes))
}
