//! Rules on the API key.

use std::collections::BTreeMap;

use crate::expect::call::Call;
use crate::expect::report::Verdict;
use crate::expect::scorecard::judged::{Evidence, Judged, finding};
use crate::expect::words;
use crate::operations;
use crate::operations::spec::KeyIn;

/// `own-pace`: a client that knows the limit of its key does not run into it again and again.
pub(crate) fn own_pace(evidence: &Evidence<'_>) -> Judged {
    let (mut exercised, mut findings) = (Vec::new(), Vec::new());
    for (key, limit) in &evidence.record.rate_limits {
        let calls: Vec<&Call> =
            evidence.record.calls.iter().filter(|call| call.key.as_ref() == Some(key)).collect();
        let mut windows: BTreeMap<u128, Vec<&Call>> = BTreeMap::new();
        for call in &calls {
            let window = call.arrived_in_world.as_nanos() / limit.window.as_nanos().max(1);
            windows.entry(window).or_default().push(call);
        }
        if windows.values().all(|calls| (calls.len() as u64) < u64::from(limit.requests)) {
            continue;
        }
        exercised.push(key.as_str());
        let refused: Vec<u64> =
            calls.iter().filter(|call| call.met_the_limit()).map(|call| call.seq).collect();
        let worst = windows
            .values()
            .map(|calls| in_window(calls, evidence.limits.count("refused")))
            .max_by_key(Vec::len);
        let Some(worst) = worst.filter(|worst| !worst.is_empty()) else { continue };
        let verdict = if evidence.limits.exceeds("warn", refused.len(), calls.len()) {
            Verdict::Fail
        } else {
            Verdict::Warn
        };
        let message = format!(
            "{} of {} of {key} met its limit of {} per {} ({}); {} met it in one window",
            refused.len(),
            words::count(calls.len(), "call"),
            limit.requests,
            words::time(limit.window),
            words::share(refused.len(), calls.len()),
            words::calls(&worst)
        );
        findings.push(finding(verdict, worst, message));
    }
    if exercised.is_empty() {
        return Judged::not_exercised("no key came to its rate limit");
    }
    Judged::new(format!("{} came to its rate limit", exercised.join(", ")), findings)
}

/// The refused calls of a window, if they are more than so many and more than so many of a connection.
fn in_window(calls: &[&Call], most: usize) -> Vec<u64> {
    let mut by_connection: BTreeMap<u64, usize> = BTreeMap::new();
    let refused: Vec<_> = calls.iter().filter(|call| call.met_the_limit()).collect();
    for call in &refused {
        *by_connection.entry(call.connection).or_default() += 1;
    }
    let is_too_often = refused.len() > most && by_connection.values().any(|count| *count > most);
    if is_too_often { refused.iter().map(|call| call.seq).collect() } else { Vec::new() }
}

/// `key-in-header`: the key is not in the address, where logs and proxies see it.
pub(crate) fn key_in_header(evidence: &Evidence<'_>) -> Judged {
    let takes_header = |call: &Call| {
        let spec = call.operation.and_then(|operation| operations::named(operation.name()));
        spec.is_some_and(|spec| matches!(spec.key, KeyIn::Header))
    };
    let in_query: Vec<&Call> = evidence.record.calls.iter().filter(|call| call.has_key_in_query).collect();
    let with_key =
        evidence.record.calls.iter().filter(|call| takes_header(call) && call.key.is_some()).count();
    if with_key + in_query.len() == 0 {
        return Judged::not_exercised("no call had an API key");
    }
    let findings = (!in_query.is_empty()).then(|| {
        let seqs: Vec<u64> = in_query.iter().map(|call| call.seq).collect();
        finding(Verdict::Fail, seqs.clone(), format!("{} sent the key in the query", words::calls(&seqs)))
    });
    let all = words::count(with_key + in_query.len(), "call");
    Judged::new(format!("{all} with a key"), findings.into_iter().collect())
}
