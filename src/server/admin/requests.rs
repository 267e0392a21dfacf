//! Admin handlers for a world's journal: list, export and clear.

use std::collections::VecDeque;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};
use utoipa::IntoParams;

use crate::api::operation::Operation;
use crate::journal::entry::Entry;
use crate::journal::filter::Filter;
use crate::journal::json::Origin;
use crate::journal::{har, json, notes};
use crate::operations;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, WorldPath, flag, number};
use crate::server::admin::list::{self, Limit};
use crate::server::long::{self, JsonList};
use crate::world::World;
use crate::world::run::Run;

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
    /// The path, exactly as sent, without the world's prefix.
    path: Option<String>,
    /// Whether nothing is at the path: `true` gives the 404s of unknown paths.
    #[serde(default, deserialize_with = "flag")]
    unmatched: Option<bool>,
    /// Only requests whose `seq` is larger.
    #[serde(default, deserialize_with = "number")]
    after: Option<u64>,
    /// Without headers and bodies.
    #[serde(default, deserialize_with = "flag")]
    #[param(value_type = Option<bool>)]
    brief: bool,
    #[serde(default)]
    #[param(inline)]
    limit: Limit,
}

fn operation<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Operation>, D::Error> {
    let Some(name) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let operation = operations::named(&name).map(|spec| spec.operation);
    operation.or_else(|| Operation::known_route(&name)).map(Some).ok_or_else(|| {
        let names = format!(
            "one of {}, or route: with the name of a route",
            operations::ALL.map(|spec| spec.operation.name()).join(", ")
        );
        D::Error::invalid_value(Unexpected::Str(&name), &names.as_str())
    })
}

/// Lists the requests of a world, in order, as its journal has them.
#[utoipa::path(get, path = "/__admin/worlds/{world}/requests", params(WorldPath, RequestsQuery),
    responses((status = 200, description = "The requests", body = Vec<Object>), (status = 404, description = "The journal is off", body = super::error::ErrorBody)))]
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(query): Query<RequestsQuery>,
) -> Result<HttpResponse, AdminError> {
    let written = if query.brief { json::brief_json } else { json::entry_json };
    let found = search(&world, query).await?;
    let list = JsonList { around: ("[", "]"), values: found.entries };
    let response = long::respond(list::response(found.total), list, move |(entry, notes)| {
        written(entry, notes, origin(&world)).to_string()
    });
    Ok(with_dropped(response.await?, found.dropped))
}

/// Exports the journal of a world as HAR 1.2, which browser tools open.
#[utoipa::path(get, path = "/__admin/worlds/{world}/requests.har", params(WorldPath, RequestsQuery),
    responses((status = 200, description = "An HTTP archive", body = Object), (status = 404, description = "The journal is off", body = super::error::ErrorBody)))]
pub(crate) async fn get_har(
    PathWorld(world): PathWorld,
    Query(query): Query<RequestsQuery>,
) -> Result<HttpResponse, AdminError> {
    let found = search(&world, query).await?;
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}.har\"", world.name)));
    let list = JsonList { around: har::AROUND, values: found.entries };
    let response = long::respond(response, list, move |(entry, notes)| {
        har::entry_json(entry, notes, origin(&world)).to_string()
    });
    Ok(with_dropped(response.await?, found.dropped))
}

/// The whole journal of a world as HAR 1.2.
pub(crate) fn har(world: &World) -> String {
    let entries = world.run().journal.read().entries;
    let notes = notes::of(&entries);
    let entries = entries.iter().zip(&notes);
    let entries = entries.map(|(entry, notes)| har::entry_json(entry, notes, origin(world)).to_string());
    let (before, after) = har::AROUND;
    format!("{before}{}{after}", entries.collect::<Vec<_>>().join(","))
}

/// Clears the journal of a world.
#[utoipa::path(delete, path = "/__admin/worlds/{world}/requests", params(WorldPath),
    responses((status = 204, description = "Cleared"), (status = 404, description = "The journal is off", body = super::error::ErrorBody)))]
pub(crate) async fn clear(PathWorld(world): PathWorld) -> Result<HttpResponse, AdminError> {
    let run = world.run();
    require_journal(&run)?;
    long::apart(move || run.clear_journal()).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Fails if no journal is kept. An empty list would say that there were no requests.
pub(crate) fn require_journal(run: &Run) -> Result<(), AdminError> {
    if run.journal.is_on() {
        return Ok(());
    }
    let message =
        "The journal is off: start Standin without --journal 0 (STANDIN_JOURNAL) to record requests.";
    Err(AdminError::not_found(message).with_header("x-standin-journal", "off"))
}

pub(crate) fn origin(world: &World) -> Origin<'_> {
    let minted = world.minted.as_ref().map(|key| key.key.as_str());
    Origin { world: &world.name, minted, secrets: world.secrets() }
}

/// How many entries the journal or the list of deliveries has dropped.
pub(crate) fn with_dropped(mut response: HttpResponse, dropped: u64) -> HttpResponse {
    response.headers_mut().insert(header::HeaderName::from_static("x-standin-dropped"), dropped.into());
    response
}

struct Found {
    /// The newest matching entries, each with its notes.
    entries: VecDeque<(Arc<Entry>, Vec<String>)>,
    /// How many match.
    total: usize,
    dropped: u64,
}

async fn search(world: &Arc<World>, query: RequestsQuery) -> Result<Found, AdminError> {
    require_journal(&world.run())?;
    let world = Arc::clone(world);
    long::run(move || {
        let RequestsQuery { operation, status, code, key, fault, path, unmatched, after, brief: _, limit } =
            query;
        let filter = Filter { operation, status, code, key, fault, path, unmatched, after };
        let minted = origin(&world).minted;
        let read = world.run().journal.read();
        let notes = notes::of(&read.entries);
        let matching = read.entries.into_iter().zip(notes);
        let mut entries: VecDeque<_> = matching.filter(|(entry, _)| filter.matches(entry, minted)).collect();
        let total = entries.len();
        entries.drain(..total.saturating_sub(limit.0));
        Found { entries, total, dropped: read.dropped }
    })
    .await
}
