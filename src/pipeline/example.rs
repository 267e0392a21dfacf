//! What an operation answers in a world, for the examples of its documents: nothing is counted, stored or recorded.

use std::sync::Mutex;

use bytes::Bytes;

use crate::api::call::Call;
use crate::auth::{Caller, Key};
use crate::operations::spec::{Authorized, Context, Run, Spec};
use crate::world::World;

/// The answer of an operation to a call with this key and path parameter. None if it refuses the call.
pub(crate) fn answer(
    world: &World,
    spec: &Spec,
    call: &Call<'_>,
    parameter: &str,
    key: Option<&Key>,
) -> Option<Bytes> {
    let run = world.run();
    let snapshot = run.snapshot();
    let dataset = snapshot.dataset();
    let added = run.added.read(dataset);
    let context = Context {
        dialect: &snapshot.dialect,
        events: &snapshot.events,
        dataset,
        added: added.as_deref(),
        // What the operation writes is discarded with it.
        ledger: &Mutex::default(),
        now: run.clock.now(),
    };
    let caller = Caller { key };
    let authorized = Authorized { call, caller, parameter };
    let done = match spec.run {
        Run::ForAccount(invalid, run) => {
            run(&context, &authorized, caller.enterprise(dataset, call, invalid).ok()?)
        }
        Run::ForKey(run) => run(&context, &authorized),
    };
    Some(done.ok()?.body)
}
