//! Admin handlers for a world's journal: list, export and clear.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use utoipa::IntoParams;

use crate::api::operation::Operation;
use crate::journal::entry::Entry;
use crate::journal::filter::Filter;
use crate::journal::json::Origin;
use crate::journal::{har, json, notes};
use crate::operations;
use crate::server::admin::extract::{PathWorld, Query, WorldPath, number};
use crate::server::admin::list::{Limit, respond_page};
use crate::world::World;

/// Which requests are asked for; of more than `limit`, the newest.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RequestsQuery {
    /// Name of the operation.
    #[serde(default, deserialize_with = "operation")]
    #[param(value_type = Option<String>)]
    operation: Option<Operation>,
    #[serde(default, deserialize_with = "number")]
    status: Option<u16>,
    /// Code of the API error.
    #[serde(default, deserialize_with = "number")]
    code: Option<u32>,
    /// Name or place of the key (`key:demo`, `key:2`), or the key itself.
    key: Option<String>,
    /// Name of the fault.
    fault: Option<String>,
    /// Only requests whose `seq` is larger.
    #[serde(default, deserialize_with = "number")]
    after: Option<u64>,
    #[serde(default)]
    #[param(inline)]
    limit: Limit,
}

fn operation<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Operation>, D::Error> {
    let Some(name) = Option::<String>::deserialize(from)? else { return Ok(None) };
    operations::named(&name).map(|spec| Some(spec.operation)).ok_or_else(|| {
        let names = format!("one of {}", operations::ALL.map(|spec| spec.operation.name()).join(", "));
        D::Error::invalid_value(Unexpected::Str(&name), &names.as_str())
    })
}

/// Lists the requests of a world, in order, as its journal has them.
#[utoipa::path(get, path = "/__admin/worlds/{world}/requests", params(WorldPath, RequestsQuery),
    responses((status = 200, description = "The requests", body = Vec<Object>)))]
pub(crate) async fn list(PathWorld(world): PathWorld, Query(query): Query<RequestsQuery>) -> HttpResponse {
    let found = search(&world, query);
    let shown: Vec<Value> =
        found.entries.iter().map(|(entry, notes)| json::entry_json(entry, notes, origin(&world))).collect();
    with_dropped(respond_page(found.total, &shown), found.dropped)
}

/// Exports the journal of a world as HAR 1.2, which browser tools open.
#[utoipa::path(get, path = "/__admin/worlds/{world}/requests.har", params(WorldPath, RequestsQuery),
    responses((status = 200, description = "An HTTP archive", body = Object)))]
pub(crate) async fn get_har(PathWorld(world): PathWorld, Query(query): Query<RequestsQuery>) -> HttpResponse {
    let found = search(&world, query);
    let file = format!("attachment; filename=\"{}.har\"", world.name);
    let response = HttpResponse::Ok()
        .insert_header((header::CONTENT_DISPOSITION, file))
        .json(har::archive(&found.entries, origin(&world)));
    with_dropped(response, found.dropped)
}

/// Clears the journal of a world.
#[utoipa::path(delete, path = "/__admin/worlds/{world}/requests", params(WorldPath),
    responses((status = 204, description = "Cleared")))]
pub(crate) async fn clear(PathWorld(world): PathWorld) -> HttpResponse {
    world.run().journal.clear();
    HttpResponse::NoContent().finish()
}

fn origin(world: &World) -> Origin<'_> {
    Origin { world: &world.name, minted: world.minted.as_ref().map(|key| key.key.as_str()) }
}

/// How many entries the journal or the list of deliveries has dropped.
pub(crate) fn with_dropped(mut response: HttpResponse, dropped: u64) -> HttpResponse {
    response.headers_mut().insert(header::HeaderName::from_static("x-standin-dropped"), dropped.into());
    response
}

struct Found {
    /// The newest matching entries, each with its notes.
    entries: Vec<(Arc<Entry>, Vec<String>)>,
    /// How many match.
    total: usize,
    dropped: u64,
}

fn search(world: &World, query: RequestsQuery) -> Found {
    let RequestsQuery { operation, status, code, key, fault, after, limit } = query;
    let filter = Filter { operation, status, code, key, fault, after };
    let minted = origin(world).minted;
    let read = world.run().journal.read();
    let notes = notes::of(&read.entries);
    let matching = read.entries.into_iter().zip(notes);
    let mut entries: Vec<_> = matching.filter(|(entry, _)| filter.matches(entry, minted)).collect();
    let total = entries.len();
    entries.drain(..total.saturating_sub(limit.0));
    Found { entries, total, dropped: read.dropped }
}
