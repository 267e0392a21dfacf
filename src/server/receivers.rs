//! Receivers of webhooks at `/w/<world>/__hooks/<name>`, so that a subscription can be tried without a receiver of one's own.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::middleware::from_fn;
use actix_web::{HttpResponse, web};
use serde_json::json;
use tokio::time::sleep;

use crate::server::admin::error::AdminError;
use crate::server::admin::extract::PathWorld;
use crate::server::middleware::surround;
use crate::webhook::target::RECEIVERS;

/// How long `slow` waits. It is less than a delivery waits for its answer, unless the scenario says otherwise.
const SLOW: Duration = Duration::from_secs(3);
/// When `never` gives up, so that no connection stays for good.
const NEVER: Duration = Duration::from_secs(600);

/// The route of the receivers, under `/w`.
pub(crate) fn routes(config: &mut web::ServiceConfig) {
    config.service(
        web::resource("/{world}/__hooks/{name}").route(web::post().to(receive)).wrap(from_fn(surround)),
    );
}

/// Answers a delivery as the name of the receiver says.
async fn receive(_: PathWorld, path: web::Path<(String, String)>) -> Result<HttpResponse, AdminError> {
    let (_, name) = path.into_inner();
    let status = match name.as_str() {
        "ok" => StatusCode::OK,
        "error" => StatusCode::INTERNAL_SERVER_ERROR,
        "slow" => {
            sleep(SLOW).await;
            StatusCode::OK
        }
        "never" => {
            sleep(NEVER).await;
            StatusCode::GATEWAY_TIMEOUT
        }
        _ => {
            let names = RECEIVERS.join(", ");
            return Err(AdminError::not_found(format!("There is no receiver {name}; there are {names}.")));
        }
    };
    Ok(HttpResponse::build(status).json(json!({ "receiver": name })))
}
