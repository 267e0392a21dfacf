//! Writes a request into the journal of its world, and tells those who watch the world's stream.

use std::borrow::Cow;
use std::sync::Arc;

use crate::api::operation::Operation;
use crate::api::reply::Reply;
use crate::fault::decide::Decision;
use crate::fault::transmission::SendPlan;
use crate::journal::entry::{Entry, Facts};
use crate::journal::json::{self, Origin};
use crate::pipeline::admit::AtPath;
use crate::pipeline::decide::Decided;
use crate::pipeline::receive::Received;
use crate::pipeline::shape::Shaped;
use crate::world::World;

/// The reply to a request, and how it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) reply: Reply,
    pub(crate) send_plan: SendPlan,
    /// None for a reply that is not of the simulated API.
    pub(crate) handled: Option<Handled>,
}

impl From<Reply> for Outcome {
    fn from(reply: Reply) -> Self {
        Self { reply, send_plan: SendPlan::default(), handled: None }
    }
}

/// What the log, the metrics and the journal say of a request.
#[derive(Clone, Debug)]
pub(crate) struct Handled {
    /// None where nothing is at the path.
    pub(crate) operation: Option<Operation>,
    /// Code of the API error that was answered.
    pub(crate) code: Option<u32>,
    /// The decision of the last fault that counted the request.
    pub(crate) decision: Option<Arc<Decision>>,
    /// None where the journal is off.
    pub(crate) entry: Option<Arc<Entry>>,
}

impl Handled {
    /// Name of the fault that took effect, else of the last delay.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.decision.as_ref().filter(|decision| decision.applied).map(|decision| decision.fault.as_str())
    }
}

pub(super) fn record(decided: &Decided<'_>, shaped: Shaped) -> Outcome {
    let Received { at, world, run, snapshot, call, prefixed, .. } = decided.admitted.received;
    let Shaped { reply, send_plan, code, refused_by, notes, page } = shaped;
    let at_path = &decided.admitted.at_path;
    let operation = at_path.operation();
    let decision = decided.verdict.decision.clone().map(Arc::new);
    let entry = run.journal.is_on().then(|| {
        let facts = Facts {
            seq: decided.seq,
            reading: decided.admitted.reading,
            arrived: *at,
            fingerprint: decided.seen.0,
            attempt: decided.seen.1,
            spec: at_path.spec(),
            operation,
            unmatched: matches!(at_path, AtPath::Nothing),
            path_values: at_path.path_values(call.path).into_iter().map(Cow::into_owned).collect(),
            key_match: decided.admitted.key_match,
            prefixed: *prefixed,
            answered: send_plan.answers(),
            send_plan: (!send_plan.is_plain()).then(|| Box::new(send_plan.clone())),
            effect: decided.verdict.kind(),
            code,
            refused_by,
            page,
            decision: decision.clone(),
            keys: Arc::clone(&snapshot.keys),
            dialect: Arc::clone(&snapshot.dialect),
            notes,
        };
        let entry = Arc::new(Entry::new(facts, call, &reply, run.journal.body_limit()));
        run.journal.add(Arc::clone(&entry));
        if world.stream.is_watched() && world.stream.admits_request() {
            publish(world, &entry);
        }
        entry
    });
    Outcome { reply, send_plan, handled: Some(Handled { operation, code, decision, entry }) }
}

/// Publishes a request on the world's stream, and the fault that took effect.
fn publish(world: &World, entry: &Entry) {
    let minted = world.minted.as_ref().map(|key| key.key.as_str());
    let origin = Origin { world: &world.name, minted, secrets: world.secrets() };
    let notes = &entry.facts.notes;
    world.stream.publish_in_two(
        "request",
        || json::entry_json(entry, notes, origin),
        || json::brief_json(entry, notes, origin),
    );
    if let Some(fault) = entry.fault() {
        let seq = entry.facts.seq;
        let decision = json::decision_json(entry);
        let applied = serde_json::json!({ "name": fault, "seq": seq, "decision": decision });
        world.stream.publish("fault", &applied);
    }
}
