//! Step 3: which fault applies to a request.

use crate::api::operation::Operation;
use crate::fault;
use crate::fault::decide::Verdict;
use crate::fault::request::Request;
use crate::pipeline::admit::Admitted;
use crate::pipeline::receive::Received;

/// Stands for the operation of a request for a path where nothing is.
const NO_OPERATION: Operation = Operation::new("");

/// A request with its number of arrival and the verdict of the world's faults.
pub(super) struct Decided<'a> {
    pub(super) admitted: &'a Admitted<'a>,
    pub(super) seq: u64,
    /// The fingerprint, and how often it was seen, from 1. Both are 0 where the journal is off.
    pub(super) seen: (u64, u32),
    pub(super) verdict: Verdict<'a>,
}

/// The number of arrival and all counting of one request are one step under the lock of the world's counters, so that a
/// counted fault applies exactly as often as it says.
pub(super) fn decide<'a>(admitted: &'a Admitted<'a>) -> Decided<'a> {
    let Admitted { received, route, key, key_match, reading } = admitted;
    let Received { run, snapshot, call, .. } = received;
    let operation =
        route.as_ref().map_or((NO_OPERATION, ""), |route| (route.spec.operation, &*route.parameter));
    let request = Request::new(operation, call, &snapshot.dialect, (key.as_deref(), *key_match));
    let fingerprint = run.journal.is_on().then(|| request.fingerprint());
    let mut counters = run.counters();
    let seq = counters.arrive();
    let seen = fingerprint.map_or((0, 0), |fingerprint| (fingerprint, counters.see(fingerprint)));
    let verdict = match route {
        Some(_) if call.method == "POST" && !snapshot.faults.is_empty() => {
            let since_start = reading.since_start();
            fault::decide::decide(&snapshot.faults, &request, snapshot.seed, since_start, &mut counters)
        }
        Some(_) | None => Verdict::default(),
    };
    Decided { admitted, seq, seen, verdict }
}
