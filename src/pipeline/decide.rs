//! Step 3: which fault applies to a request.

use crate::api::operation::Operation;
use crate::fault;
use crate::fault::decide::Verdict;
use crate::fault::request::Request;
use crate::pipeline::admit::{Admitted, AtPath};
use crate::pipeline::receive::Received;
use crate::route::facts::DRAWS;

/// Stands for the operation of a request for a path where nothing is.
const NO_OPERATION: Operation = Operation::new("");

/// A request with its number of arrival and the verdict of the world's faults.
pub(super) struct Decided<'a> {
    pub(super) admitted: &'a Admitted<'a>,
    pub(super) seq: u64,
    /// The fingerprint, and how often it was seen, from 1. Both are 0 where the journal is off,
    /// unless the route draws.
    pub(super) seen: (u64, u32),
    pub(super) verdict: Verdict<'a>,
}

/// The number of arrival and all counting of one request are one step under the lock of the world's counters, so that a
/// counted fault applies exactly as often as it says.
pub(super) fn decide<'a>(admitted: &'a Admitted<'a>) -> Decided<'a> {
    let Admitted { received, at_path, key, key_match, reading } = admitted;
    let Received { run, snapshot, call, .. } = received;
    let operation = at_path.operation().unwrap_or(NO_OPERATION);
    let parameter = (operation, at_path.parameter());
    let request = Request::new(parameter, call, &snapshot.dialect, (key.as_deref(), *key_match))
        .with_path_values(at_path.path_values(call.path));
    // What a route draws depends on the attempt, too.
    let draws = matches!(at_path, AtPath::Route(route) if route.uses(&DRAWS));
    let fingerprint = (run.journal.is_on() || draws).then(|| request.fingerprint());
    let mut counters = run.counters();
    let seq = counters.arrive();
    let seen = fingerprint.map_or((0, 0), |fingerprint| (fingerprint, counters.see(fingerprint)));
    let takes_faults = match at_path {
        AtPath::Operation(..) => call.method == "POST",
        AtPath::Route(_) => true,
        AtPath::Method(_) | AtPath::NoCondition | AtPath::Nothing => false,
    };
    let verdict = if takes_faults && !snapshot.faults.is_empty() {
        let since_start = reading.since_start();
        fault::decide::decide(&snapshot.faults, &request, snapshot.seed, since_start, &mut counters)
    } else {
        Verdict::default()
    };
    Decided { admitted, seq, seen, verdict }
}
