//! Admin handler for a world's conversations: list.

use actix_web::HttpResponse;
use serde_json::json;

use crate::journal::mask::Mask;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, WorldPath};
use crate::server::admin::list::{self, Page};
use crate::server::long;

/// Lists the conversations of a world, as payloads of webhooks have them, and each with the number of its account as `businessId`.
#[utoipa::path(get, path = "/__admin/worlds/{world}/conversations", params(WorldPath, Page),
    responses((status = 200, description = "The conversations, the one that changed last first", body = Vec<Object>)))]
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(page): Query<Page>,
) -> Result<HttpResponse, AdminError> {
    let run = world.run();
    let all = long::run(move || run.conversations()).await?;
    let total = all.len();
    list::respond(total, page.of(all.into_iter()), move |(business, conversation)| {
        let snapshot = world.snapshot();
        let minted = world.minted.as_ref().map(|key| key.key.as_str());
        let mut json = json!(conversation.members());
        json["businessId"] = (*business).into();
        Mask::new(&snapshot.keys, minted, world.secrets()).json(&mut json);
        json.to_string()
    })
    .await
}
