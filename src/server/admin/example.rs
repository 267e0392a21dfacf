//! Admin handler for an example: a key and a call with which a client reaches a world.

use actix_web::{HttpRequest, web};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::server::admin::extract::{PathWorld, WorldPath};
use crate::server::docs::requests;
use crate::server::page::host;

/// What a client needs to use a world.
#[derive(Serialize, ToSchema)]
pub(crate) struct Example {
    /// A key that works at the world's base URL.
    key: String,
    call: ExampleCall,
    /// The call as a command.
    curl: String,
}

/// A call that the operation answers with data, if the scenario has any.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExampleCall {
    operation: &'static str,
    /// Path and query below the base URL.
    path: String,
    #[schema(value_type = Object)]
    body: Value,
}

/// Gives a key of the world, and a call of it.
#[utoipa::path(get, path = "/__admin/worlds/{world}/example", params(WorldPath),
    responses((status = 200, description = "A key and a call", body = Example)))]
pub(crate) async fn get(PathWorld(world): PathWorld, request: HttpRequest) -> web::Json<Example> {
    let (key, account) = requests::key_and_account(&world);
    let path = format!("/v1/review/businessId/{}?count=5", account.unwrap_or_default());
    let url = format!("http://{}/w/{}{path}", host(&request), world.name);
    let curl = format!(
        "curl -X POST '{url}' -H 'x-api-key: {}' -H 'content-type: application/json' -d '{{}}'",
        key.replace('\'', "'\\''")
    );
    let call = ExampleCall { operation: "reviews", path, body: Value::Object(serde_json::Map::new()) };
    web::Json(Example { key, call, curl })
}
