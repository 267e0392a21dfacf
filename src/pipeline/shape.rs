//! What a fault changes of an answer, what the client asked to be told, and the CORS headers.

use crate::api::call::Call;
use crate::api::cors;
use crate::api::query::AnsweredPage;
use crate::api::reply::Reply;
use crate::fault::body::Body;
use crate::fault::decide::Verdict;
use crate::fault::effect::Effect;
use crate::fault::patch::Failed;
use crate::fault::transmission::SendPlan;
use crate::fault::{malformed, patch, prefer};
use crate::journal::checks::Check;
use crate::pipeline::decide::Decided;
use crate::pipeline::receive::Received;
use crate::pipeline::refuse::printable;
use crate::pipeline::run::Ran;
use crate::world::snapshot::Snapshot;

/// A reply as it will be sent, and how.
pub(super) struct Shaped {
    pub(super) reply: Reply,
    pub(super) send_plan: SendPlan,
    /// Code of the API error that was answered.
    pub(super) code: Option<u32>,
    /// The check that refused the call.
    pub(super) refused_by: Option<Check>,
    /// Remarks for the journal.
    pub(super) notes: Vec<String>,
    /// The page of a list that was answered.
    pub(super) page: Option<AnsweredPage>,
}

pub(super) fn shape(decided: &Decided<'_>, ran: Ran) -> Shaped {
    let Received { snapshot, call, .. } = decided.admitted.received;
    let verdict = &decided.verdict;
    let Ran { mut reply, code, refused_by, mut notes, page } = ran;
    notes.extend(change_body(&mut reply, verdict));
    let reply = cors::add_headers(add_trace(reply, verdict, snapshot, call), &snapshot.dialect.cors, call);
    let reply = match verdict.taken.and_then(|fault| fault.effect.headers.as_ref()) {
        Some(headers) => headers.apply(reply),
        None => reply,
    };
    Shaped { reply, send_plan: SendPlan::of(verdict), code, refused_by, notes, page }
}

/// Changes the body as the fault says, and gives a remark for the journal. A patch that does not apply changes nothing.
fn change_body(reply: &mut Reply, verdict: &Verdict<'_>) -> Option<String> {
    match (verdict.effect()?, verdict.draw) {
        (Effect::Body(Body::Malformed), Some(mut draw)) => {
            reply.status = 200;
            reply.body = malformed::cut(&reply.body, &mut draw).into();
            None
        }
        (Effect::Body(Body::Patch(changes)), _) => match patch::apply(changes, &reply.body) {
            Ok(body) => {
                reply.body = body.into();
                None
            }
            Err(Failed::TooLarge) => {
                Some("the copies of the fault's patch are too large for this answer, which stays".to_owned())
            }
            Err(Failed::NoMatch) => {
                Some("the fault's patch does not apply to this answer, which stays".to_owned())
            }
        },
        (Effect::Lost(_), _) => {
            Some(format!("the operation answered {}, and the answer was lost", reply.status))
        }
        _ => None,
    }
}

/// Adds what the client asked to be told: that its preference was applied (RFC 7240), and with `x-standin-trace: 1` how the
/// faults decided.
fn add_trace(mut reply: Reply, verdict: &Verdict<'_>, snapshot: &Snapshot, call: &Call<'_>) -> Reply {
    if let Some(name) = verdict.preferred {
        reply = reply.with("preference-applied", prefer::preference_applied(name));
    }
    if call.header("x-standin-trace").is_none_or(|trace| trace != "1") {
        return reply;
    }
    reply = reply.with("x-standin-generation", snapshot.generation.to_string());
    let Some(decision) = &verdict.decision else { return reply };
    reply = reply.with("x-standin-attempt", decision.attempt.to_string());
    for (name, value) in [("x-standin-draw", decision.draw), ("x-standin-threshold", decision.threshold)] {
        if let Some(value) = value {
            reply = reply.with(name, value.to_string());
        }
    }
    if decision.applied { reply.with("x-standin-fault", printable(&decision.fault)) } else { reply }
}
