//! Admin handlers for one call of a world's journal: get it with the reasons for its answer, and send it again.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::api::call::{Body, OwnedCall};
use crate::journal::entry::Entry;
use crate::journal::mask::Mask;
use crate::journal::{checks, json, notes};
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, WorldPath};
use crate::server::admin::requests::{origin, require_journal};
use crate::server::state::State;
use crate::server::{api, long};
use crate::world::World;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct CallPath {
    /// `seq` of the call.
    #[expect(dead_code, reason = "read together with the world")]
    seq: u64,
}

/// A call, the reasons for its answer, and its tries.
#[derive(Serialize, ToSchema)]
pub(crate) struct Call {
    #[serde(flatten)]
    #[schema(value_type = Object)]
    entry: Value,
    /// The checks in their order, and how each ended.
    checks: Vec<checks::Checked>,
    /// All kept calls with its fingerprint, itself included, in order and without headers and bodies.
    #[schema(value_type = Vec<Object>)]
    chain: Vec<Value>,
}

/// The call that was made by sending another one again.
#[derive(Serialize, ToSchema)]
pub(crate) struct SentCall {
    /// Null if the journal is off.
    seq: Option<u64>,
    /// The status that was decided.
    status: u16,
    /// Code of the API error that was answered.
    code: Option<u32>,
    fault: Option<String>,
}

/// Most tries of a call that are answered, the newest.
const MOST_TRIES: usize = 200;

/// Shows a call of the journal, why it was answered as it was, and its retries.
#[utoipa::path(get, path = "/__admin/worlds/{world}/requests/{seq}", params(WorldPath, CallPath),
    responses((status = 200, description = "The call", body = Call), (status = 404, description = "The journal has no such call", body = super::error::ErrorBody)))]
pub(crate) async fn get(
    PathWorld(world): PathWorld,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, AdminError> {
    let (_, sent) = path.into_inner();
    require_journal(&world.run())?;
    let call = long::run(move || {
        let entries = world.run().journal.read().entries;
        let notes = notes::of(&entries);
        let at = place(&entries, &sent).ok_or_else(|| unknown(&world, &sent))?;
        let (entry, origin) = (&entries[at], origin(&world));
        let mask = Mask::new(&entry.facts.keys, origin.minted, origin.secrets);
        let is_try = |other: &&Arc<Entry>| other.facts.fingerprint == entry.facts.fingerprint;
        let mut chain: Vec<Value> =
            entries.iter().filter(is_try).map(|other| json::brief_json(other, &[], origin)).collect();
        chain.drain(..chain.len().saturating_sub(MOST_TRIES));
        Ok::<_, AdminError>(Call {
            entry: json::entry_json(entry, &notes[at], origin),
            checks: checks::checks(entry, &mask),
            chain,
        })
    });
    Ok(HttpResponse::Ok().json(call.await??))
}

fn place(entries: &[Arc<Entry>], sent: &str) -> Option<usize> {
    let seq: u64 = sent.parse().ok()?;
    entries.binary_search_by_key(&seq, |entry| entry.facts.seq).ok()
}

fn unknown(world: &World, sent: &str) -> AdminError {
    let name = &world.name;
    AdminError::not_found(format!(
        "The journal of the world {name} has no call {sent}: it was dropped for lack of room or cleared, or it never came."
    ))
}

/// Sends a call again, as the same client would: it is counted, recorded and answered like any other.
///
/// The answer goes into the journal. A delay, and what a fault does to the connection, is decided and recorded, but not performed.
#[utoipa::path(post, path = "/__admin/worlds/{world}/requests/{seq}/resend", params(WorldPath, CallPath),
    responses((status = 201, description = "Sent", body = SentCall), (status = 409, description = "Its body was not kept whole", body = super::error::ErrorBody)))]
pub(crate) async fn resend(
    state: web::Data<State>,
    PathWorld(world): PathWorld,
    path: web::Path<(String, String)>,
    _: HttpRequest,
) -> Result<HttpResponse, AdminError> {
    let (_, sent) = path.into_inner();
    require_journal(&world.run())?;
    let entries = world.run().journal.read().entries;
    let entry = place(&entries, &sent).map(|at| Arc::clone(&entries[at]));
    let entry = entry.ok_or_else(|| unknown(&world, &sent))?;
    drop(entries);
    let mut call = entry.call();
    if entry.body_lost() > 0 || matches!(call.body, Body::TooLarge) {
        let message = format!(
            "The body of call {sent} was not kept whole: start Standin with a larger --journal-body to send such a call again."
        );
        return Err(AdminError::conflict(message));
    }
    // The journal has the path without the world's name.
    let within = format!("/w/{}{}", world.name, call.path);
    call.path = &within;
    let owned = OwnedCall::new(&call);
    let (reply, handled) = api::resend(&state, &owned).await;
    let handled = handled.ok_or_else(AdminError::internal)?;
    let sent = SentCall {
        seq: handled.entry.as_ref().map(|entry| entry.facts.seq),
        status: reply.status,
        code: handled.code,
        fault: handled.fault().map(str::to_owned),
    };
    Ok(HttpResponse::build(StatusCode::CREATED).json(sent))
}
